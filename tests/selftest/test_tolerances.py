"""Parts differ within their data sheets: no healthy hall may be blamed for it, and faults must still be found."""

from itertools import pairwise

import pytest

from pi_controller.selftest.checks.falls import Fall, fed_by
from tests.selftest.small_hall import SmallHall
from tests.selftest.somebody import run
from tests.selftest.tolerances import unlike_passed

ROWS = {"A": 20, "B": 20}


@pytest.mark.parametrize("seed", range(3))
def test_a_healthy_hall_of_forty_boards_passes_whatever_its_parts(seed: int) -> None:
    assert unlike_passed(run(SmallHall(ROWS, seed=seed))) == []


def test_readings_without_load_differ_more_than_the_step_that_is_looked_for() -> None:
    """Why the supply is judged by differences: 0.4 V between neighbours is nothing to uncalibrated boards."""
    volts = [node.supply_v for node in SmallHall(ROWS, seed=1).seen().nodes]
    assert sum(first - second > 0.4 for first, second in pairwise(volts)) >= 2


@pytest.mark.parametrize(("label", "told"), [("A2", "A1"), ("A6", "A6"), ("B13", "B13")])
def test_a_hop_of_one_ohm_more_is_found_among_them(label: str, told: str) -> None:
    hall = SmallHall(ROWS, seed=7)
    hall.power.extra_ohm[label] = 1.0
    (alarm,) = [found for found in run(hall).results if found.verdict != "passed"]
    assert (alarm.code, [found.where for found in alarm.findings]) == ("VBS", [told])


def test_one_broken_wire_of_two_is_found_although_gains_differ_by_more() -> None:
    """It makes 0.05 V; gains of 3 % make 0.02 V of the falls beside it."""
    for seed in range(4):
        hall = SmallHall(ROWS, seed=seed)
        hall.power.broken_wires.add("B6")
        (found,) = run(hall, None, "VBS").results
        assert (found.verdict, [one.where for one in found.findings]) == ("warning", ["B6"])


def test_a_fall_is_measured_by_the_reading_without_load() -> None:
    """Of a row of ten, fed in its middle, of which every third board reads 3 % too much."""
    amps, ohm = 0.06, 0.31
    falls = []
    for place in range(10):
        beyond = [4 - place, place - 5][place > 4]
        volts = amps * ohm * sum(range(5 - beyond, 6))
        gain = 1.03 if place % 3 == 0 else 1.0
        falls.append(
            Fall(
                reads=4,
                rest_v=gain * (24 - volts / 3),
                parts=(gain * volts,),
                rest_amps=amps / 3,
                amps=amps,
                noise_v=0.01,
            )
        )
    steps = [step for step in fed_by(falls)[1] if not step.back]
    assert len(steps) == 8
    assert [step.volts / step.amps for step in steps] == pytest.approx([ohm] * 8, rel=0.01)


@pytest.mark.parametrize("change", [{"protocol": 5}, {"answers": False}])
def test_behind_a_board_that_tells_nothing_two_cables_are_no_bad_one(change: dict[str, object]) -> None:
    hall = SmallHall(ROWS, seed=3)
    for name, value in change.items():
        setattr(hall.tables_there["A7"], name, value)
    hall.power.extra_ohm["A9"] = 1.0
    (found,) = run(hall, None, "VBS").results
    assert [one.where for one in found.findings] == ["A9"]


def test_a_doubtful_hop_is_read_again_and_no_other() -> None:
    quiet, doubtful = SmallHall(ROWS, seed=1), SmallHall(ROWS, seed=1)
    doubtful.power.spread["A6"] = 1.3
    for hall in (quiet, doubtful):
        assert unlike_passed(run(hall, None, "VBS")) == []
    asked = [hall.calls.count("bus") for hall in (quiet, doubtful)]
    assert asked[1] > 3 * asked[0]
