"""A sample of `make undo`."""

from tests.game.many_games import outcome
from tests.game.undo_run import Pair


def test_corrected_games_are_those_in_which_only_the_intended_commands_were_given():
    results = [outcome(Pair, number) for number in range(1, 251)]
    assert [difference for difference, _ in results if difference] == []
    assert sum(corrections for _, (corrections,) in results) > 500
