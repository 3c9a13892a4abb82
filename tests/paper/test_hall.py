from pi_controller.language.words import words
from pi_controller.paper.hall import PaperHall
from pi_controller.roster.model import Roster, Row, new_roster
from pi_controller.supply.zone import SupplyWiring


def hall(boards: int, rows: int = 1) -> PaperHall:
    return PaperHall(roster=new_roster(rows, boards), wiring=SupplyWiring(watts=1.0, lead_m=5), head_m=12)


def test_a_row_is_a_chain_with_its_cables() -> None:
    cables = [
        (cable.name, cable.kind, words(cable.start), words(cable.end), cable.length_m)
        for cable in hall(4).cables
    ]
    assert cables == [
        ("A-00", "head", "adapter A", "A1 IN", 12),
        ("A-01", "table", "A1 OUT", "A2 IN", 2),
        ("A-02", "table", "A2 OUT", "injector A/1 IN", 2),
        ("A-03", "table", "injector A/1 OUT", "A3 IN", 2),
        ("A-04", "table", "A3 OUT", "A4 IN", 2),
        ("A-S1", "lead", "supply A/1", "injector A/1", 5),
    ]


def test_zones_are_parted_by_cables_with_24_volts_open() -> None:
    found = hall(30)
    (chain,) = found.chains
    assert [zone.nodes for zone in chain.zones] == [15, 15]
    (zone_cable,) = [cable for cable in found.cables if cable.kind == "zone"]
    assert (words(zone_cable.start), words(zone_cable.end)) == ("A15 OUT", "A16 IN")
    assert sorted(chain.injectors) == [7, 22]


def test_the_injector_of_a_single_board_is_in_front_of_it() -> None:
    assert [(cable.kind, words(cable.start), words(cable.end)) for cable in hall(1).cables] == [
        ("head", "adapter A", "injector A/1 IN"),
        ("table", "injector A/1 OUT", "A1 IN"),
        ("lead", "supply A/1", "injector A/1"),
    ]


def test_a_long_row_is_two_chains_from_its_ends() -> None:
    first, second = hall(40).chains
    assert (first.name, first.boards[0], first.boards[-1]) == ("A.1", "A1", "A20")
    assert (second.name, second.boards[0], second.boards[-1]) == ("A.2", "A40", "A21")


def test_every_board_is_reached_once() -> None:
    found = hall(50, rows=4)
    reached = [words(cable.end).removesuffix(" IN") for cable in found.cables if cable.kind != "lead"]
    boards = [name for name in reached if not name.startswith("injector")]
    assert sorted(boards) == sorted(board.name for board in found.roster.boards)
    assert len({cable.name for cable in found.cables}) == len(found.cables)


def test_rows_without_boards_need_no_cable() -> None:
    roster = Roster(rows=(Row(name="E"), *new_roster(1, 2).rows))
    assert [chain.name for chain in PaperHall(roster=roster, wiring=SupplyWiring()).chains] == ["A"]
