from pathlib import Path

import pytest

from pi_controller.cli.main import main
from pi_controller.journal.files import DiskFiles
from pi_controller.journal.verify import verify_file
from tests.core.disk import GAME_ID
from tests.report.played import recorded


def test_games_and_reports_are_written_in_one_step_and_read_back(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(state)
    stick = tmp_path / "stick"
    stick.mkdir()
    assert main(["stick", str(stick)]) == 0
    (folder,) = stick.iterdir()
    assert sorted(path.name for path in folder.iterdir()) == [
        f"{GAME_ID}.jsonl",
        *(f"{GAME_ID}.report.{kind}" for kind in ("csv", "json", "pdf")),
        "verify_game.py",
    ]
    assert verify_file(folder / f"{GAME_ID}.jsonl").told
    assert b"Ann" not in (folder / f"{GAME_ID}.report.json").read_bytes()
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 6
    assert said[-1].endswith("5 files, " + said[-1].split("5 files, ")[1])
    assert "read back and right" in said[-1]


def test_a_stick_that_lies_or_is_full_or_is_not_there_is_told(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stick", str(tmp_path / "none")]) == 3
    assert main(["stick", str(tmp_path)]) == 3
    assert "nothing to write" in capsys.readouterr().err
    recorded(state)
    with monkeypatch.context() as full:
        full.setattr(DiskFiles, "free_bytes", lambda *_: 0)
        assert main(["stick", str(tmp_path)]) == 3
        assert "has no room" in capsys.readouterr().err
    monkeypatch.setattr(DiskFiles, "read_back", lambda *_: b"")
    assert main(["stick", str(tmp_path)]) == 1
    assert "does not come back as it was written" in capsys.readouterr().err
