"""Private files: whole, for their owner only, and the owner is the service's user."""

import os
from pathlib import Path

import pytest

from pi_controller.journal.store import (
    hand_over,
    private_folder,
    read_plain,
    readable_by_others,
    write_private,
)


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


def as_root(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int]]:
    """What root gives away from now on: the path behind the descriptor, user and group."""
    given: list[tuple[str, int, int]] = []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(
        os,
        "fchown",
        lambda handle, *owner: given.append((str(Path(f"/proc/self/fd/{handle}").readlink()), *owner)),
    )
    return given


def test_what_root_makes_belongs_to_the_folders_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, owner = as_root(monkeypatch), tmp_path.stat()
    write_private(tmp_path / "key", b"x")
    private_folder(tmp_path / "web")
    assert given == [(str(tmp_path / name), owner.st_uid, owner.st_gid) for name in ("key.new", "web")]


def belongs_to_a_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """Links that are made from now on look as if somebody else than root had made them."""
    true = Path.lstat

    def lstat(path: Path) -> os.stat_result:
        found = true(path)
        return os.stat_result((*found[:4], 4711, *found[5:]))

    monkeypatch.setattr(Path, "lstat", lstat)


def test_root_gives_nothing_away_through_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever owns the state folder could otherwise have any file of the machine given to itself."""
    given = as_root(monkeypatch)
    belongs_to_a_service(monkeypatch)
    secret, elsewhere = tmp_path / "shadow", tmp_path / "etc"
    secret.write_text("root's own")
    elsewhere.mkdir()
    (elsewhere / "inside").write_text("root's own")
    state = tmp_path / "state"
    state.mkdir()
    (state / "roster.json").symlink_to(secret)
    (state / "web").symlink_to(elsewhere)
    with pytest.raises(OSError, match="it is a link") as refused:
        hand_over(state / "roster.json")
    assert refused.value.filename == str(state / "roster.json")
    with pytest.raises(NotADirectoryError):
        hand_over(state / "web" / "inside")
    with pytest.raises(NotADirectoryError):
        write_private(state / "web" / "pin", b"x")
    os.link(secret, state / "second-name")
    with pytest.raises(OSError, match="a further name elsewhere"):
        hand_over(state / "second-name")
    write_private(state / "roster.json", b"in its place")
    assert secret.read_text() == "root's own"
    assert sorted(path.name for path in elsewhere.iterdir()) == ["inside"]
    assert [name for name, *_ in given] == [str(state / "roster.json.new")]


def test_roots_own_link_to_a_folder_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_root(monkeypatch)
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.setattr(Path, "lstat", lambda _path: os.stat_result((0o120777, 1, 1, 1, 0, 0, 1, 0, 0, 0)))
    write_private(tmp_path / "link" / "key", b"x")
    assert (tmp_path / "real" / "key").read_bytes() == b"x"


def test_only_a_plain_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("12345")
    (tmp_path / "link").symlink_to(tmp_path / "plain")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    assert read_plain(tmp_path / "plain", most=5) == b"12345"
    for name, reason in (
        ("link", "it is a link"),
        ("pipe", "it is no plain file"),
        ("folder", "it is no plain file"),
        ("none", "No such file"),
    ):
        with pytest.raises(OSError, match=reason) as refused:
            read_plain(tmp_path / name, most=5)
        assert refused.value.filename == str(tmp_path / name)
    with pytest.raises(OSError, match="it is larger than 4 bytes"):
        read_plain(tmp_path / "plain", most=4)
