"""`pi-controller pair`: one key on two controllers."""

import io
from pathlib import Path

import pytest

from pi_controller.journal.pairing import read_key
from tests.cli.conftest import Run


def mark(folder: Path) -> str:
    key = read_key(folder)
    assert key is not None
    return key.mark


def test_a_key_travels_in_a_file(tmp_path: Path, run: Run) -> None:
    first, second, file = tmp_path / "a", tmp_path / "b", tmp_path / "key"
    run("pair", "new", "--state-dir", first)
    run("pair", "export", "--state-dir", first, "-o", file)
    assert file.stat().st_mode & 0o777 == 0o600
    run("pair", "import", file, "--state-dir", second)
    assert mark(first) == mark(second)
    said = run("pair", "show", "--state-dir", second)
    assert f"Mark {mark(first)}" in said.out
    assert file.read_text().strip() not in said.out + said.err
    run("pair", "export", "--state-dir", first, "-o", file, status=3)


def test_a_key_is_typed_in(state: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    run("pair", "new")
    text = run("pair", "export").out
    monkeypatch.setattr("sys.stdin", io.StringIO(text.lower()))
    run("pair", "import", "-", "--state-dir", state / "other")
    assert mark(state) == mark(state / "other")
    monkeypatch.setattr("sys.stdin", io.StringIO("abcd\n"))
    assert "This is not a pairing key, or it was misread" in run("pair", "import", "-", status=2).err


def test_another_key_must_be_wanted(state: Path, run: Run) -> None:
    assert "is not paired: `pi-controller pair new`" in run("pair", "export", status=3).err
    run("pair", "new")
    before = mark(state)
    assert f"is already paired (mark {before}): add --force" in run("pair", "new", status=3).err
    assert mark(state) == before
    run("pair", "new", "--force")
    assert mark(state) != before
    run("pair", "import", state / "nowhere", status=1)
