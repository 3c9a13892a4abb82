"""Samples of the long runs: `make rules`, `make rules-classic` and `make undo`."""

import pytest

from tests.game import classic_run, many_games, rules_run, undo_run
from tests.game.many_games import outcome


@pytest.mark.parametrize(
    ("run", "games", "least"),
    [(rules_run, 12, 50), (classic_run, 12, 100), (undo_run, 60, 100)],
    ids=["rules", "classic", "undo"],
)
def test_games_agree_with_the_reference(run, games, least):
    results = [outcome(run.Pair, number) for number in range(1, games + 1)]
    assert [difference for difference, _ in results if difference] == []
    assert sum(compared[0] for _, compared in results) >= least


@pytest.mark.matrix
def test_the_command_compares_games_on_all_processors(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["rules_run", "--games", "10"])
    assert many_games.main(rules_run.Pair, about="", games=10, agreed="{} games agree") == 0
    assert "10 games agree" in capsys.readouterr().out
