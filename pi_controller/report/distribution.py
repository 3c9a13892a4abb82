"""How often each sum came, beside how often it is to be expected by the rules of the game. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction

from pi_controller.game.events import PhaseBegan
from pi_controller.game.rule_sets import RuleSet
from pi_controller.protocol.game_report import SumCount

SUMS = range(2, 13)
WAYS: Mapping[int, int] = {total: 6 - abs(7 - total) for total in SUMS}
"""Of 36."""


def distribution(rolls: Iterable[PhaseBegan], rules: RuleSet) -> list[SumCount]:
    """Of these rolls; where a 7 is drawn again (rule C7) the other sums keep their proportions."""
    seen = list(rolls)
    counts = Counter(sum(roll.dice) for roll in seen)
    return [
        SumCount(
            sum=total,
            count=counts[total],
            expected=round(float(sum(_chance(total, roll, rules) for roll in seen)), 3),
        )
        for total in SUMS
    ]


def _chance(total: int, roll: PhaseBegan, rules: RuleSet) -> Fraction:
    again = roll.draw > 0 and not rules.allow_consecutive_sevens
    if roll.due_round > rules.rounds_without_seven and not again:
        return Fraction(WAYS[total], 36)
    return Fraction(0 if total == 7 else WAYS[total], 36 - WAYS[7])
