"""What a node cannot do, and what an earlier check tells of it, takes it out of every check that needs it."""

from typing import get_args

import pytest

from pi_controller.protocol.probes import Level
from pi_controller.selftest.catalogue import CHECKS
from pi_controller.selftest.hall import LACKING, Ability
from pi_controller.selftest.report import SelfTestReport
from pi_controller.selftest.verdicts import Code
from tests.selftest.faults import Seed, bench, table
from tests.selftest.small_hall import SmallHall
from tests.selftest.small_tables import FIRMWARE
from tests.selftest.somebody import run

OLD = {"tests": False, "protocol": 1, "firmware": "1.0", "measures": False}
"""It does nothing of what a test orders."""
ON_USB = {
    "supply_v": 4.4,
    "measures": False,
    "protocol": 6,
    "dead_lamps": {0, 1, 2, 3},
    "dead_buttons": {"moon"},
    "deaf_to_loop": True,
}
"""A Pico on a breadboard: one button, one display that both sides share, no lamps and no sensors."""
WITHOUT: dict[Ability, dict[str, object]] = {
    "steady": {"safe_mode": True, "dark": {"sun", "moon"}, "dead_lamps": {0, 1, 2, 3}, "loss": 0.5},
    "tests": OLD,
    "supply": ON_USB,
    "line": {"loss": 0.5},
}
TELLS_IT: dict[Ability, set[Code]] = {"steady": {"CEN"}, "tests": {"CEN"}, "supply": set(), "line": {"BER"}}


def accused(report: SelfTestReport, board: str) -> set[Code]:
    return {result.code for result in report.results for one in result.findings if one.where == board}


@pytest.mark.parametrize("level", ["field", "bench"])
@pytest.mark.parametrize("ability", get_args(Ability))
def test_no_check_accuses_a_node_of_what_it_cannot_do(ability: Ability, level: Level) -> None:
    """Of all checks of a level the one accuses it that finds out, and each other that needs it says nothing."""
    hall = SmallHall()
    seed: Seed = table("A2", **WITHOUT[ability])
    seed(hall)
    uid = hall.tables_there["A2"].uid if level == "bench" else None
    report = run(hall, None, level=level, uid=uid)
    assert accused(report, "A2") == TELLS_IT[ability]
    needing = {code for code, check in CHECKS.items() if ability in (check.of_a_node or ())}
    silent = {
        result.code
        for result in report.results
        if result.verdict == "not_fitted" or "selftest.not_tested_here" in {one.key for one in result.values}
    }
    assert {code for code in needing if level in CHECKS[code].levels} - silent == set()


def test_every_ability_has_its_words_and_a_check_that_needs_it() -> None:
    needed = {ability for check in CHECKS.values() for ability in check.of_a_node or ()}
    assert set(LACKING) == needed == set(get_args(Ability)) == set(WITHOUT)


@pytest.mark.parametrize("level", ["field", "bench"])
def test_the_simplest_node_passes_and_its_kind_is_told(level: Level) -> None:
    hall = SmallHall({"A": 1})
    bench(**ON_USB)(hall)
    hall.needs_terminator = False
    report = run(hall, None, level=level, uid=hall.tables_there["A1"].uid if level == "bench" else None)
    told = [(result.code, result.sentence) for result in report.results if result.findings]
    assert told == []
    census = next(result for result in report.results if result.code == "CEN")
    assert [value.value for value in census.values if value.key == "selftest.lacks_supply"] == ["A1"]
    assert {result.code for result in report.results if result.verdict == "not_fitted"} >= {"VBS", "LED"}
    assert hall.tables_there["A1"].firmware == FIRMWARE
