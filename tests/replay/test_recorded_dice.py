import pytest

from pi_controller.game.dice import Roll, Target
from pi_controller.game.events import PhaseBegan
from pi_controller.game.game import terms
from pi_controller.game.rule_sets import CONNECT
from pi_controller.replay.changes import RecordedDice


def phase(due_round: int, draw: int, dice: tuple[int, int]) -> PhaseBegan:
    robber = sum(dice) == 7
    return PhaseBegan(
        phase="robber" if robber else "round",
        round=due_round - robber,
        due_round=due_round,
        side=None if robber else "sun",
        dice=dice,
        draw=draw,
        robber_target=9 if robber else None,
        robber_dice=(4, 5) if robber else None,
        began_ns=0,
        duration_ns=1,
    )


DICE = RecordedDice.of(
    "g1", terms(CONNECT, 2), commitment="c" * 64, began=[phase(12, 0, (3, 4)), phase(12, 1, (6, 6))]
)


def test_each_roll_is_the_one_that_was_seen() -> None:
    assert DICE.round_roll(12, 0) == Roll((3, 4), 0)
    assert DICE.robber_target(12, 0) == Target(9, (4, 5))
    assert DICE.round_roll(12, 1) == Roll((6, 6), 1), "after the robber phase of the same round"
    assert DICE.with_word("duck").round_roll(12, 1) == Roll((6, 6), 1)
    assert DICE.commitment == "c" * 64


def test_what_nobody_saw_is_not_known() -> None:
    with pytest.raises(ValueError, match="nobody saw"):
        DICE.round_roll(12, 2)
    with pytest.raises(ValueError, match="nobody saw"):
        DICE.robber_target(12, 1)
