"""What the sheets of a hall say."""

import pytest
from msgspec.structs import replace

from pi_controller.paper import hall
from pi_controller.paper.document import Paper
from pi_controller.paper.hall import PaperHall, cable_list, network_sheet, parts_list, supply_sheet
from pi_controller.roster.model import Row, new_roster, place
from pi_controller.supply.zone import SupplyWiring
from tests.paper import reading

UID = "e6614103e7452a2f"
PLAIN = PaperHall(roster=place(new_roster(2, 14), "A1", UID), wiring=SupplyWiring(), addresses={UID: "A 7"})


def test_labels_name_board_node_and_address() -> None:
    paper = Paper("Labels")
    hall.add_labels(paper, PLAIN, hall.LABEL_SHEETS["70x37"])
    first, second, *cables = reading.pages(paper.pdf())
    for text in ("A1", "B10", "row A, board 1 of 14", "node e6614103 e7452a2f", "address A 7", "no node yet"):
        assert text in first
    assert "B14" in second
    assert "page" not in first  # nothing but labels on a sheet of them
    assert "A-00" in cables[0]
    assert " ".join(cables).count("+24 V OPEN") == 2 * 2 * 2  # two head cables, two ends, two faces


def test_the_label_of_each_end_of_a_cable_names_that_end_first_and_an_open_wire() -> None:
    paper = Paper("Labels")
    hall.add_labels(
        paper, PaperHall(roster=new_roster(1, 30), wiring=SupplyWiring(watts=1.0)), hall.LABEL_SHEETS["70x37"]
    )
    text = " ".join(reading.pages(paper.pdf()))
    for face in ("A-01 A1 OUT 24 V - NOT ETHERNET to A2 IN", "A-01 A2 IN 24 V - NOT ETHERNET to A1 OUT"):
        assert text.count(face) == 2  # both faces of one label
    assert text.count("+24 V OPEN") == 2 * 2 * 2  # the head cable and the one between two zones


@pytest.mark.parametrize("name", sorted(hall.LABEL_SHEETS))
def test_label_sheets_fit_on_their_page(name: str) -> None:
    sheet = hall.LABEL_SHEETS[name]
    assert sheet.left + sheet.columns * sheet.width + (sheet.columns - 1) * sheet.gap <= 210
    assert sheet.top + sheet.rows * sheet.height <= 297
    paper, shown = Paper("Labels"), PaperHall(roster=new_roster(1, 12), wiring=SupplyWiring())
    hall.add_labels(paper, shown, sheet)
    assert len(reading.pages(paper.pdf())) == -(-12 // sheet.room) + -(-2 * len(shown.cables) // sheet.room)


def test_what_the_qr_code_says() -> None:
    assert hall.content("A1", UID) == f"TB1 A1 {UID}"
    assert hall.content("A2", None) == "TB1 A2 -"


def test_cables_and_parts() -> None:
    paper = Paper("Cables")
    parts_list(paper, PLAIN)
    cable_list(paper, PLAIN)
    text = " ".join(reading.pages(paper.pdf()))
    assert "table node 28 3 31" in text
    assert "head cable, +24 V open, 10 m 2 1 3" in text
    assert "supply 24 V, 60 W 2 1 3" in text
    assert "B-14 B13 OUT B14 IN 2 m table cable" in text
    assert "The terminator plug goes into B14 OUT." in text
    assert "Chain A: 14 boards" in text


def test_the_map_shows_every_board_of_every_shape() -> None:
    rows = new_roster(4, 36).rows
    shapes = [
        replace(rows[0], shape="ring"),
        replace(rows[1], shape="angled", angle=60),
        rows[2],
        Row(name="E"),
    ]
    paper = Paper("Map")
    hall.add_map(paper, PaperHall(roster=replace(PLAIN.roster, rows=tuple(shapes)), wiring=SupplyWiring()))
    text = " ".join(reading.pages(paper.pdf()))
    assert all(board.name in text for row in shapes for board in row.boards)
    assert "Row A (ring: the last board is next to the first, 36 boards)" in text
    assert "Row B (angled, 60°, 36 boards)" in text
    assert "Row E (straight, 0 boards)" in text
    assert "A.2" in text


def test_a_ring_runs_to_the_right_and_comes_back_below() -> None:
    row = replace(new_roster(1, 5).rows[0], shape="ring")
    paper = Paper("Map")
    hall.add_map(paper, PaperHall(roster=replace(PLAIN.roster, rows=(row,)), wiring=SupplyWiring()))
    x, y = zip(*(reading.places(paper.pdf())[f"A{number}"] for number in range(1, 6)), strict=True)
    assert x[0] < x[1] < x[2]
    assert (x[3], x[4]) == pytest.approx((x[2], x[1]), abs=1)  # below the third and the second
    assert y == pytest.approx((y[0], y[0], y[0], y[3], y[3]), abs=1)
    assert y[3] < y[0] - 20  # points, upwards


def test_the_supply_says_what_must_not_be_built() -> None:
    paper = Paper("Supply")
    supply_sheet(paper, PaperHall(roster=new_roster(1, 3), wiring=SupplyWiring(volts=5, watts=1.0)))
    text = reading.pages(paper.pdf())[0]
    assert "Do not build this: Row A, boards 1 to 3: 4.8 V at the last node, above 15 V is needed." in text
    assert "limit 15" in text


def test_the_supply_of_a_collapse_has_no_plot() -> None:
    paper = Paper("Supply")
    supply_sheet(paper, PaperHall(roster=new_roster(1, 3), wiring=SupplyWiring(volts=5, watts=20, hop_m=50)))
    text = reading.pages(paper.pdf())[0]
    assert "collapses" in text
    assert "Volts at" not in text


def test_the_network_sheet_asks_for_little() -> None:
    paper = Paper("Network sheet")
    network_sheet(paper, "http://192.168.1.20:8080")
    (text,) = reading.pages(paper.pdf())
    for part in ("http://192.168.1.20:8080", "TCP 8080", "No multicast", "no access point", "No Internet"):
        assert part in text
