"""The tester is tested: each fault of the hall makes its check say so, and no other one."""

import pytest

from pi_controller.protocol.probes import Level
from pi_controller.selftest.catalogue import CHECKS
from pi_controller.selftest.report import SelfTestReport
from pi_controller.selftest.verdicts import Code, verdict_of
from tests.matrix import further
from tests.selftest.faults import FAULTS, Fault
from tests.selftest.hall_faults import HALL_FAULTS, HallFault, not_as_told
from tests.selftest.small_hall import SmallHall
from tests.selftest.somebody import Somebody
from tests.selftest.somebody import run as run_session


def run(hall: SmallHall, *only: Code, level: Level = "field") -> SelfTestReport:
    uid = next((table.uid for table in hall.tables_there.values() if level == "bench"), None)
    return run_session(hall, None, *only, level=level, uid=uid)


def named(fault: Fault) -> str:
    return f"{fault.code} {fault.name}"


def told(report: SelfTestReport) -> list[tuple[Code, str, str, str]]:
    """Every finding: of which check, at which part, where, with which verdict."""
    return [
        (result.code, finding.part, finding.where, verdict_of([finding]))
        for result in report.results
        for finding in result.findings
    ]


@pytest.mark.parametrize("fault", FAULTS, ids=named)
def test_each_fault_is_told_once_and_nothing_else(fault: Fault) -> None:
    hall = SmallHall(None if fault.boards is None else {"A": fault.boards})
    if fault.after:
        run(hall)
    fault.seed(hall)
    found = told(run(hall, level=fault.level))
    expected = [(fault.code, fault.part, fault.where), *fault.also]
    assert [(code, where) for code, _part, where, _verdict in sorted(found)] == [
        (code, where) for code, _part, where in sorted(expected)
    ], found
    for code, part, where in expected:
        assert any(part in one[1] for one in found if (one[0], one[2]) == (code, where)), found
    assert fault.verdict in {one[3] for one in found if one[0] == fault.code}


@pytest.mark.parametrize(
    "fault",
    [*HALL_FAULTS[::3], *further(*HALL_FAULTS[1::3], *HALL_FAULTS[2::3])],
    ids=lambda fault: fault.name,
)
def test_each_fault_of_a_hall_is_told_once_and_nothing_else(fault: HallFault) -> None:
    """In a large hall with parts as they may come."""
    assert not_as_told(fault, None if fault.boards is None else 5) == ([], [])


@pytest.mark.parametrize("mended", [True, False])
def test_exchanged_boards_condemn_no_cable_whether_they_are_mended_or_left(*, mended: bool) -> None:
    """What is told after the walk is told of the place where it is, whatever the roster says."""
    hall = SmallHall({"A": 14})
    hall.exchange("A7", "A8")
    hall.power.extra_ohm["A5"] = 2.0
    hall.tables_there["A8"].crossed = True
    report = run_session(hall, Somebody(hall, fixes=mended))
    assert [(code, part, where) for code, part, where, _verdict in told(report)] == [
        ("CLM", "the nodes of boards A7 and A8", "A7"),
        ("CLM", "the node of board A8", "A8"),
        ("VBS", "the cable between A4 and A5", "A5"),
    ]
    there = {board.name: (board.node, board.swapped) for board in hall.kept_roster.boards}
    uid = hall.tables_there["A8"].uid
    assert there["A8" if mended else "A7"] == (uid, mended)


def test_every_check_has_a_fault() -> None:
    assert {fault.code for fault in FAULTS} == set(CHECKS)


@pytest.mark.parametrize("level", ["boot", "field"])
def test_a_healthy_hall_passes(level: Level) -> None:
    report = run(SmallHall(), level=level)
    assert {result.code: result.sentence for result in report.results if result.verdict != "passed"} == {}
    assert report.verdict == "passed"


def test_a_healthy_node_passes_on_the_bench() -> None:
    hall = SmallHall({"A": 1})
    report = run(hall, level="bench")
    odd = {result.code: result.verdict for result in report.results if result.verdict != "passed"}
    assert odd == {"LPB": "skipped"}, report.results
