"""A classic game that is killed anywhere comes back paused, where the table saw it last."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from pi_controller.game.commands import Step
from pi_controller.game.rule_sets import CLASSIC, CLASSIC_SEATS, RuleSet
from tests.core.disk import DiskHall, DyingFiles
from tests.core.hall import accepted
from tests.core.hand import S
from tests.matrix import paired

UNTIMED = replace(CLASSIC, sides=CLASSIC_SEATS[:5], building_ms=30_000)
TIMED = replace(UNTIMED, schedule=(Step(1, 90),))
FOUNDED = 10
"""Presses until turn 1 is to be rolled for."""
STEPS = {
    "the first founding": 0,
    "founding there": 4,
    "founding back": 5,
    "the last founding": 9,
    "to roll": FOUNDED,
    "rolled": FOUNDED + 1,
    "building": FOUNDED + 2,
    "the next turn": FOUNDED + 3,
    "later": FOUNDED + 16,
}
SHOWN = ("phase", "round", "side", "next_side", "dice", "sum", "remaining_ms", "duration_ms")


def begun(tmp_path: Path, rules: RuleSet, files: DyingFiles | None = None) -> DiskHall:
    hall = DiskHall(tmp_path, files=files, rules=rules)
    hall.log.prompt = True
    hall.ask("start")
    hall.move(0)
    return hall


def go(hall: DiskHall, presses: int) -> None:
    for _ in range(presses):
        assert accepted(hall.ask("turn"))
        hall.move(5 * S)


def shown(picture: Any) -> dict[str, Any]:
    turn = picture.turn
    seen = {name: getattr(picture, name) for name in SHOWN}
    return seen | {
        "to_roll": turn.to_roll,
        "building": turn.building,
        "placed": turn.placed,
        "ms": turn.elapsed_ms,
    }


@paired(presses=list(STEPS.values()), rules=[UNTIMED, TIMED])
def test_a_killed_game_comes_back_where_the_table_saw_it(
    tmp_path: Path, presses: int, rules: RuleSet
) -> None:
    hall = begun(tmp_path, rules)
    hall.log.prompt = True
    go(hall, presses)
    hall.move(3 * S)
    hall.beat()
    seen = shown(hall.loop.picture())
    later = hall.again(after_ns=9 * S)
    assert shown(later.loop.picture()) == seen
    assert (later.picture.paused, later.picture.pause_reasons) == (True, ["recovery"])
    later.log.prompt = True
    assert accepted(later.ask("resume"))
    later.move(3 * S)
    assert accepted(later.ask("turn"))


@paired(
    presses=list(STEPS.values()), case=[(rules, lost) for rules in (UNTIMED, TIMED) for lost in (1, 2, 3, 7)]
)
def test_turns_that_no_disk_took_are_made_up_for(
    tmp_path: Path, presses: int, case: tuple[RuleSet, int]
) -> None:
    rules, lost = case
    files = DyingFiles()
    hall = begun(tmp_path, rules, files)
    for _ in range(presses):
        hall.ask("turn")
        hall.move(5 * S)
    hall.log.prompt = False
    files.dead = True
    for _ in range(lost):
        hall.ask("turn")
        hall.move(5 * S)
    hall.beat()
    seen = shown(hall.loop.picture())
    hall.hear_trouble()
    later = hall.again()
    assert shown(later.loop.picture()) == seen
    assert later.picture.paused
    again = later.again()
    assert shown(again.loop.picture()) == seen, "the journal has it now"


def test_a_claim_that_is_open_stays_open(tmp_path: Path) -> None:
    hall = begun(tmp_path, UNTIMED)
    hall.log.prompt = True
    go(hall, FOUNDED + 1)
    assert accepted(hall.ask("claim", {"side": hall.picture.side}))
    hall.beat()
    later = hall.again()
    assert [one.status for one in later.picture.claims] == ["open"]
    assert {*later.picture.pause_reasons} == {"claim", "recovery"}
    assert later.picture.claims == hall.picture.claims
