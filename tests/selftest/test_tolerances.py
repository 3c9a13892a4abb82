"""Parts differ within their data sheets: no healthy hall may be blamed for it, and faults must still be found."""

import pytest

from pi_controller.selftest.report import Report
from pi_controller.selftest.session import Session
from tests.selftest.small_hall import SmallHall
from tests.selftest.somebody import Somebody

ROWS = {"A": 20, "B": 20}


def field_test(hall: SmallHall) -> Report:
    return Session(
        level="field",
        who="Ada",
        probes=hall,
        operator=Somebody(hall),
        now=hall.now,
        seconds=hall.clock,
        pause=hall.pause,
    ).run()


def alarms(report: Report) -> list[tuple[str, str]]:
    return [(found.code, found.sentence) for found in report.results if found.verdict != "passed"]


@pytest.mark.parametrize("seed", range(3))
def test_a_healthy_hall_of_forty_boards_passes_whatever_its_parts(seed: int) -> None:
    assert alarms(field_test(SmallHall(ROWS, seed=seed))) == []


def test_readings_without_load_differ_more_than_the_step_that_is_looked_for() -> None:
    """Why the supply is judged by differences: 0.4 V between neighbours is nothing to uncalibrated boards."""
    volts = [node.supply_v for node in SmallHall(ROWS, seed=1).tables().nodes]
    assert sum(first - second > 0.4 for first, second in zip(volts, volts[1:], strict=False)) >= 3


@pytest.mark.parametrize("label", ["A2", "A6", "B13"])
def test_a_hop_of_one_ohm_more_is_found_among_them(label: str) -> None:
    hall = SmallHall(ROWS, seed=7)
    hall.power.extra_ohm[label] = 1.0
    (alarm,) = [found for found in field_test(hall).results if found.verdict != "passed"]
    assert (alarm.code, [found.where for found in alarm.findings]) == ("VBS", [label])
