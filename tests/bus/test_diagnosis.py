import pytest
from msgspec import structs
from msgspec.structs import replace

from pi_controller.bus.diagnosis import diagnose
from pi_controller.bus.values import DisplaysView, Lately, NodeState, NodeView, Place, SegmentSnapshot
from pi_controller.language.words import all_words, words
from pi_controller.sentence import as_told

NODE = NodeView(
    uid="",
    segment="A",
    address=1,
    state="good",
    board=None,
    swapped=False,
    hardware=1,
    firmware="1.2",
    protocols=(1, 1),
    boots=1,
    age_ms=100,
    uptime_min=10,
    supply_v=24.0,
    temperature_c=30,
    reset="power",
    safe_mode=False,
    displays=DisplaysView(sun=True, moon=True),
    good=1_000,
    missed=0,
    crc_errors=0,
    states_missed=0,
    round_trip_ms=None,
)
ROW = tuple(Place(uid=f"{number:016x}", board=f"A{number}") for number in range(1, 9))


def node(number: int, state: NodeState = "good", **changes: object) -> NodeView:
    return structs.replace(
        NODE, uid=f"{number:016x}", board=f"A{number}", address=number, state=state, **changes
    )  # type: ignore[arg-type]


def segment(*nodes: NodeView, name: str = "A", **changes: object) -> SegmentSnapshot:
    whole = SegmentSnapshot(
        name=name,
        port="/dev/ttyUSB0",
        link="open",
        sentence=None,
        baud=250_000,
        good=10_000,
        crc_errors=0,
        missed=0,
        echoes=0,
        collisions=0,
        reopened=0,
        busy=0.2,
        round_trip=None,
        nodes=nodes,
    )
    return replace(whole, **changes)  # type: ignore[arg-type]


def row(*, lost: tuple[int, ...] = (), without: tuple[int, ...] = ()) -> SegmentSnapshot:
    numbers = [number for number in range(1, 9) if number not in without]
    return segment(*(node(number, "lost" if number in lost else "good") for number in numbers))


def test_a_sound_hall_needs_nothing() -> None:
    assert all_words(diagnose([row()], [ROW])) == []
    assert all_words(diagnose([], [])) == []


@pytest.mark.parametrize(
    ("lost", "without", "likely"),
    [
        ((5, 6, 7, 8), (), "tables A5 to A8 do not answer: check the cable between A4 and A5, and the power from A5 on"),
        ((1, 2), (), "tables A1 to A2 do not answer: check the cable between A3 and A2, and the power from A2 on"),
        ((3,), (), "table A3 does not answer although both neighbours do: check its plugs and its power, then replace its node"),
        ((8,), (), "table A8 at the end of the row does not answer: check the cable between A7 and A8, then its power, then replace its node"),
        ((3, 4), (), "tables A3 to A4 do not answer although those beyond do: check their power"),
        ((), (4,), "table A4 has never answered: check its plugs, its power and its node's id"),
        (tuple(range(1, 9)), (), "no table answers: check the adapter, the first cable and the power"),
    ],
    ids=["a cable", "the controller at the other end", "one", "one at the end", "several", "never seen", "all"],
)  # fmt: skip
def test_what_is_silent_tells_where_to_look(
    lost: tuple[int, ...], without: tuple[int, ...], likely: str
) -> None:
    """B8 and B13."""
    assert all_words(diagnose([row(lost=lost, without=without)], [ROW])) == [f"Segment A: {likely}"]


def test_a_row_of_which_nobody_was_ever_seen() -> None:
    other = tuple(Place(uid=f"{number:016x}", board=f"B{number}") for number in range(11, 14))
    assert all_words(diagnose([row()], [ROW, other])) == [
        "No table of B11 to B13 has answered yet: check that their segment is plugged in"
    ]


def test_the_lines_own_sentence_hides_what_follows_from_it() -> None:
    """B12, B13: the adapter is gone or the line is held; the tables' silence is no news then."""
    held = replace(row(lost=(1, 2, 3)), sentence=as_told("Segment A: something holds the line"))
    assert all_words(diagnose([held], [ROW])) == ["Segment A: something holds the line"]
    assert all_words(diagnose([replace(row(lost=(1,)), link="closed")], [ROW])) == []


EVERYBODY = tuple(range(1, 9))


def heard(**counts: int) -> Lately:
    """What a sound node of eight brings in 20 s, but for this."""
    return replace(Lately(answered=190), **counts)


def keys(nodes: list[NodeView], **changes: object) -> list[str]:
    return [found.key for found in diagnose([segment(*nodes, **changes)], [ROW])]


@pytest.mark.parametrize(
    ("hurt", "likely"),
    [
        ((6, 7, 8), "tables A6 to A8 receive damaged frames: check the plugs between A5 and A6, and the terminator at the end of the row"),
        ((1, 2), "tables A1 to A2 receive damaged frames: check the plugs between A3 and A2, and the terminator at the end of the row"),
        ((6,), "table A6 receives damaged frames: check its plugs"),
        ((4, 5), "tables A4 to A5 receive damaged frames: check their plugs"),
        (EVERYBODY, "all tables receive damaged frames: check the adapter and the terminators at both ends"),
    ],
)  # fmt: skip
def test_damage_tells_where_it_begins(hurt: tuple[int, ...], likely: str) -> None:
    nodes = [node(number, lately=heard(damaged=60 if number in hurt else 3)) for number in EVERYBODY]
    assert all_words(diagnose([segment(*nodes)], [ROW])) == [f"Segment A: {likely}"]


def test_damage_in_answers_alone() -> None:
    (found,) = diagnose([replace(row(), lately=Lately(answered=1_500, damaged=30))], [ROW])
    assert words(found).startswith("Segment A: damaged answers arrive (30 against 1500 good ones)")


@pytest.mark.parametrize(
    ("garbled", "key"),
    [((3,), "bus.one_answers_damaged"), ((6, 7, 8), "bus.some_answer_damaged"), (EVERYBODY, "bus.damaged_answers")],
)  # fmt: skip
def test_damaged_answers_tell_whose_they_are(garbled: tuple[int, ...], key: str) -> None:
    nodes = [node(number, lately=heard(garbled=20 if number in garbled else 0)) for number in EVERYBODY]
    assert keys(nodes, lately=Lately(answered=1_500, damaged=20 * len(garbled))) == [key]


def test_totals_of_an_evening_accuse_nobody() -> None:
    """They are statistics: only what was counted lately is judged."""
    nodes = [node(number, crc_errors=9_000, missed=9_000) for number in EVERYBODY]
    assert keys(nodes, crc_errors=9_000, missed=9_000) == []


@pytest.mark.parametrize(
    ("counts", "key"),
    [
        ({"answered": 90, "unanswered": 60}, "bus.loses_answers"),
        ({"late": 100}, "bus.answers_late"),
        ({"reassigned": 4}, "bus.asks_again"),
        ({"restarts": 3}, "bus.restarts_again"),
        ({"claims": 20}, "bus.claims_without_end"),
        ({"unanswered": 5, "late": 3, "garbled": 4, "damaged": 9, "reassigned": 2, "restarts": 2, "claims": 9}, None),
    ],
)  # fmt: skip
def test_what_a_node_has_done_lately(counts: dict[str, int], key: str | None) -> None:
    nodes = [node(1, lately=heard(**counts)), *(node(number) for number in range(2, 9))]
    assert keys(nodes) == ([] if key is None else [key])


@pytest.mark.parametrize(
    ("volts", "key"),
    [
        ([16.6] * 8, "bus.supply_low"),
        ([18.2] * 8, "bus.supply_low"),
        ([5.0] * 7 + [18.2], "bus.supply_low"),
        ([30.0] * 8, "bus.supply_high"),
        ([24.0] * 4 + [17.0] * 4, None),
        ([5.0] * 8, None),
    ],
)
def test_a_supply_that_is_not_of_24_v(volts: list[float], key: str | None) -> None:
    """B26. Nodes on USB have none; a long cable takes some of it away."""
    nodes = [node(number, supply_v=volt) for number, volt in zip(EVERYBODY, volts, strict=True)]
    assert keys(nodes) == ([] if key is None else [key])


def test_both_displays_of_a_node_have_one_cause() -> None:
    nodes = [node(1, displays=DisplaysView(sun=False, moon=False)), *(node(at) for at in range(2, 9))]
    assert keys(nodes) == ["bus.both_displays_silent"]


def test_a_late_node_accuses_no_plug_and_no_adapter() -> None:
    """Its answers run into the next request: all hear damage, and answers of others are lost."""
    hurt = heard(damaged=60, unanswered=40, garbled=30)
    nodes = [node(number, lately=hurt) for number in range(2, 9)]
    assert keys([node(1, lately=heard(late=100)), *nodes], lately=Lately(damaged=300)) == ["bus.answers_late"]


def test_what_all_tables_do_is_the_lines() -> None:
    late = [node(number, lately=heard(late=100)) for number in EVERYBODY]
    losing = [node(number, lately=heard(unanswered=60)) for number in EVERYBODY]
    assert keys(late) == ["bus.all_answer_late"]
    assert keys(losing) == ["bus.many_lose_answers"]


def test_a_few_damaged_frames_in_an_evening_are_nothing() -> None:
    nodes = [node(number, lately=heard(damaged=9)) for number in EVERYBODY]
    assert keys(nodes, lately=Lately(answered=1_500, damaged=9)) == []


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"state": "outdated", "protocols": (2, 3), "firmware": "3.0"},
            "Table A1: its firmware 3.0 speaks protocols 2 to 3, not 1: it only shows the clock; install this controller's firmware on it",
        ),
        (
            {"state": "duplicate"},
            "Table A1: two tables had its address; both get a new one, nothing needs to be done",
        ),
        (
            {"wordless": True, "firmware": "1.2"},
            "Table A1: its firmware 1.2 has no words for the hall's languages: install this controller's firmware on it; until then it shows symbols and numbers, or English",
        ),
        ({"safe_mode": True}, "Table A1: its node runs in safe mode after several restarts: replace it"),
        (
            {"displays": DisplaysView(sun=True, moon=False)},
            "Table A1: the Moon display does not answer: check its plug",
        ),
    ],
)
def test_what_a_node_says_of_itself(changes: dict[str, object], sentence: str) -> None:
    """B11, B18"""
    nodes = [structs.replace(node(1), **changes), *(node(number) for number in range(2, 9))]  # type: ignore[arg-type]
    assert all_words(diagnose([segment(*nodes)], [ROW])) == [sentence]


def test_a_spare_offers_itself_for_the_missing_board() -> None:
    spare = structs.replace(node(99), board=None)
    assert words(diagnose([replace(row(lost=(3,)), nodes=(*row(lost=(3,)).nodes, spare))], [ROW])[-1]) == (
        "Segment A: a table without a board (0000000000000063) answers: give it a board on the technician's page, "
        "maybe instead of A3"
    )


def test_many_newcomers_are_counted() -> None:
    spares = [structs.replace(node(number), board=None) for number in range(20, 24)]
    assert all_words(diagnose([replace(row(), nodes=(*row().nodes, *spares))], [ROW])) == [
        "Segment A: 4 tables without a board answer: walk the row on the technician's page to give them boards"
    ]


def test_each_segment_is_judged_by_its_own_boards() -> None:
    first = segment(*(node(number) for number in range(1, 5)))
    second = segment(*(node(number, "lost" if number > 6 else "good") for number in range(5, 9)), name="B")
    assert all_words(diagnose([first, second], [ROW])) == [
        "Segment B: tables A7 to A8 do not answer: check the cable between A6 and A7, and the power from A7 on"
    ]
