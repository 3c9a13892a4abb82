"""The tester is tested: each fault of the hall makes its check say so, and no other one."""

from collections.abc import Iterator

import pytest

from pi_controller.protocol.probes import Level
from pi_controller.selftest.catalogue import CHECKS
from pi_controller.selftest.report import SelfTestReport
from pi_controller.selftest.verdicts import Code
from tests.selftest.faults import FAULTS, Fault
from tests.selftest.small_hall import SmallHall
from tests.selftest.somebody import run as run_session

NO_PASS = {"failed", "warning"}


def run(hall: SmallHall, *only: Code, level: Level = "field") -> SelfTestReport:
    uid = next(iter(hall.tables_there.values())).uid if level == "bench" else None
    return run_session(hall, None, *only, level=level, uid=uid)


def named(fault: Fault) -> str:
    return f"{fault.code} {fault.name}"


def found(report: SelfTestReport) -> Iterator[tuple[Code, str]]:
    return ((result.code, result.verdict) for result in report.results if result.verdict in NO_PASS)


@pytest.mark.parametrize("fault", FAULTS, ids=named)
def test_each_fault_is_found_by_its_check_alone(fault: Fault) -> None:
    hall = SmallHall(None if fault.boards is None else {"A": fault.boards})
    if fault.after:
        run(hall)
    fault.seed(hall)
    if fault.code == "MRG":
        hall.margin_loss = 0.05
    report = run(hall, *((fault.code,) if fault.only else ()), level=fault.level)
    assert list(found(report)) == [(fault.code, fault.verdict)]
    (result,) = [result for result in report.results if result.code == fault.code]
    finding = result.findings[0]
    assert fault.part in finding.part
    assert finding.where == fault.where
    assert finding.sentence.endswith(".")


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
