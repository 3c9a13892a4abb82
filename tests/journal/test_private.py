"""Private files: whole, for their owner only, and the owner is the service's user."""

import os
from pathlib import Path

import pytest

from pi_controller.journal.private import private_folder, readable_by_others, write_private


def test_a_private_file_replaces_the_old_one_whole(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("old")
    (tmp_path / "key.new").write_text("left over")
    write_private(path, b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o600)
    assert readable_by_others(path) is None
    path.chmod(0o604)
    assert readable_by_others(path) == "0604"
    assert [found.name for found in tmp_path.iterdir()] == ["key"]


def test_a_folder_is_made_once(tmp_path: Path) -> None:
    for _ in range(2):
        private_folder(tmp_path / "web")
    assert (tmp_path / "web").stat().st_mode & 0o777 == 0o700


def test_what_root_makes_belongs_to_the_folders_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[str, int, int]] = []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "chown", lambda path, user, group: given.append((Path(path).name, user, group)))
    write_private(tmp_path / "key", b"x")
    owner = tmp_path.stat()
    assert given == [("key.new", owner.st_uid, owner.st_gid)]
