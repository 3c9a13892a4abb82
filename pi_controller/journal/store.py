"""The state folder: where each file lies, which games there are, and who may write.

STATE/lock, STATE/heartbeat, STATE/reserve and STATE/games/GAME_ID/{seed, journal.jsonl, journal.2.jsonl, …}.
"""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path

from pi_controller.journal.errors import JournalError, OtherSeed, StateInUse, UnknownGame
from pi_controller.journal.files import DiskFiles, FileSystem, write_new

SEED_BYTES = 32

_GAME_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,39}")
_SEGMENT = re.compile(r"journal(?:\.([1-9][0-9]*))?\.jsonl")
_STAMP = "%Y%m%d-%H%M%S"
_STAMP_LENGTH = 15


class Store:
    """Paths inside one state folder. Making one touches nothing; `prepare` makes the folders."""

    def __init__(self, state_dir: Path, *, files: FileSystem | None = None) -> None:
        self.state_dir = state_dir
        self.games_dir = state_dir / "games"
        self.heartbeat_path = state_dir / "heartbeat"
        self.reserve_path = state_dir / "reserve"
        self.lock_path = state_dir / "lock"
        self.files: FileSystem = files or DiskFiles()

    def prepare(self) -> None:
        """Make the state folder, for its owner only. Raises OSError."""
        self.files.make_folder(self.state_dir)
        self.files.make_folder(self.games_dir)
        self.files.sync_folder(self.state_dir)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the state folder for this process; StateInUse names the process that has it already."""
        fd = os.open(self.lock_path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            self._take_lock(fd)
            yield
        finally:
            os.close(fd)

    def _take_lock(self, fd: int) -> None:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(fd, 32, 0).decode("ascii", "replace").strip() or "of unknown number"
            raise StateInUse(
                f"Process {holder} already runs a controller on {self.state_dir}:"
                " stop it first, or give this one another --state-dir."
            ) from None
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)

    def folder(self, game_id: str) -> Path:
        """The game's folder, whether it exists or not. ValueError when this cannot be the id of a game."""
        if not _GAME_ID.fullmatch(game_id):
            raise ValueError(
                "a game id is 1 to 40 letters, digits and hyphens, and does not begin with a hyphen"
            )
        return self.games_dir / game_id

    def game_ids(self) -> list[str]:
        """All games, newest first."""
        if not self.games_dir.is_dir():
            return []
        names = (entry.name for entry in self.games_dir.iterdir() if entry.is_dir())
        return sorted((name for name in names if _GAME_ID.fullmatch(name)), reverse=True)

    def known_folder(self, game_id: str) -> Path:
        """The folder of a game that is there, otherwise UnknownGame."""
        if not _GAME_ID.fullmatch(game_id) or not (self.games_dir / game_id).is_dir():
            raise UnknownGame(
                f"There is no game {game_id!r} in {self.state_dir}: `journal list` shows the games there are."
            )
        return self.games_dir / game_id

    def new_game_id(self, wall: str) -> str:
        """An id that sorts behind all that are there, also when the wall clock (ISO 8601) went back."""
        stamp = datetime.fromisoformat(wall).strftime(_STAMP)
        newest = max((game_id[:_STAMP_LENGTH] for game_id in self.game_ids()), default="")
        if stamp <= newest:
            stamp = _one_second_after(newest)
        return f"{stamp}-{os.urandom(2).hex()}"

    def create_game(self, game_id: str, seed: bytes) -> Path:
        """The game's folder with its seed, on the disk when this returns. May be repeated after a failure.

        Raises OSError, among them OtherSeed when the folder holds another seed already.
        """
        if len(seed) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
        folder = self.folder(game_id)
        self.files.make_folder(folder)
        final = folder / "seed"
        if final.exists():
            if final.read_bytes() != _seed_text(seed):
                raise OtherSeed(f"The folder {folder} holds another seed: a game never gets a second one.")
        else:
            draft = folder / "seed.new"
            if draft.exists():
                self.files.remove(draft)
            write_new(self.files, draft, _seed_text(seed))
            self.files.rename(draft, final)
        self.files.sync_folder(folder)
        self.files.sync_folder(self.games_dir)
        return folder

    def read_seed(self, game_id: str) -> bytes:
        """The game's seed. UnknownGame, OSError, or JournalError when the file holds no seed."""
        path = self.known_folder(game_id) / "seed"
        with suppress(ValueError):
            seed = bytes.fromhex(path.read_bytes().decode("ascii"))
            if len(seed) == SEED_BYTES:
                return seed
        raise JournalError(f"The file {path} holds no seed: this game cannot go on, arm a new one.")


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


def _one_second_after(stamp: str) -> str:
    try:
        moment = datetime.strptime(stamp, _STAMP)  # noqa: DTZ007 - a label without a zone
    except ValueError:
        raise JournalError(
            f"The newest game's id begins with {stamp!r}, which is no date: move its folder away."
        ) from None
    return (moment + timedelta(seconds=1)).strftime(_STAMP)
