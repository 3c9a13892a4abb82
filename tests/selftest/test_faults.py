"""The tester is tested: each fault of the hall makes its check say so, and no other one."""

import pytest

from pi_controller.protocol.probes import Level
from pi_controller.selftest.catalogue import CHECKS
from pi_controller.selftest.report import SelfTestReport
from pi_controller.selftest.verdicts import Code, verdict_of
from tests.selftest.faults import FAULTS, Fault
from tests.selftest.hall_faults import HALL_FAULTS, HallFault, Told
from tests.selftest.small_hall import SmallHall
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


@pytest.mark.parametrize("fault", HALL_FAULTS, ids=lambda fault: fault.name)
def test_each_fault_of_a_hall_is_told_once_and_nothing_else(fault: HallFault) -> None:
    hall = SmallHall(fault.boards, seed=None if fault.boards is None else 5)
    fault.seed(hall)
    found = [
        Told(result.code, one.where, one.part_key.key, one.sentence_key.key, verdict_of([one]))
        for result in run(hall).results
        for one in result.findings
        if one.part_key is not None and one.sentence_key is not None
    ]
    assert sorted(found) == sorted(fault.told)


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
