"""The copies for whoever may ask: what is on the disk and nothing more, written on and not anew."""

import errno
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pi_controller.journal import exports as exports_module
from pi_controller.journal.errors import ExportRefused, UnknownGame
from pi_controller.journal.exports import Exports, export_game, export_lines
from pi_controller.journal.files import DiskFiles
from pi_controller.journal.recovery import recover
from pi_controller.journal.store import Store
from pi_controller.journal.witnesses import lines_path, read_about, read_export, read_games
from tests.journal.chains import (
    BOOT,
    DEADLINE_S,
    GAME,
    SEED,
    Reports,
    append,
    chain,
    lines,
    open_game,
    put_game,
    start_writer,
    tree,
)

EARLIER, LATER = "20200101-000000-aaaa", "20991231-235959-ffff"


class Files(DiskFiles):
    """Real files that tell when one has got its name, count written bytes, and fail when told to."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.written = 0
        self.named = 0
        self.no_sync = False
        self.free = 10**9

    def write(self, fd: int, content: bytes) -> int:
        self.written += len(content)
        return super().write(fd, content)

    def sync(self, fd: int) -> None:
        if self.no_sync:
            raise OSError(errno.EIO, "the disk does not take it")
        super().sync(fd)

    def free_bytes(self, path: Path) -> int:
        return self.free

    def rename(self, old: Path, new: Path) -> None:
        super().rename(old, new)
        with self.changed:
            self.named += 1
            self.changed.notify_all()

    def wait(self, what: Callable[[], Any]) -> None:
        with self.changed:
            assert self.changed.wait_for(what, DEADLINE_S)


@pytest.fixture
def files() -> Files:
    return Files()


@pytest.fixture
def store(tmp_path: Path, files: Files) -> Store:
    store = Store(tmp_path, files=files)
    store.prepare()
    return store


@contextmanager
def exporting(
    store: Store, reports: Reports, *, boot_id: str = BOOT, go_on: str | None = None
) -> Iterator[Exports]:
    exports = Exports(
        store,
        boot_id=boot_id,
        on_trouble=reports.on_trouble,
        on_mended=reports.on_mended,
        lag_s=0.0,
        retry_s=0.01,
    )
    if go_on is not None:
        found = recover(store.state_dir, go_on)
        assert found is not None
        exports.go_on(found)
    exports.start()
    try:
        yield exports
    finally:
        assert exports.close(DEADLINE_S)


def copied(store: Store, game_id: str = GAME) -> bytes:
    pieces = read_export(store.exports_dir, game_id)
    return b"" if pieces is None else b"".join(pieces)


def count(store: Store, game_id: str = GAME) -> int:
    about = read_about(store.exports_dir, game_id)
    return 0 if about is None else about.lines


def test_what_is_saved_is_copied_on_and_never_anew(store: Store, files: Files) -> None:
    reports = Reports()
    with exporting(store, reports) as exports:
        writer = start_writer(store, reports, on_lines=exports.put)
        open_game(writer)
        for tag in range(1, 1000):
            append(writer, tag)
        reports.wait_saved(999)
        files.wait(lambda: count(store) == 1000)
        before = files.written
        append(writer, 1000)
        files.wait(lambda: count(store) == 1001)
        assert files.written - before < 4000, (
            "one line in the journal, one in the copy, and what is told of it"
        )
        writer.close()
    assert copied(store) == b"".join(export_lines(store.state_dir, GAME))
    assert [game.game_id for game in read_games(store.exports_dir)] == [GAME]
    assert not reports.troubles


def test_many_batches_are_one_write(store: Store, files: Files) -> None:
    content = lines(chain(200))
    with exporting(store, Reports()) as exports:
        with files.changed:  # nothing gets its name before all have come
            for line in content:
                exports.put(GAME, [line])
        files.wait(lambda: count(store) == 200)
    assert files.named <= 4, (
        "the first batch, and all that came meanwhile: a file and what is told of it each"
    )
    assert copied(store) == b"".join(content)


def test_a_seed_that_is_not_synced_is_in_no_copy(store: Store, files: Files) -> None:
    reports = Reports()
    with exporting(store, reports) as exports:
        writer = start_writer(store, reports, on_lines=exports.put)
        open_game(writer)
        reports.wait_saved(0)
        files.wait(lambda: count(store) == 1)
        files.no_sync = True
        ended = [("ended", {"winners": []}), ("seed", {"seed": SEED.hex()})]
        writer.append_all(ended, game_ns=5, boot_ns=5, tag=1)
        reports.wait_trouble("kept in memory")
        exports.put(GAME, [])
        assert SEED.hex().encode() not in lines_path(store.exports_dir, GAME).read_bytes()
        assert count(store) == 1
        files.no_sync = False
        reports.wait_saved(1)
        files.wait(lambda: count(store) == 3)
        writer.close()
    assert SEED.hex().encode() in copied(store)
    (game,) = read_games(store.exports_dir)
    assert game.ended


def test_after_a_restart_the_copy_goes_on_where_it_stopped(store: Store, files: Files) -> None:
    content = lines(chain(50))
    put_game(store.state_dir, b"".join(content[:30]))
    with exporting(store, Reports(), go_on=GAME):
        files.wait(lambda: count(store) == 30)
    put_game(store.state_dir, b"".join(content))
    inode, before = lines_path(store.exports_dir, GAME).stat().st_ino, files.written
    with exporting(store, Reports(), go_on=GAME):
        files.wait(lambda: count(store) == 50)
    assert lines_path(store.exports_dir, GAME).stat().st_ino == inode
    assert files.written - before < len(b"".join(content[30:])) + 2000
    assert copied(store) == b"".join(content)


def other_chain(folder: Path, count: int) -> list[bytes]:
    """As many lines of the same game, as a copy that was restored has them."""
    reports, store = Reports(), Store(folder)
    writer = start_writer(store, reports)
    open_game(writer)
    for tag in range(1, count):
        append(writer, tag)
    reports.wait_saved(count - 1)
    writer.close()
    return list(export_lines(folder, GAME))


@pytest.mark.parametrize("what", ["another boot", "another chain", "nothing told"])
def test_a_copy_that_cannot_be_trusted_is_written_anew(store: Store, files: Files, what: str) -> None:
    content = lines(chain(20))
    put_game(store.state_dir, b"".join(content))
    with exporting(store, Reports(), go_on=GAME):
        files.wait(lambda: count(store) == 20)
    path = lines_path(store.exports_dir, GAME)
    path.write_bytes(bytes(path.stat().st_size))
    if what == "another chain":
        content = other_chain(store.state_dir / "other", 20)
        put_game(store.state_dir, b"".join(content))
    elif what == "nothing told":
        path.with_suffix(".json").write_bytes(b"")
    with exporting(store, Reports(), go_on=GAME, boot_id="other" if what == "another boot" else BOOT):
        files.wait(lambda: copied(store) == b"".join(content))


def test_earlier_games_get_their_copies_and_removed_ones_lose_them(store: Store, files: Files) -> None:
    earlier, now = lines(chain(5, game_id=EARLIER)), lines(chain(7))
    put_game(store.state_dir, b"".join(earlier), game_id=EARLIER)
    put_game(store.state_dir, b"damaged\n", game_id="20200101-000000-bbbb")
    put_game(store.state_dir, b"".join(now))
    put_game(store.state_dir, b"", game_id=LATER)
    store.exports_dir.mkdir()
    for name in (f"{EARLIER[:-4]}gone.jsonl", f"{EARLIER[:-4]}gone.json", "draft.new"):
        (store.exports_dir / name).write_bytes(b"x")
    (store.state_dir / "removed").write_text(f"{EARLIER[:-4]}gone\n")
    (store.exports_dir / f"{EARLIER[:-4]}lost.jsonl").write_bytes(b"tells that there was a game")
    with exporting(store, Reports(), go_on=GAME):
        files.wait(lambda: copied(store, EARLIER) and copied(store))
    about = read_about(store.exports_dir, EARLIER)
    assert about is not None
    assert about.complete
    assert copied(store, EARLIER) == b"".join(earlier)
    assert not list(store.exports_dir.glob("*gone*")), "removed on purpose"
    assert len(list(store.exports_dir.glob("*lost*"))) == 1
    assert not (store.exports_dir / "draft.new").exists()
    games = {game.game_id: game.problem for game in read_games(store.exports_dir)}
    assert games.keys() == {EARLIER, "20200101-000000-bbbb", GAME}
    assert games["20200101-000000-bbbb"] is not None


def test_the_next_game_completes_the_one_before(store: Store, files: Files) -> None:
    reports = Reports()
    with exporting(store, reports) as exports:
        writer = start_writer(store, reports, on_lines=exports.put)
        open_game(writer)
        open_game(writer, tag=1, game_id=LATER)
        files.wait(lambda: count(store, LATER) == 1)
        about = read_about(store.exports_dir, GAME)
        assert about is not None
        assert about.complete
        writer.close()


def test_the_last_space_is_the_journals(store: Store, files: Files) -> None:
    reports = Reports()
    files.free = exports_module.KEPT_FREE_BYTES
    with exporting(store, reports) as exports:
        writer = start_writer(store, reports, on_lines=exports.put)
        open_game(writer)
        reports.wait_trouble("The games for download in")
        assert count(store) == 0
        append(writer, 1)
        reports.wait_saved(1)
        files.free = 10**9
        files.wait(lambda: count(store) == 2)
        reports.wait(lambda: reports.mended == ["exports"])
        writer.close()


def test_nothing_of_a_name_that_is_no_games(store: Store) -> None:
    store.exports_dir.mkdir()
    for name in ("", ".", "..", "../games/x", "a/b", "x" * 60, "a.b"):
        assert read_export(store.exports_dir, name) is None
    assert read_games(store.state_dir / "none") == []


LINES = lines(chain(12))


def test_exactly_the_good_lines_in_order_and_each_once(tmp_path):
    state, target = tmp_path / "state", tmp_path / "game.jsonl"
    put_game(state, b"".join(LINES[:7]) + LINES[7][:20])
    put_game(state, b"".join(LINES[6:10]) + b"rubbish\n" + LINES[11], name="journal.2.jsonl")
    before = tree(state)
    assert export_game(state, GAME, target) == 10
    assert target.read_bytes() == b"".join(LINES[:10])
    assert b"".join(export_lines(state, GAME)) == b"".join(LINES[:10])
    assert tree(state) == before
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["game.jsonl"]


def test_an_existing_target_is_replaced_only_by_force(tmp_path):
    put_game(tmp_path / "state", b"".join(LINES))
    target = tmp_path / "game.jsonl"
    target.write_text("precious")
    with pytest.raises(
        ExportRefused, match=r"game\.jsonl already exists: choose another name, or give --force"
    ):
        export_game(tmp_path / "state", GAME, target)
    assert target.read_text() == "precious"
    assert export_game(tmp_path / "state", GAME, target, force=True) == 12
    assert target.read_bytes() == b"".join(LINES)


def test_unknown_and_unreadable_games_are_told(tmp_path):
    with pytest.raises(UnknownGame, match="There is no game 'nothing'"):
        export_game(tmp_path, "nothing", tmp_path / "x")
    put_game(tmp_path, b"x" + LINES[0])
    with pytest.raises(UnknownGame, match="has no readable journal"):
        export_lines(tmp_path, GAME)
    assert not (tmp_path / "x").exists()


def test_a_missing_target_folder_is_told(tmp_path):
    put_game(tmp_path, b"".join(LINES))
    with pytest.raises(FileNotFoundError, match="does not exist: make it first"):
        export_game(tmp_path, GAME, tmp_path / "none" / "x")


def test_an_export_that_fails_leaves_no_half_file(tmp_path):
    put_game(tmp_path / "state", b"".join(LINES))
    target = tmp_path / "folder"
    target.mkdir()
    with pytest.raises(IsADirectoryError):
        export_game(tmp_path / "state", GAME, target, force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "state"]
