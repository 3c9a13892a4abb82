import errno
import os
from pathlib import Path

import msgspec
import pytest

from pi_controller.cli import games as stick_command
from pi_controller.cli.main import main
from pi_controller.journal.files import DiskFiles
from pi_controller.journal.verify import verify_file
from pi_controller.protocol.messages import StickLine
from tests.cli.conftest import Run
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
    assert "saved and verified" in said[-1]


def test_a_stick_that_lies_or_is_full_or_is_not_there_is_told(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    run("stick", tmp_path / "none", status=3)
    assert "nothing to write" in run("stick", tmp_path, status=3).err
    recorded(state)
    with monkeypatch.context() as full:
        full.setattr(DiskFiles, "free_bytes", lambda *_: 0)
        assert "has no room" in run("stick", tmp_path, status=3).err
    monkeypatch.setattr(DiskFiles, "read_back", lambda *_: b"")
    assert "does not come back as it was written" in run("stick", tmp_path, status=1).err


def lines_of(capsysbinary: pytest.CaptureFixture[bytes]) -> list[StickLine]:
    return [msgspec.json.decode(line, type=StickLine) for line in capsysbinary.readouterr().out.splitlines()]


def test_core_is_told_line_by_line_how_far_it_is(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(stick_command, "take_lowest_priority", lambda: None)  # this process goes on
    recorded(state)
    stick = tmp_path / "stick"
    stick.mkdir()
    assert main(["stick", str(stick), "--lines"]) == 3
    (line,) = lines_of(capsysbinary)
    assert line.reason is not None
    assert line.reason.key == "stick.not_there", "a folder is no stick"
    monkeypatch.setattr(os.path, "ismount", lambda _: True)
    assert main(["stick", str(stick), "--lines"]) == 0
    *steps, last = lines_of(capsysbinary)
    assert [(line.step, line.done, line.of) for line in steps] == [
        ("reports", 0, 1),
        *(("writing", number, 5) for number in range(1, 6)),
    ]
    assert (last.folder, len(last.files)) == (next(stick.iterdir()).name, 5)


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.ENOSPC, "is full: nothing of this evening is left on it"),
        (errno.EROFS, "is read-only"),
        (errno.EIO, "was pulled out, or it is broken"),
        (errno.EFBIG, "File too large"),
    ],
)
def test_each_failure_in_the_middle_has_its_sentence(
    number: int,
    sentence: str,
    state: Path,
    monkeypatch: pytest.MonkeyPatch,
    run: Run,
) -> None:
    recorded(state)
    stick = state / "stick"
    stick.mkdir()
    write = DiskFiles.write

    def fails(disk: DiskFiles, fd: int, content: bytes) -> int:
        if b"import" in content:  # the last file
            raise OSError(number, os.strerror(number))
        return write(disk, fd, content)

    monkeypatch.setattr(DiskFiles, "write", fails)
    assert sentence in run("stick", stick, status=1).err
    assert list(stick.iterdir()) == []
