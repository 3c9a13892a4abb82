"""`pi-controller pair`: one key on two controllers."""

import io
from pathlib import Path

import pytest

from pi_controller.cli.main import main
from pi_controller.journal.pairing import read_key


def mark(folder: Path) -> str:
    key = read_key(folder)
    assert key is not None
    return key.mark


def test_a_key_travels_in_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, file = tmp_path / "a", tmp_path / "b", tmp_path / "key"
    assert main(["pair", "new", "--state-dir", str(first)]) == 0
    assert main(["pair", "export", "--state-dir", str(first), "-o", str(file)]) == 0
    assert file.stat().st_mode & 0o777 == 0o600
    assert main(["pair", "import", str(file), "--state-dir", str(second)]) == 0
    assert mark(first) == mark(second)
    assert main(["pair", "show", "--state-dir", str(second)]) == 0
    said = capsys.readouterr()
    assert f"Mark {mark(first)}" in said.out
    assert file.read_text().strip() not in said.out + said.err
    assert main(["pair", "export", "--state-dir", str(first), "-o", str(file)]) == 3


def test_a_key_is_typed_in(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pair", "new"]) == 0
    capsys.readouterr()
    assert main(["pair", "export"]) == 0
    text = capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO(text.lower()))
    assert main(["pair", "import", "-", "--state-dir", str(state / "other")]) == 0
    assert mark(state) == mark(state / "other")
    monkeypatch.setattr("sys.stdin", io.StringIO("abcd\n"))
    assert main(["pair", "import", "-"]) == 2
    assert "This is no pairing key, or it was misread" in capsys.readouterr().err


def test_another_key_must_be_wanted(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pair", "export"]) == 3
    assert "is not paired: `pi-controller pair new`" in capsys.readouterr().err
    assert main(["pair", "new"]) == 0
    before = mark(state)
    assert main(["pair", "new"]) == 3
    assert f"is paired already (mark {before}): add --force" in capsys.readouterr().err
    assert mark(state) == before
    assert main(["pair", "new", "--force"]) == 0
    assert mark(state) != before
    assert main(["pair", "import", str(state / "nowhere")]) == 1
