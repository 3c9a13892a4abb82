"""Samples of the long runs: `make rules`, `make rules-classic` and `make undo`."""

import pytest

from pi_controller.game import actions
from tests.game import classic_run, many_games, rules_run, undo_run
from tests.game.many_games import outcome


def agree(run, games, least):
    results = [outcome(run.Pair, number) for number in range(1, games + 1)]
    assert [difference for difference, _ in results if difference] == []
    assert sum(compared[0] for _, compared in results) >= least


@pytest.mark.parametrize(("run", "least"), [(rules_run, 100), (classic_run, 200)])
def test_games_agree_with_the_reference(run, least):
    agree(run, 24, least)


@pytest.mark.parametrize("every", [1, 3, 32])
def test_every_correction_gives_the_game_in_which_only_the_intended_was_done(monkeypatch, every):
    """Whatever states are kept to fold from."""
    monkeypatch.setattr(actions, "KEPT_EVERY", every)
    agree(undo_run, 25, 40)


@pytest.mark.matrix
def test_the_command_compares_games_on_all_processors(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["rules_run", "--games", "10"])
    assert many_games.main(rules_run.Pair, about="", games=10, agreed="{} games agree") == 0
    assert "10 games agree" in capsys.readouterr().out
