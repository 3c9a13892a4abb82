"""Rolls for a hall without electricity: other dice than those of the game. Pure but for their source."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from pi_controller.game.rule_sets import RuleSet
from pi_controller.game.turn_order import Due, NextPhase
from pi_controller.vocabulary import Target


@dataclass(frozen=True, slots=True)
class PaperRoll:
    """A line of the list: what it begins, and in a robber phase where the robber goes."""

    coming: NextPhase
    dice: tuple[int, int]
    target: Target | None


def drawn(rules: RuleSet, due: Due, *, count: int, source: Random) -> Iterator[PaperRoll]:
    """So many lines by the rules of the game, from what is due next on; `source` rolls them."""
    for _ in range(count):
        again = due.draw > 0 and not rules.allow_consecutive_sevens
        dice = _dice(source)
        while sum(dice) == 7 and (due.round <= rules.rounds_without_seven or again):
            dice = _dice(source)
        coming = rules.order.next_phase(due, dice, due.draw)
        yield PaperRoll(coming, dice, _target(rules, source) if coming.phase == "robber" else None)
        due = coming.after


def _dice(source: Random) -> tuple[int, int]:
    return source.randint(1, 6), source.randint(1, 6)


def _target(rules: RuleSet, source: Random) -> Target:
    if rules.robber_target_draw == "uniform":
        return source.choice(rules.robber_targets)
    while True:
        total = sum(_dice(source))
        target: Target = "desert" if total == 7 else total
        if target in rules.robber_targets:
            return target
