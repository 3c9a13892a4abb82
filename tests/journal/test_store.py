"""The state folder: who holds it, what lies in it, private files, and the space kept back."""

import os
import shutil
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pi_controller.journal import store as store_module
from pi_controller.journal.errors import JournalError, OtherSeed, StateInUse, UnknownGame
from pi_controller.journal.files import DiskFiles, write_new
from pi_controller.journal.store import (
    Store,
    hand_over,
    private_folder,
    read_plain,
    readable_by_others,
    segment_name,
    segments,
    write_private,
)
from pi_controller.journal.writer import Reserve
from tests.journal.chains import GAME, SEED, WALL, Reports, Ticks
from tests.journal.disk import Disk


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "state")
    store.prepare()
    return store


def test_folders_and_seed_are_for_the_owner_only(store):
    folder = store.create_game(GAME, SEED)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert store.state_dir.stat().st_mode & 0o777 == 0o700
    assert (folder / "seed").stat().st_mode & 0o777 == 0o600
    assert store.read_seed(GAME) == SEED
    assert [path.name for path in folder.iterdir()] == ["seed"]


def test_making_a_game_may_be_repeated_but_not_with_another_seed(store):
    folder = store.create_game(GAME, SEED)
    (folder / "seed.new").write_bytes(b"half")
    (folder / "seed").unlink()
    store.create_game(GAME, SEED)
    store.create_game(GAME, SEED)
    with pytest.raises(OtherSeed, match="never gets a second one"):
        store.create_game(GAME, bytes(32))
    assert store.read_seed(GAME) == SEED


def test_a_seed_of_the_wrong_length_is_refused(store):
    with pytest.raises(ValueError, match="a seed has 32 bytes, not 31"):
        store.create_game(GAME, bytes(31))


@pytest.mark.parametrize("content", [b"", b"zz" * 32, b"00" * 31, b"\xff" * 64])
def test_a_damaged_seed_is_told(store, content):
    folder = store.create_game(GAME, SEED)
    (folder / "seed").write_bytes(content)
    with pytest.raises(JournalError, match="holds no seed, so this game cannot continue"):
        store.read_seed(GAME)


@pytest.mark.parametrize("game_id", ["", "..", "a/b", "-x", "a" * 41, "x\n"])
def test_only_plain_names_are_game_ids(store, game_id):
    with pytest.raises(ValueError, match="a game id is 1 to 40 letters"):
        store.folder(game_id)
    with pytest.raises(UnknownGame, match="There is no game"):
        store.known_folder(game_id)


def test_new_ids_sort_behind_all_others_also_when_the_wall_clock_went_back(store):
    first = store.new_game_id(WALL)
    assert first.startswith("20261120-183005-")
    store.create_game(first, SEED)
    second = store.new_game_id("1970-01-01T00:00:09+00:00")
    assert second.startswith("20261120-183006-")
    store.create_game(second, SEED)
    assert store.game_ids() == [second, first]


def test_a_folder_name_without_a_date_is_older_than_any_game(store):
    for name in ("zebra", "2026-11-21-copy", "20261399-000000-ab12"):
        store.create_game(name, SEED)
    first = store.new_game_id(WALL)
    assert first.startswith("20261120-183005-")
    store.create_game(first, SEED)
    assert store.game_ids()[0] == first
    store.create_game("99991231-235959-ab12", SEED)
    assert store.game_ids()[0].startswith("9999")
    with pytest.raises(JournalError, match="no date comes after it"):
        store.new_game_id(WALL)


def test_segments_in_order_of_their_numbers(store):
    folder = store.create_game(GAME, SEED)
    for name in (
        "journal.10.jsonl",
        "journal.2.jsonl",
        "journal.jsonl",
        "journal.0.jsonl",
        "journal.torn-1-0",
    ):
        (folder / name).touch()
    assert [number for number, _ in segments(folder)] == [1, 2, 10]
    assert [path.name for _, path in segments(folder)] == [segment_name(number) for number in (1, 2, 10)]


HOLDER = """
import sys
from pathlib import Path
from pi_controller.journal.store import Store
store = Store(Path(sys.argv[1]))
with store.lock():
    print("held", flush=True)
    for line in sys.stdin:
        if store.gone():
            store.hold_again()
        print("looked", flush=True)
"""


class Holder:
    """A process that holds the folder and looks after it when told."""

    def __init__(self, state_dir, *before):
        self.process = subprocess.Popen(
            [*before, sys.executable, "-c", HOLDER, str(state_dir)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert self.process.stdout.readline() == "held\n"

    def look(self):
        self.process.stdin.write("look\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "looked\n"

    def away(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


@pytest.fixture
def holder(store):
    holder = Holder(store.state_dir)
    yield holder
    holder.away()


def refused(store):
    with (
        pytest.raises(StateInUse, match=r"already runs a controller on .*: stop it first") as told,
        store.lock(),
    ):
        pass
    assert "\n" not in str(told.value)
    return str(told.value)


@pytest.mark.parametrize("looked", [False, True])
def test_a_removed_lock_lets_nobody_in(store, holder, looked):
    store.lock_path.unlink()
    if looked:
        holder.look()
        assert store.lock_path.read_text() == f"{holder.process.pid}\n"
    assert f"Process {holder.process.pid} " in refused(store)
    holder.away()
    with store.lock():
        assert not store.gone()


@pytest.mark.parametrize("looked", [False, True])
def test_a_removed_folder_lets_nobody_in(store, holder, looked):
    shutil.rmtree(store.state_dir)
    if looked:
        holder.look()
        assert store.lock_path.read_text() == f"{holder.process.pid}\n"
    store.prepare()
    assert f"Process {holder.process.pid} " in refused(store)


def test_where_the_name_cannot_be_seen_the_folder_itself_is_held(store):
    """The core of the unit runs in a network name space of its own."""
    apart = ("unshare", "-rn")
    if subprocess.run([*apart, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("this user may not make a name space of its own")
    holder = Holder(store.state_dir, *apart)
    try:
        store.lock_path.unlink()
        refused(store)
    finally:
        holder.away()


def test_who_finds_the_folder_taken_meanwhile_does_not_write_there(store, holder):
    """The one that was faster keeps it; the other is told who that is."""
    apart = Store(store.state_dir.with_name("other"))
    apart.prepare()
    with apart.lock():
        apart.state_dir.rename(apart.state_dir.with_name("gone"))
        store.state_dir.rename(apart.state_dir)
        assert apart.gone()
        with pytest.raises(StateInUse, match=f"Process {holder.process.pid} already runs"):
            apart.hold_again()


def test_a_name_that_a_stranger_took_keeps_nobody_out(store, monkeypatch):
    monkeypatch.setattr(store_module, "_holder_of", lambda address: (77, 12345))
    address = store_module.name_of(store.state_dir)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stranger:
        stranger.bind(address)
        stranger.listen(1)
        with store.lock():
            assert store.lock_path.exists()
            refused(Store(store.state_dir))


def test_many_who_ask_do_not_fill_the_queue(store):
    with store.lock():
        for _ in range(3 * store_module.WAITING):
            refused(Store(store.state_dir))
            assert not store.gone()


@pytest.mark.parametrize(
    ("before", "after"), [(0o755, 0o700), (0o707, 0o700), (0o710, 0o710), (0o700, 0o700)]
)
def test_a_folder_that_others_may_enter_is_closed_to_them(tmp_path, before, after):
    state = tmp_path / "state"
    state.mkdir()
    state.chmod(before)
    Store(state).prepare()
    assert stat.S_IMODE(state.stat().st_mode) == after


# Private files: whole, for their owner only, and the owner is the service's user.


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
    with pytest.raises(OSError, match="another name elsewhere"):
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
        ("pipe", "it is not a plain file"),
        ("folder", "it is not a plain file"),
        ("none", "No such file"),
    ):
        with pytest.raises(OSError, match=reason) as refused:
            read_plain(tmp_path / name, most=5)
        assert refused.value.filename == str(tmp_path / name)
    with pytest.raises(OSError, match="it is larger than 4 bytes"):
        read_plain(tmp_path / "plain", most=4)


def test_a_new_file_is_private_and_never_replaces_another(tmp_path):
    files = DiskFiles()
    write_new(files, tmp_path / "new", b"content")
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600
    assert files.read_back(tmp_path / "new") == b"content"
    with pytest.raises(FileExistsError):
        write_new(files, tmp_path / "new", b"other")
    assert (tmp_path / "new").read_bytes() == b"content"


def test_a_reserve_takes_real_space(tmp_path):
    files = DiskFiles()
    fd = files.create(tmp_path / "reserve")
    files.reserve(fd, 65536)
    files.close(fd)
    assert (tmp_path / "reserve").stat().st_blocks * 512 >= 65536
    assert files.free_bytes(tmp_path) > 0


class Chewing(DiskFiles):
    """Takes one byte at a time, and none of a certain kind."""

    def write(self, fd, content):
        return 0 if content.startswith(b"!") else os.write(fd, content[:1])


def test_short_writes_are_gone_on_with_and_a_disk_that_takes_nothing_is_an_error(tmp_path):
    files = Chewing()
    write_new(files, tmp_path / "file", b"content")
    assert (tmp_path / "file").read_bytes() == b"content"
    with pytest.raises(OSError, match="the disk accepts no data"):
        write_new(files, tmp_path / "other", b"half!half")


# The space kept back: never the last of the disk.


@pytest.mark.parametrize(("free", "made"), [(4 * 8192 - 1, False), (4 * 8192, True)])
def test_it_is_made_when_four_times_its_size_is_free(tmp_path, free, made):
    disk = Disk(tmp_path)
    disk.capacity = disk.used() + free
    reports, path = Reports(), tmp_path / "reserve"
    reserve = Reserve(
        disk, path, 8192, now_ns=Ticks(), on_trouble=reports.on_trouble, on_mended=reports.on_mended
    )
    reserve.keep()
    assert path.exists() == made
    assert reserve.give_up() == made
