import pytest

from pi_controller.game.rule_sets import CONNECT
from pi_controller.report.figures import SUMS, WAYS, distribution
from tests.replay.test_recorded_dice import phase


def test_36_rolls_with_sevens_are_expected_as_two_dice_fall() -> None:
    told = distribution([phase(11, 0, (1, 1))] * 36, CONNECT)
    assert {one.sum: one.expected for one in told} == {total: WAYS[total] for total in SUMS}
    assert [one.count for one in told] == [36] + [0] * 10


def test_where_a_7_is_drawn_again_none_is_expected() -> None:
    told = distribution([phase(10, 0, (6, 6))] * 30, CONNECT)
    assert {one.sum: one.expected for one in told} == {**WAYS, 7: 0}


def test_the_expected_counts_add_up_to_the_rolls() -> None:
    told = distribution([phase(number, 0, (2, 3)) for number in range(1, 21)], CONNECT)
    assert sum(one.expected for one in told) == pytest.approx(20, abs=0.01)
