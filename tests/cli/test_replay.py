import io
import json
import sys
from pathlib import Path

import pytest

from pi_controller.cli.main import main
from pi_controller.journal.exports import export_lines
from tests.cli.test_journal import put_game
from tests.core.disk import GAME_ID, DiskHall
from tests.core.hand import S


@pytest.fixture
def played(state: Path) -> Path:
    hall = DiskHall(state).play()
    hall.move(4 * S)
    hall.ask("pause")
    hall.crash()
    return state


def test_the_pictures_come_as_json_lines(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", GAME_ID]) == 0
    pictures = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["phase"], one["paused"]) for one in pictures][-2:] == [("round", False), ("round", True)]
    assert (pictures[-1]["remaining_ms"], pictures[-1]["seed"]) == (31_000, None)


def test_with_a_speed_they_come_in_time(
    played: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    waited: list[float] = []
    monkeypatch.setattr("time.sleep", waited.append)
    monkeypatch.setattr("time.monotonic", lambda: sum(waited))
    assert main(["replay", GAME_ID, "--speed", "2"]) == 0
    assert sum(waited) == pytest.approx((3 + 4) / 2)


def test_an_exported_game_comes_from_standard_input(
    played: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", GAME_ID]) == 0
    known = capsys.readouterr().out
    lines = list(export_lines(played, GAME_ID))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"".join(lines))))
    assert main(["replay", "-"]) == 0
    assert capsys.readouterr().out == known
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"".join(lines[:1] + lines[2:]))))
    assert main(["replay", "-"]) == 1
    assert "it does not continue the lines before it" in capsys.readouterr().err


def test_the_page_gets_each_moment_with_its_lamps(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", GAME_ID, "--lamps"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["since_ms"] for line in lines][-2:] == [3_000, 7_000]
    assert [lamps["pause"] for lamps in lines[-1]["lamps"]] == [False, True], "it blinks, beginning dark"
    assert lines[-1]["picture"]["allowed"] == {}


@pytest.mark.parametrize("speed", ["0", "-1", "nan", "fast", "1001"])
def test_a_speed_is_a_number_above_0(speed: str, state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "g1", f"--speed={speed}"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_what_is_no_game_is_said_in_a_sentence(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put_game(state, 1)
    assert main(["replay", "20261120-200000-abcd"]) == 1
    assert "no rules that this version knows" in capsys.readouterr().err
    assert main(["replay", "nobody"]) == 2
    assert "There is no game" in capsys.readouterr().err
