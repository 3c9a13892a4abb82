"""Short notes from the director to the moderator, and small files that are kept over a restart."""

import contextlib
import logging
import secrets
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeVar

import msgspec
from aiohttp import web
from msgspec import Meta, Struct

from pi_controller.hal.system.file_thread import PATIENCE_S, DiskSlow, FileThread
from pi_controller.journal.store import private_folder, read_plain, write_private
from pi_controller.sentence import Sentence
from pi_controller.web.http.access import Clocks
from pi_controller.web.http.routes import PERSON, Declined, Refusal, post, socket
from pi_controller.web.live.broadcaster import Broadcaster, listen

# A small file that is written beside the loop: of several contents that wait, the newest.


LOG = logging.getLogger(__name__)


KeptT = TypeVar("KeptT")


class KeptFile(Generic[KeptT]):
    """`files` writes it. Called on one thread."""

    def __init__(self, path: Path, files: FileThread, *, most: int = 64 * 1024) -> None:
        """`most`: bytes that are read."""
        self._path = path
        self._files = files
        self._most = most
        self._newest: bytes | None = None

    def read(self, empty: KeptT, lost: str) -> KeptT:
        """What was kept; `empty` where there is nothing, and where it cannot be read, which stops nothing:
        then the log says that this is `lost`."""
        if not self._path.exists():
            return empty
        try:
            return msgspec.json.decode(read_plain(self._path, most=self._most), type=type(empty))
        except (OSError, msgspec.DecodeError) as problem:
            LOG.warning("%s: %s cannot be read: %s", lost, self._path, problem)
            return empty

    def keep(self, content: KeptT) -> None:
        """Returns at once. What cannot be written is told in the log."""
        waits, self._newest = self._newest is not None, msgspec.json.encode(content)
        if not waits:
            self._files.begin(self._write)

    async def written(self, *, patience_s: float = PATIENCE_S) -> None:
        """Returns when all that was kept is on the disk, or was tried. DiskSlow."""
        await self._files.do(lambda: None, patience_s=patience_s)

    def _write(self) -> None:
        content, self._newest = self._newest, None
        if content is None:
            return
        try:
            write_private(self._path, content)
        except OSError as problem:
            LOG.warning("%s is not kept: %s", self._path, problem)


# The notes, and whether they were read. They are in no picture: nobody else sees them. Kept over a restart of
# the web side, for an evening.


MOST_NOTES = 20
LONGEST_NOTE = 200
KEPT_S = 16 * 3600
"""As long as a log-in lasts."""
LONGEST_ID = 16
NOTES_FILE = "notes.json"


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


class NoteBody(Struct, forbid_unknown_fields=True):
    """Of `POST /api/notes/write`."""

    text: Annotated[str, Meta(min_length=1, max_length=LONGEST_NOTE)]


class WhichNoteBody(Struct, forbid_unknown_fields=True):
    """Of `POST /api/notes/read` and `/api/notes/remove`."""

    id: Annotated[str, Meta(max_length=LONGEST_ID)]


class _File(Struct, kw_only=True):
    version: Literal[1] = 1
    notes: list[Note] = []


class Notes:
    """Each change goes to all who listen, and to the disk. Called on the loop only."""

    def __init__(self, folder: Path, clocks: Clocks, files: FileThread) -> None:
        private_folder(folder)
        self._file = KeptFile[_File](folder / NOTES_FILE, files)
        self.feed = Broadcaster(clocks.boot_s)
        self._wall_s = clocks.wall_s
        self._notes = self._file.read(_File(), "The notes to the moderator are forgotten").notes[-MOST_NOTES:]
        self._drop_old()
        self._tell()

    @socket("/api/notes/feed", "moderator", answer=NotesView)
    async def follow(self, request: web.Request) -> web.StreamResponse:
        """WebSocket: all notes from the director to the moderator, now and on every change."""
        return await listen(request, self.feed)

    @post("/api/notes/write", "director", also=(409,))
    async def write(self, request: web.Request, body: NoteBody) -> None:
        """A note to the moderator, which nobody else sees.

        409: too many have not been read.
        """
        text = body.text.strip()
        if not text or not text.isprintable():
            raise Refusal(422, Sentence("notes.form", most=LONGEST_NOTE))
        self._drop_old()
        if len(self._notes) >= MOST_NOTES:
            read = next((note for note in self._notes if note.read_ms is not None), None)
            if read is None:
                raise Declined(Sentence("notes.too_many", most=MOST_NOTES))
            self._notes.remove(read)
        self._notes.append(
            Note(
                id=secrets.token_hex(4),
                text=text,
                written_ms=self._now_ms(),
                written_by=request[PERSON].name,
            )
        )
        await self._changed()

    @post("/api/notes/read", "moderator", also=(409,))
    async def read(self, request: web.Request, body: WhichNoteBody) -> None:
        """This note was read.

        The first who has read it counts. 409: it has been taken back.
        """
        note = self._found(body.id)
        if note.read_ms is None:
            note.read_ms, note.read_by = self._now_ms(), request[PERSON].name
            await self._changed()

    @post("/api/notes/remove", "director", also=(409,))
    async def remove(self, _request: web.Request, body: WhichNoteBody) -> None:
        """Take this note back.

        409: it is there no more.
        """
        self._notes.remove(self._found(body.id))
        await self._changed()

    def _found(self, note_id: str) -> Note:
        note = next((one for one in self._notes if one.id == note_id), None)
        if note is None:
            raise Declined(Sentence("notes.unknown"))
        return note

    def _now_ms(self) -> int:
        return round(self._wall_s() * 1000)

    def _drop_old(self) -> None:
        oldest_ms = self._now_ms() - KEPT_S * 1000
        self._notes = [note for note in self._notes if note.written_ms >= oldest_ms]

    def _tell(self) -> None:
        self.feed.publish(msgspec.json.encode(NotesView(self._notes)))

    async def _changed(self) -> None:
        """A note that cannot be kept is still read: it goes out first."""
        self._tell()
        self._file.keep(_File(notes=self._notes))
        with contextlib.suppress(DiskSlow):
            await self._file.written()
