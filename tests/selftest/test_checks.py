"""Limits of single checks, and what they do where a part is not there."""

import pytest
from msgspec.structs import replace

from pi_controller.bus.values import PATTERNS, IdentifyWhat
from pi_controller.protocol.probes import Edge, Inputs, Level, TablePress
from pi_controller.selftest.checks.panel import contradictions_ms, durations_ms, histogram
from pi_controller.selftest.checks.walk import WalkedBoard, exchanged
from pi_controller.selftest.operator import OperatorReply
from pi_controller.selftest.verdicts import CheckResult, Code, Verdict
from pi_controller.vocabulary import Side
from tests.selftest.faults import Seed, volts, writable_root
from tests.selftest.small_hall import SmallHall
from tests.selftest.small_panel import MS
from tests.selftest.somebody import Somebody
from tests.selftest.somebody import run as run_session


def run(
    hall: SmallHall, code: Code, *, level: Level = "field", operator: Somebody | None = None
) -> CheckResult:
    uid = hall.tables_there["A1"].uid if level == "bench" and "A1" in hall.tables_there else None
    return run_session(hall, operator, code, level=level, uid=uid).results[0]


def empty() -> SmallHall:
    hall = SmallHall({"A": 1})
    hall.tables_there.clear()
    hall.kept_roster = type(hall.kept_roster)()
    hall.panel.fitted.segments = []
    hall.panel.ports = []
    hall.panel.fitted.display = hall.panel.fitted.sound = None
    hall.panel.fitted.buzzer = False
    return hall


NEEDS = "HRN SND OLD PRT FTD CEN BER LAT VBS NTP LED CLM LPB MRG DRF WDG PUL"


@pytest.mark.parametrize("code", NEEDS.split())
def test_what_is_not_there_is_not_fitted(code: Code) -> None:
    result = run(empty(), code)
    assert (result.verdict, result.sentence[-1]) == ("not_fitted", ".")


def test_no_battery_clock_was_ever_there() -> None:
    hall = SmallHall()
    hall.panel.change_clock(rtc=None, rtc_runs=None, rtc_ahead_s=None)
    assert run(hall, "RTC").verdict == run(hall, "BAT").verdict == "not_fitted"


def test_a_writable_root_that_was_never_read_only_is_not_fitted() -> None:
    hall = SmallHall()
    writable_root(hall)
    assert run(hall, "ROO").verdict == "not_fitted"


@pytest.mark.parametrize(
    ("code", "seed"),
    [
        ("VBS", volts(24.0, 23.8, 24.6, 24.4)),  # a step up is the next supply zone
        ("PSB", lambda hall: setattr(hall.panel.fitted, "contacts", "no")),
        ("PUL", lambda _hall: None),
    ],
)
def test_what_is_in_order_passes(code: Code, seed: Seed) -> None:
    hall = SmallHall()
    seed(hall)
    assert run(hall, code).verdict == "passed"


@pytest.mark.parametrize(
    ("code", "question", "answer", "verdict"),
    [
        ("BAT", "without power", "no", "skipped"),
        ("UPS", "Has the controller", "no", "not_fitted"),
        ("PSB", "Press the pause button", "done", "failed"),  # nobody pressed
        ("PUL", "Pull a cable", "done", "skipped"),  # nobody pulled
        ("LED", "lit: Sun, Moon", "not", "failed"),  # and did not say where
    ],
)
def test_an_answer_to_which_nothing_was_done(
    code: Code, question: str, answer: str, verdict: Verdict
) -> None:
    hall = SmallHall()
    hall.tables_there["A2"].measures = False
    operator = Somebody(hall)
    operator.instead[question] = OperatorReply(answer=answer)
    level: Level = "bench" if code == "BAT" else "field"
    assert run(hall, code, level=level, operator=operator).verdict == verdict


def test_a_node_that_knows_no_hanging_is_left_out() -> None:
    hall = SmallHall()
    hall.tables_there["A1"].tests = False
    result = run(hall, "WDG", level="bench")
    assert result.verdict == "skipped"
    assert "has no tests" in result.sentence


def test_a_terminator_behind_a_silent_board_is_not_blamed() -> None:
    hall = SmallHall({"A": 4})
    hall.tables_there["A4"].answers = False
    assert run(hall, "SPR").verdict == "passed", "the wire goes through a node that is off"
    hall.terminator = False
    found = run(hall, "SPR")
    assert (found.verdict, found.findings, found.values[0].value) == ("skipped", (), 0)
    assert found.sentence == (
        "No board of segment A detects the terminator, and board A4 behind them does not answer: fix that first, "
        "then test the wire again."
    )


def test_an_unknown_press_is_told() -> None:
    hall = SmallHall()
    hall.tables_there["X1"] = type(hall.tables_there["A1"])("X1", "00000000000000dd")
    assert "00000000000000dd" in str(run(hall, "CLM").findings)


@pytest.mark.parametrize("code", ["CLM", "LED", "OLD"])
def test_a_board_that_does_not_answer_has_not_passed(code: Code) -> None:
    hall = SmallHall()
    hall.tables_there["B2"].answers = False
    result = run(hall, code)
    assert result.verdict == "warning"
    assert "Board B2 does not answer and was not tested." in str(result.findings)


@pytest.mark.parametrize("code", ["CLM", "LED"])
def test_a_hall_in_which_no_table_answers_has_not_passed(code: Code) -> None:
    hall = SmallHall()
    for table in hall.tables_there.values():
        table.answers = False
    assert len(run(hall, code).findings) == len(hall.tables_there)


@pytest.mark.parametrize(
    ("pressed", "pairs"),
    [
        ("abcdef", ()),
        ("fedcba", ()),
        ("acbdef", (("b", "c"),)),
        ("fedbca", (("c", "b"),)),
        ("abdef", ()),
        ("adcbef", (("b", "d"),)),
        ("badcef", (("a", "b"), ("c", "d"))),
        ("bcaedf", None),
        ("", ()),
    ],
)
def test_the_order_of_presses_tells_exchanged_boards(pressed: str, pairs: object) -> None:
    assert exchanged(list("abcdef"), list(pressed)) == pairs


def edge(contact: str, closed: bool, at_ms: float) -> Edge:
    return Edge(contact=contact, closed=closed, at_ns=int(at_ms * MS), trusted=True)  # type: ignore[arg-type]


def test_bounces_are_measured_for_each_movement() -> None:
    edges = [
        edge("no", True, 0),
        edge("no", False, 1),
        edge("no", True, 3),
        edge("no", False, 200),
        edge("nc", False, 1),
    ]
    assert durations_ms(edges) == [3.0, 0.0, 0.0]
    bars = {bar.label: bar.count for bar in histogram([3.0, 0.0, 0.0, 25.0]).bars}
    assert (bars["to 0.1"], bars["to 5"], bars["over 20"]) == (2, 1, 1)


def test_an_edge_that_came_without_its_time_makes_no_bounce_longer() -> None:
    hall = SmallHall()

    class Untimed(Somebody):
        async def _press(self, live: object) -> None:
            for _ in range(20):
                hall.press_button()
                last = hall.panel.edges[-1]
                hall.panel.edges.append(replace(last, at_ns=last.at_ns + 30 * MS, trusted=False))

    result = run(hall, "BNC", operator=Untimed(hall))
    assert result.verdict == "passed"
    values = {value.name: value.value for value in result.values}
    assert values["bounce, longest"] == 1.0
    assert values["edges without a usable time"] == 20


def test_contradictions_of_the_contacts() -> None:
    rest = Inputs(no_closed=False, nc_closed=True, now_ns=0)
    edges = [edge("nc", False, 0), edge("no", True, 130), edge("no", False, 300), edge("nc", True, 310)]
    assert contradictions_ms(rest, edges) == (130.0, 0.0)
    welded = [edge("no", True, 0), edge("no", False, 150)]
    assert contradictions_ms(rest, welded) == (0.0, 150.0)


def test_on_the_bench_only_its_one_table_is_white_all_over() -> None:
    white_at: list[str | None] = []

    class Noting(SmallHall):
        def identify(self, uid: str | None, *, what: IdentifyWhat, seconds: int, number: int = 0) -> None:
            if (what, number) == ("pattern", PATTERNS.index("white")):
                white_at.append(uid)
            super().identify(uid, what=what, seconds=seconds, number=number)

    hall = Noting({"A": 14})
    assert run(hall, "OLD", level="bench").verdict == "passed"
    assert white_at == [hall.tables_there["A1"].uid]


@pytest.mark.parametrize("numbered", [True, False])
@pytest.mark.parametrize(
    ("pressed", "turned"),
    [
        (["sun", "moon"], False),
        (["moon", "sun"], True),
        (["moon", "sun", "sun"], True),  # in the middle of the second try
        (["moon", "sun", "sun", "moon"], False),  # the wrong button had been pressed
        (["moon", "sun", "moon", "sun"], True),  # the node does stand the other way round
        (["sun", "moon", "moon"], False),
        (["sun", "sun", "moon"], False),
    ],
)
def test_the_newest_pair_of_presses_says_how_a_node_stands(
    numbered: bool, pressed: list[Side], turned: bool
) -> None:
    heard = WalkedBoard("A1", "A", numbered=numbered)
    for at_ms, side in enumerate(pressed):
        press = TablePress(uid="01", board="A1", side=side, at_ms=1000.0 * at_ms, acknowledged_ms=None)
        heard.take(press)
        if numbered:
            heard.take(replace(press, acknowledged_ms=press.at_ms + 5))
    assert heard.turned is turned


@pytest.mark.parametrize(
    ("rows", "bad", "parts"),
    [
        ({"A": 3}, "A1 A2 A3", ["the adapter, the first cable or a terminator of segment A"]),
        ({"A": 2}, "A1 A2", ["the node of board A1", "the node of board A2"]),
        ({"A": 2, "B": 1}, "A1 A2", ["the node of board A1", "the node of board A2"]),
        ({"A": 3, "B": 1}, "A2 A3", ["the cable between A1 and A2"]),
        ({"A": 3, "B": 1}, "A3", ["the node of board A3"]),
    ],
    ids=["a whole segment", "a segment of two", "a whole row", "the end of a row", "the last of a row"],
)
def test_what_is_likely_to_be_bad(rows: dict[str, int], bad: str, parts: list[str]) -> None:
    hall = SmallHall(rows)
    for label in bad.split():
        hall.tables_there[label].loss = 0.5
    assert [finding.part for finding in run(hall, "BER").findings] == parts
