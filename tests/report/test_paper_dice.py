from dataclasses import replace
from itertools import islice
from random import Random

from pi_controller.game.rule_sets import CONNECT
from pi_controller.game.turn_order import Due
from pi_controller.report.fallback import drawn

FIRST = Due(1, 0, "sun")


def test_the_list_follows_the_rules_of_the_game() -> None:
    rolls = list(drawn(CONNECT, FIRST, count=400, source=Random(1)))
    assert all(sum(roll.dice) != 7 for roll in rolls[:10])
    rounds = [roll for roll in rolls if roll.coming.phase == "round"]
    assert [roll.coming.round for roll in rounds] == list(range(1, len(rounds) + 1))
    assert [roll.coming.seat for roll in islice(rounds, 3)] == ["sun", "moon", "sun"]
    robbers = [roll for roll in rolls if roll.coming.phase == "robber"]
    assert {sum(roll.dice) for roll in robbers} == {7}
    assert {roll.target for roll in robbers} <= set(CONNECT.robber_targets)
    assert "desert" in {roll.target for roll in robbers}
    assert all(roll.target is None for roll in rounds)


def test_it_goes_on_where_the_game_stood() -> None:
    (roll,) = drawn(CONNECT, Due(12, 1, "moon"), count=1, source=Random(2))
    assert roll.coming.round in {11, 12}


def test_without_consecutive_sevens_none_follows_another() -> None:
    rules = replace(CONNECT, allow_consecutive_sevens=False, robber_target_draw="uniform")
    rolls = list(drawn(rules, Due(11, 0, "sun"), count=400, source=Random(3)))
    phases = "".join(roll.coming.phase[1] for roll in rolls)
    assert "o" in phases
    assert "robber robber" not in " ".join(roll.coming.phase for roll in rolls)
