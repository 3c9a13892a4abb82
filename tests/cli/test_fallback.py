import io
from pathlib import Path

import pytest

from pi_controller.cli.main import main
from pi_controller.journal.exports import export_lines
from pi_controller.journal.witnesses import games
from tests.cli.conftest import Run
from tests.paper.reading import pages
from tests.report.played import recorded


def test_paper_is_made_without_core_and_with_or_without_a_game(state: Path, tmp_path: Path, run: Run) -> None:
    target = tmp_path / "fallback.pdf"
    assert (
        run("fallback", "-o", target, "--rolls", "5", "--sheets", "1").err
        == f"{target}: 5 lines of dice and 1 claim sheets.\n"
    )
    recorded(state)
    run("fallback", "-o", target, "--rolls", "0")
    assert "the game is over" in pages(target.read_bytes())[0]


def test_a_part_of_it_is_made_of_the_lines_that_are_given(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    recorded(state)
    (game,) = games(state)
    lines = b"".join(export_lines(state, game.game_id))
    told = {}
    for part in ("state", "dice", "sheets"):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines)))
        assert main(["fallback", "-", "--only", part, "--rolls", "5", "--sheets", "4"]) == 0
        told[part] = " ".join(pages(capsysbinary.readouterr().out))
    assert "the game is over" in told["state"]
    assert "these are not the dice of the game" in told["dice"]
    assert told["sheets"].count("Claim sheet") == 4
    for part, heading in (("state", "Dice"), ("dice", "What to say"), ("sheets", "Dice")):
        assert heading not in told[part]


def test_before_the_first_game_there_is_a_sheet_too(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], state: Path
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    assert main(["fallback", "-"]) == 0
    assert "From round 11 on" in pages(capsysbinary.readouterr().out)[0]
