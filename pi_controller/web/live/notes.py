"""Short notes from the director to the moderator, and whether they were read. They are in no picture: nobody
else sees them. Kept over a restart of the web side, for an evening."""

import contextlib
import logging
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from pi_controller.hal.system.file_thread import DiskSlow, FileThread
from pi_controller.journal.private import private_folder, read_plain
from pi_controller.sentence import SaidError, Sentence
from pi_controller.web.live.broadcaster import Broadcaster
from pi_controller.web.live.kept_file import KeptFile

MOST_NOTES = 20
LONGEST_NOTE = 200
KEPT_S = 16 * 3600
"""As long as a log-in lasts."""
FILE = "notes.json"
LARGEST_FILE = 64 * 1024

LOG = logging.getLogger(__name__)


class Note(Struct, kw_only=True):
    """Times are Unix milliseconds. `written_by` and `read_by` are names of log-ins and may be empty."""

    id: str
    text: str
    written_ms: int
    written_by: str
    read_ms: int | None = None
    """None: not read yet."""
    read_by: str = ""


class NotesView(Struct):
    """All notes, the oldest first."""

    notes: list[Note]


class _File(Struct, kw_only=True):
    version: Literal[1] = 1
    notes: list[Note] = []


class CannotNote(SaidError, ValueError):  # noqa: N818 - an answer to whoever wrote or read it
    """The sentence says why."""


class Notes:
    """Each change goes to all who listen, and to the disk. Called on the loop only."""

    def __init__(
        self, folder: Path, broadcaster: Broadcaster, wall_s: Callable[[], float], files: FileThread
    ) -> None:
        private_folder(folder)
        self._file = KeptFile(folder / FILE, files)
        self._broadcaster = broadcaster
        self._wall_s = wall_s
        self._notes = _kept(folder / FILE)
        self._drop_old()
        self._tell()

    @property
    def all(self) -> tuple[Note, ...]:
        """The oldest first."""
        return tuple(self._notes)

    async def write(self, text: str, by: str) -> None:
        """CannotNote when too many have not been read."""
        self._drop_old()
        if len(self._notes) >= MOST_NOTES:
            read = next((note for note in self._notes if note.read_ms is not None), None)
            if read is None:
                raise CannotNote(Sentence("notes.too_many", most=MOST_NOTES))
            self._notes.remove(read)
        self._notes.append(Note(id=secrets.token_hex(4), text=text, written_ms=self._now_ms(), written_by=by))
        await self._changed()

    async def read(self, note_id: str, by: str) -> None:
        """The first who has read it counts. CannotNote."""
        note = self._found(note_id)
        if note.read_ms is None:
            note.read_ms, note.read_by = self._now_ms(), by
            await self._changed()

    async def remove(self, note_id: str) -> None:
        """CannotNote."""
        self._notes.remove(self._found(note_id))
        await self._changed()

    def _found(self, note_id: str) -> Note:
        note = next((one for one in self._notes if one.id == note_id), None)
        if note is None:
            raise CannotNote(Sentence("notes.unknown"))
        return note

    def _now_ms(self) -> int:
        return round(self._wall_s() * 1000)

    def _drop_old(self) -> None:
        oldest_ms = self._now_ms() - KEPT_S * 1000
        self._notes = [note for note in self._notes if note.written_ms >= oldest_ms]

    def _tell(self) -> None:
        self._broadcaster.publish(msgspec.json.encode(NotesView(self._notes)))

    async def _changed(self) -> None:
        """A note that cannot be kept is still read: it goes out first."""
        self._tell()
        self._file.keep(msgspec.json.encode(_File(notes=self._notes)))
        with contextlib.suppress(DiskSlow):
            await self._file.written()


def _kept(path: Path) -> list[Note]:
    """What cannot be read stops nothing."""
    if not path.exists():
        return []
    try:
        return msgspec.json.decode(read_plain(path, most=LARGEST_FILE), type=_File).notes[-MOST_NOTES:]
    except (OSError, msgspec.DecodeError) as problem:
        LOG.warning("The notes to the moderator are forgotten: %s cannot be read: %s", path, problem)
        return []
