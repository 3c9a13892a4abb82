"""A sample of `make foresight`."""

from tests.core.game_loop.foresight_run import Pair
from tests.game.many_games import outcome


def test_nothing_that_is_told_or_foreseen_depends_on_an_unseen_roll():
    results = [outcome(Pair, number) for number in range(1, 21)]
    assert [difference for difference, _ in results if difference] == []
    previews, messages = (sum(counts) for counts in zip(*(compared for _, compared in results), strict=True))
    assert previews > 1_500
    assert messages > 1_500
