"""The state folder: where each file lies, which games there are, and who may write.

STATE/lock, STATE/heartbeat, STATE/reserve, STATE/newest_seal and
STATE/games/GAME_ID/{seed, journal.jsonl, journal.2.jsonl, …}.
"""

import contextlib
import errno
import fcntl
import hashlib
import os
import re
import socket
import stat
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path

from pi_controller.journal.errors import FileUnusable, JournalError, OtherSeed, StateInUse, UnknownGame
from pi_controller.journal.files import (
    DiskFiles,
    Identity,
    identity,
    is_at,
    read_regular,
    sync_folder,
    write_all,
    write_new,
)
from pi_controller.sentence import Sentence

WAITING = 16
"""Processes that may ask at a time who holds the name; each look of the holder lets them go."""


class Hold:
    """`take` it before anything is written, `release` it at the end; by one thread at a time."""

    def __init__(self, state_dir: Path, lock_path: Path) -> None:
        self._state_dir = state_dir
        self._lock_path = lock_path
        self._name: socket.socket | None = None
        self._held: dict[Path, tuple[int, Identity]] = {}
        """The folder and the lock file: descriptor, and what was at the path when it was opened."""

    def take(self) -> None:
        """StateInUse names the process that has it already; OSError."""
        try:
            self._name = self._take_name()
            self._take_files()
        except OSError:
            self.release()
            raise

    def gone(self) -> bool:
        """Whether the folder or the lock file is no longer at its path."""
        self._let_go()
        return any(identity(path) != found for path, (_, found) in self._held.items())

    def again(self) -> None:
        """Hold what is at these paths now, too. StateInUse when another process was faster; OSError."""
        for path in [path for path, (_, found) in self._held.items() if identity(path) != found]:
            os.close(self._held.pop(path)[0])
        self._take_files()

    def release(self) -> None:
        for fd, _ in self._held.values():
            os.close(fd)
        self._held.clear()
        if self._name is not None:
            self._name.close()
            self._name = None

    def _take_files(self) -> None:
        if self._state_dir not in self._held:
            self._flock(self._state_dir, os.O_RDONLY | os.O_DIRECTORY)
        if self._lock_path not in self._held:
            fd = self._flock(self._lock_path, os.O_RDWR | os.O_CREAT)
            os.ftruncate(fd, 0)
            os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)

    def _flock(self, path: Path, flags: int) -> int:
        fd = os.open(path, flags | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            raise self._in_use(self._holder()) from None
        status = os.fstat(fd)
        self._held[path] = fd, (status.st_dev, status.st_ino)
        return fd

    def _take_name(self) -> socket.socket | None:
        """None when somebody else holds the name who may not: then the folder's own lock decides."""
        address = name_of(self._state_dir)
        name = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK)
        try:
            name.bind(address)
            name.listen(WAITING)
        except OSError:
            name.close()
            pid, uid = _holder_of(address)
            if uid in (0, os.geteuid(), self._state_dir.stat().st_uid):
                raise self._in_use(str(pid)) from None
            return None
        return name

    def _let_go(self) -> None:
        """Those who asked who holds the name have their answer."""
        if self._name is None:
            return
        with contextlib.suppress(BlockingIOError):
            while True:
                self._name.accept()[0].close()

    def _holder(self) -> str | Sentence:
        with contextlib.suppress(FileNotFoundError):
            holder = self._lock_path.read_bytes()[:32].decode("ascii", "replace").strip()
            if holder:
                return holder
        return Sentence("journal.process_of_unknown_number")

    def _in_use(self, holder: str | Sentence) -> StateInUse:
        return StateInUse(Sentence("journal.state_in_use", process=holder, folder=str(self._state_dir)))


def name_of(state_dir: Path) -> bytes:
    """The name in the system's memory for the folder at this path."""
    return b"\0pi-controller/" + hashlib.sha256(bytes(state_dir.resolve())).hexdigest().encode()


def _holder_of(address: bytes) -> tuple[int, int]:
    """Process and user of who listens at this name; -1 when nobody can be asked."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as asking:
        try:
            asking.connect(address)
        except OSError:
            return -1, -1
        pid, uid, _ = struct.unpack("3i", asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        return pid, uid


SEED_BYTES = 32
SEED_NAME = "seed"
EXPORTS = "exports"
"""Folder of the copies of games that anybody may have."""

OTHERS = 0o007
"""Rights of those who are neither the owner nor of the group; a folder may be shared with a group."""

_GAME_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,39}")
_SEGMENT = re.compile(r"journal(?:\.([1-9][0-9]*))?\.jsonl")
_STAMP = "%Y%m%d-%H%M%S"
_STAMP_LENGTH = 15


class Store:
    """Paths inside one state folder. Making one touches nothing; `prepare` makes the folders."""

    def __init__(self, state_dir: Path, *, files: DiskFiles | None = None) -> None:
        self.state_dir = state_dir
        self.games_dir = state_dir / "games"
        self.exports_dir = state_dir / EXPORTS
        self.heartbeat_path = state_dir / "heartbeat"
        self.reserve_path = state_dir / "reserve"
        self.newest_path = state_dir / "newest_seal"
        """The first line of the newest game, which stays when somebody removes that game."""
        self.lock_path = state_dir / "lock"
        self.files = files or DiskFiles()
        self._hold: Hold | None = None
        self._newest: str | None = None
        """The stamp of the newest game, once they were looked at; empty without any."""

    def prepare(self) -> None:
        """Make the state folder, on the disk when this returns. One that others may enter is closed to them.

        Raises OSError.
        """
        made = [folder for folder in (self.state_dir, *self.state_dir.parents) if not folder.exists()]
        self.files.make_folder(self.state_dir)
        if self.state_dir.stat().st_mode & OTHERS:
            self.state_dir.chmod(0o700)
        self.files.make_folder(self.games_dir)
        self.files.sync_folder(self.state_dir)
        for folder in made or [self.state_dir]:
            if os.access(folder.parent, os.R_OK):
                self.files.sync_folder(folder.parent)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the state folder for this process; StateInUse names the process that has it already."""
        self._hold = hold = Hold(self.state_dir, self.lock_path)
        hold.take()
        try:
            yield
        finally:
            self._hold = None
            hold.release()

    def gone(self) -> bool:
        """Whether folder or lock are no longer what this process holds; False when it holds nothing."""
        return self._hold is not None and self._hold.gone()

    def hold_again(self) -> None:
        """Make what is gone anew and hold it. StateInUse when another process has it now; OSError."""
        self.prepare()
        if self._hold is not None:
            self._hold.again()

    def folder(self, game_id: str) -> Path:
        """The game's folder, whether it exists or not. ValueError when this cannot be the id of a game."""
        if not _GAME_ID.fullmatch(game_id):
            raise ValueError(
                "a game id is 1 to 40 letters, digits and hyphens, and does not begin with a hyphen"
            )
        return self.games_dir / game_id

    def beat_path(self, game_id: str) -> Path:
        """Where the game's last heartbeat is kept once another game is on."""
        return self.folder(game_id) / self.heartbeat_path.name

    def game_ids(self) -> list[str]:
        """All games, newest first; behind them folders whose names are no ids that were ever given."""
        entries = self.games_dir.iterdir() if self.games_dir.is_dir() else ()
        games = newest_first(entry.name for entry in entries if is_game_id(entry.name) and entry.is_dir())
        self.come_after(games)
        return games

    def known_folder(self, game_id: str) -> Path:
        """The folder of a game that is there, otherwise UnknownGame."""
        if not _GAME_ID.fullmatch(game_id) or not (self.games_dir / game_id).is_dir():
            raise UnknownGame(
                Sentence("journal.unknown_game", game=repr(game_id), folder=str(self.state_dir))
            )
        return self.games_dir / game_id

    def come_after(self, game_ids: Iterable[str]) -> None:
        """New ids are to be newer than these, too, whose folders need not be here."""
        stamps = (game_id[:_STAMP_LENGTH] for game_id in game_ids)
        known = self._newest or ""
        self._newest = max((stamp for stamp in stamps if _is_stamp(stamp) and stamp > known), default=known)

    def new_game_id(self, wall: str, ending: str | None = None) -> str:
        """An id newer than all that were there when they were looked at last, than all that `come_after` was
        told, and than all that this gave, also when the wall clock (ISO 8601) went back. Looks, and may
        raise OSError, where nobody has yet.

        `ending` names the game; without it the id ends with four random digits.
        """
        stamp = datetime.fromisoformat(wall).strftime(_STAMP)
        if self._newest is None:
            self.game_ids()
        if self._newest and stamp <= self._newest:
            stamp = _one_second_after(self._newest)
        self._newest = stamp
        return f"{stamp}-{ending or os.urandom(2).hex()}"

    def create_game(self, game_id: str, seed: bytes) -> Path:
        """The game's folder with its seed, on the disk when this returns. May be repeated after a failure.

        Raises OSError, among them OtherSeed when the folder holds another seed already.
        """
        if len(seed) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
        folder = self.folder(game_id)
        self.files.make_folder(folder)
        final = folder / SEED_NAME
        if final.exists():
            if read_regular(final) != _seed_text(seed):
                raise OtherSeed(Sentence("journal.other_seed", folder=str(folder)))
        else:
            draft = folder / "seed.new"
            if draft.exists():
                self.files.remove(draft)
            write_new(self.files, draft, _seed_text(seed))
            self.files.rename(draft, final)
        self.files.sync_folder(folder)
        self.files.sync_folder(self.games_dir)
        return folder

    def keep_newest(self, line: bytes) -> None:
        """Keep the first line of a new game before it is written, so that its seal is counted whatever
        becomes of the game. On the disk when this returns. Raises OSError."""
        draft = self.newest_path.with_suffix(".new")
        if draft.exists():
            self.files.remove(draft)
        write_new(self.files, draft, line)
        self.files.rename(draft, self.newest_path)
        self.files.sync_folder(self.state_dir)

    def read_seed(self, game_id: str) -> bytes:
        """The game's seed. UnknownGame, OSError, or JournalError when the file holds no seed."""
        path = self.known_folder(game_id) / SEED_NAME
        with suppress(ValueError):
            seed = bytes.fromhex(read_regular(path).decode("ascii"))
            if len(seed) == SEED_BYTES:
                return seed
        raise JournalError(Sentence("journal.no_seed", file=str(path)))


def is_game_id(name: str) -> bool:
    """Whether a game can have this id."""
    return _GAME_ID.fullmatch(name) is not None


def newest_first(game_ids: Iterable[str]) -> list[str]:
    """By the date in the id; behind them those that no controller has given."""
    return sorted(game_ids, key=lambda name: (_is_stamp(name[:_STAMP_LENGTH]), name), reverse=True)


def armed_at(game_id: str) -> datetime | None:
    """When the game was armed, as its id says (UTC without a zone); None for a name that was never given."""
    stamp = game_id[:_STAMP_LENGTH]
    return datetime.strptime(stamp, _STAMP) if _is_stamp(stamp) else None  # noqa: DTZ007 - a label without a zone


def segment_name(number: int) -> str:
    """File name of the game's n-th segment, counted from 1."""
    return "journal.jsonl" if number == 1 else f"journal.{number}.jsonl"


def segments(folder: Path) -> list[tuple[int, Path]]:
    """The game's segments with their numbers, in order."""
    found: list[tuple[int, Path]] = []
    for path in folder.iterdir():
        match = _SEGMENT.fullmatch(path.name)
        if match:
            found.append((int(match[1] or 1), path))
    return sorted(found)


def _seed_text(seed: bytes) -> bytes:
    return seed.hex().encode() + b"\n"


def _is_stamp(text: str) -> bool:
    """Whether a name that begins so was given to a game."""
    try:
        return datetime.strptime(text, _STAMP).strftime(_STAMP) == text  # noqa: DTZ007 - a label without a zone
    except ValueError:
        return False


def _one_second_after(stamp: str) -> str:
    moment = datetime.strptime(stamp, _STAMP)  # noqa: DTZ007 - a label without a zone
    try:
        return (moment + timedelta(seconds=1)).strftime(_STAMP)
    except OverflowError:
        raise JournalError(Sentence("journal.no_later_date", stamp=repr(stamp))) from None


# The journal file that is written now (after one failed operation it is never written again), and where the
# lines of a game go.


class JournalFile:
    """Made with `begin` or `go_on`; `save` returns when the lines are on the disk."""

    def __init__(self, *, files: DiskFiles, path: Path, number: int, fd: int, durable: bool) -> None:
        self.path = path
        self.number = number
        self.durable = durable
        """Whether lines that somebody was told about may stand in it."""
        self._files = files
        self._fd = fd
        self._named = durable

    @classmethod
    def begin(cls, files: DiskFiles, folder: Path, number: int) -> "JournalFile":
        """A new file of this number, or of the next one that is free. Raises OSError."""
        while True:
            path = folder / segment_name(number)
            try:
                fd = files.create(path)
            except FileExistsError:
                number += 1
            else:
                return cls(files=files, path=path, number=number, fd=fd, durable=False)

    @classmethod
    def go_on(cls, files: DiskFiles, folder: Path, number: int) -> "JournalFile":
        """Append to a file whose lines are known to be on the disk. Raises OSError."""
        path = folder / segment_name(number)
        return cls(files=files, path=path, number=number, fd=files.append(path), durable=True)

    def save(self, lines: bytes) -> None:
        """Raises OSError; then only `leave` may follow."""
        write_all(self._files, self._fd, lines)
        self._files.sync(self._fd)
        if not self._named:
            self._files.sync_folder(self.path.parent)
            self._named = True
        self.durable = True

    def in_place(self) -> bool:
        """Whether the file is still at its path: nobody has removed or moved it."""
        return is_at(self._fd, self.path)

    def close(self) -> None:
        # All that matters is synced; an error of close could change nothing any more.
        with suppress(OSError):
            self._files.close(self._fd)

    def leave(self) -> None:
        """Give the file up; it is removed when nothing in it was ever promised to anybody."""
        self.close()
        if not self.durable:
            # If it cannot be removed it stays as a duplicate, which recovery merges.
            with suppress(OSError):
                self._files.remove(self.path)


class GameFiles:
    """One game's files. `kept` are all its lines so far, `saved` of them are on the disk. Only the writer's
    thread opens and writes; the thread that hands lines in only adds to `kept`."""

    def __init__(self, store: Store, game_id: str, *, seed: bytes | None, kept: list[bytes]) -> None:
        self.game_id = game_id
        self.folder = store.folder(game_id)
        self.kept = kept
        self.saved = 0
        self._store = store
        self._seed = seed
        self._seed_due = False
        self._number = 1
        self._append = False
        self._whole = False
        self._segment: JournalFile | None = None
        self._known: dict[Path, Identity] = {}

    def begin(self) -> None:
        """A game of which nothing is on the disk: its seed comes before its first line."""
        self._seed_due = True

    def go_on(self, *, segment: int, append: bool, saved: int) -> None:
        """A game of which so many lines are on the disk."""
        self._number, self._append, self.saved = segment, append, saved
        for path in (self.folder / "seed", *(path for _, path in segments(self.folder))):
            self._note(path)

    @property
    def incomplete(self) -> bool:
        """Files were lost, and what stood in them has not been written again."""
        return self._whole

    def save(self, count: int) -> None:
        """So many lines more are on the disk when this returns, and before them whatever was lost with its
        file. Raises OSError; then only `leave` may follow."""
        until = self.saved + count
        if self._segment is None:
            self._segment = self._open()
        self._segment.save(b"".join(self.kept[0 if self._whole else self.saved : until]))
        self._whole = False
        self._note(self._segment.path)

    def gone(self) -> bool:
        """Whether a file of this game is no longer at its path: removed or moved while it is played."""
        return any(identity(path) != known for path, known in self._known.items())

    def begin_anew(self) -> None:
        """Everything once more, to files of their own: the old ones are not at their paths."""
        self.close()
        self._known.clear()
        self._seed_due, self._append, self._whole = self._seed is not None, False, True
        self._number += 1

    def leave(self) -> None:
        """The file that is written now is given up; the next one is begun."""
        if self._append:
            self._append = False
            self._number += 1
        if self._segment is not None:
            segment = self._segment
            self._number = segment.number + 1 if segment.durable else segment.number
            segment.leave()
            self._segment = None
            if identity(segment.path) is None:
                self._known.pop(segment.path, None)

    def close(self) -> None:
        if self._segment is not None:
            self._segment.close()
            self._segment = None

    def _open(self) -> JournalFile:
        if self._seed_due and self._seed is not None:
            self._note(self._store.create_game(self.game_id, self._seed) / "seed")
            self._store.keep_newest(self.kept[0])
            self._seed_due = False
        make = JournalFile.go_on if self._append else JournalFile.begin
        return make(self._store.files, self.folder, self._number)

    def _note(self, path: Path) -> None:
        found = identity(path)
        if found is not None:
            self._known[path] = found


# Small files that only their owner may read: keys, hashes, settings.


def write_private(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Put this file with this mode in place, whole or not at all, also when the power goes in between.

    Root hands it to the owner of its folder, so that the services can read what an administrator has made.
    Raises OSError.
    """
    fresh = f"{path.name}.new"
    with _named(path), _open_folder(path.parent) as folder:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(fresh, dir_fd=folder)
        handle = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode, dir_fd=folder)
        with os.fdopen(handle, "wb") as file:
            os.fchmod(handle, mode)
            file.write(content)
            file.flush()
            _give(handle, folder)
            os.fsync(file.fileno())
        os.replace(fresh, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        os.fsync(folder)


def read_plain(path: Path, *, most: int) -> bytes:
    """What is in this file, which must be a plain one of at most `most` bytes: no link, pipe or device that
    somebody put in its place. Raises OSError."""
    with _named(path), _open_folder(path.parent) as folder, _opened(path.name, folder) as handle:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise FileUnusable(errno.EINVAL, Sentence("journal.file_is_not_plain"))
        if found.st_size > most:
            raise FileUnusable(errno.EFBIG, Sentence("journal.file_is_larger", most=most))
        with os.fdopen(os.dup(handle), "rb") as file:
            return file.read(most)


def private_folder(path: Path) -> None:
    """Make this folder, for its owner only and on the disk, if it is not there. Raises OSError."""
    if not path.is_dir():
        path.mkdir(mode=0o700, parents=True)
        hand_over(path)
        sync_folder(path.parent)


def hand_over(path: Path) -> None:
    """When root made this, it belongs to the owner of the folder that it lies in. A link in its place, or a
    file that has a further name elsewhere, is an OSError."""
    if os.geteuid() == 0:
        with _named(path), _open_folder(path.parent) as folder, _opened(path.name, folder) as handle:
            found = os.fstat(handle)
            if stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
                raise FileUnusable(errno.EMLINK, Sentence("journal.file_has_a_further_name"))
            _give(handle, folder)


def _give(handle: int, folder: int) -> None:
    if os.geteuid() == 0:
        owner = os.fstat(folder)
        os.fchown(handle, owner.st_uid, owner.st_gid)


@contextlib.contextmanager
def _open_folder(path: Path) -> Iterator[int]:
    """The folder's descriptor. Root follows a link to it only when the link is root's own: anybody else's may
    lead to where only root may write."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        if os.geteuid() == 0 and path.lstat().st_uid != 0:
            raise
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield handle
    finally:
        os.close(handle)


@contextlib.contextmanager
def _opened(name: str, folder: int) -> Iterator[int]:
    """What has this name in this folder, itself; a pipe does not make anybody wait."""
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    try:
        yield handle
    finally:
        os.close(handle)


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """An OSError of the block names the whole path."""
    try:
        yield
    except FileUnusable as error:
        raise FileUnusable(error.errno, error.sentence, path) from error
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise FileUnusable(errno.ELOOP, Sentence("journal.file_is_a_link"), path) from error
        raise OSError(error.errno, error.strerror, str(path)) from error


def readable_by_others(path: Path) -> str | None:
    """The file's mode as four digits when others than its owner may read or write it."""
    mode = stat.S_IMODE(path.stat().st_mode)
    return f"{mode:04o}" if mode & 0o077 else None
