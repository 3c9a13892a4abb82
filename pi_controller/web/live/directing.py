"""Which director directs, the notes from the director to the moderator, and the files that keep both."""

import contextlib
import logging
import secrets
from collections import Counter, OrderedDict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeVar

import msgspec
from aiohttp import web
from msgspec import Meta, Struct

from pi_controller.hal.system.file_thread import PATIENCE_S, DiskSlow, FileThread
from pi_controller.journal.store import private_folder, read_plain, write_private
from pi_controller.sentence import Sentence
from pi_controller.web.http.access import Clocks, LinkBook
from pi_controller.web.http.routes import PERSON, Declined, Person, Refusal, post, socket
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


DIRECTING_FILE = "directing.json"
MOST_CHANGES = 12
MOST_KEYS = 256
"""Of commands that were let through: their repeats are, too."""
NEVER_REFUSED = "pause"


How = Literal["began", "took_over", "handed_over"]
"""Nobody directed, and a first command was given; it was taken; it was given."""


class Director(Struct, frozen=True, kw_only=True):
    """`number` is that of the person; all who logged in as director without a name are one, 0."""

    number: int
    name: str
    here: bool
    """Whether a director's page of theirs is open."""


class DirectingChange(Struct, frozen=True, kw_only=True):
    at: str
    """ISO 8601, UTC."""
    how: How
    before: int | None
    """Who directed until then; null: nobody."""
    number: int
    """Who has directed since."""
    name: str


class DirectingView(Struct, kw_only=True):
    """Of `WS /api/directing`."""

    directs: int | None
    directors: list[Director]
    """Who is logged in as director, by number."""
    changes: list[DirectingChange]
    """The newest first."""


class _Kept(Struct, kw_only=True):
    directs: int | None = None
    changes: list[DirectingChange] = []


class Directing:
    """Kept in `STATE/web`, so that it outlives the process. Called on the loop only.

    A person is a name, and counts once however many devices they are logged in on. Nobody directs until one
    gives a command, and again when the last log-in of who did has ended. Raises KeyFault.
    """

    def __init__(self, folder: Path, links: LinkBook, clocks: Clocks, files: FileThread) -> None:
        self.told = Broadcaster(clocks.boot_s)
        """To the directors' pages, on each change."""
        self._file = KeptFile[_Kept](folder / DIRECTING_FILE, files)
        self._links = links
        self._wall_s = clocks.wall_s
        self._kept = self._file.read(_Kept(), "It is forgotten who directs")
        self._here: Counter[int] = Counter()
        self._let_through: OrderedDict[str, None] = OrderedDict()
        self._said = b""
        """What was told last."""

    @property
    def directs(self) -> int | None:
        """The number of who directs; None when nobody does."""
        number = self._kept.directs
        return number if number in self._logged_in() else None

    def against(self, person: Person, command: str, key: str | None) -> Sentence | None:
        """Why this person may not give this command now; None lets it through. Who gives one while nobody
        directs does so from then on. Judges, technicians and scripts never direct and are not held up."""
        if person.role != "director" or person.link is None or command == NEVER_REFUSED:
            return None
        if key is not None and key in self._let_through:
            return None
        directs = self.directs
        if directs is None:
            self._change("began", person.number, person.name)
        elif directs != person.number:
            return self._other_directs(directs)
        if key is not None:
            self._let_through[key] = None
            while len(self._let_through) > MOST_KEYS:
                self._let_through.popitem(last=False)
        return None

    def take_over(self, person: Person, seen: int | None) -> Sentence | None:
        """This person directs from now on. The sentence refuses it when another one than `seen` does, so that
        of two who take over at once the second learns of the first."""
        directs = self.directs
        if directs == person.number:
            return None
        if directs != seen:
            return Sentence("directing.changed_since")
        self._change("took_over", person.number, person.name)
        return None

    def hand_over(self, person: Person, to: int) -> Sentence | None:
        """Another one directs from now on. The sentence says why not."""
        directs = self.directs
        if directs is not None and directs != person.number:
            return self._other_directs(directs)
        name = self._logged_in().get(to)
        if name is None or not self._here[to]:
            return Sentence("directing.not_here")
        if to != directs:
            self._change("handed_over", to, name)
        return None

    @contextlib.contextmanager
    def here(self, person: Person) -> Iterator[None]:
        """A page of this director is open for the length of the block; a script's is nobody's."""
        if person.link is None:
            yield
            return
        self._here[person.number] += 1
        self.tell()
        try:
            yield
        finally:
            self._here[person.number] -= 1
            self.tell()

    def tell(self) -> None:
        """To all pages, if it is not what they know; to be called about once a second, as log-ins end."""
        directors = self._logged_in()
        view = DirectingView(
            directs=self.directs,
            directors=[
                Director(number=number, name=directors[number], here=self._here[number] > 0)
                for number in sorted(directors)
            ],
            changes=self._kept.changes,
        )
        said = msgspec.json.encode(view)
        if said != self._said:
            self._said = said
            self.told.publish(said)

    def _other_directs(self, number: int) -> Sentence:
        name = self._logged_in().get(number, "")
        return (
            Sentence("directing.other_directs", name=name) if name else Sentence("directing.unnamed_directs")
        )

    def _logged_in(self) -> dict[int, str]:
        """The names of the directors with a good log-in, by their numbers."""
        good = self._links.all()
        return {link.number: link.name for link in good if link.role == "director" and link.used}

    def _change(self, how: How, number: int, name: str) -> None:
        at = datetime.fromtimestamp(self._wall_s(), UTC).isoformat(timespec="seconds")
        change = DirectingChange(at=at, how=how, before=self.directs, number=number, name=name)
        self._kept = _Kept(directs=number, changes=[change, *self._kept.changes][:MOST_CHANGES])
        self._file.keep(self._kept)
        self.tell()


# Short notes from the director to the moderator, and whether they were read. They are in no picture: nobody
# else sees them. Kept over a restart of the web side, for an evening.


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

    @socket(
        "/api/notes/feed",
        "moderator",
        summary="WebSocket: all notes from the director to the moderator, now and on every change",
        answer=NotesView,
    )
    async def follow(self, request: web.Request) -> web.StreamResponse:
        return await listen(request, self.feed)

    @post(
        "/api/notes/write", "director", summary="A note to the moderator, which nobody else sees", also=(409,)
    )
    async def write(self, request: web.Request, body: NoteBody) -> None:
        """409: too many have not been read."""
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

    @post("/api/notes/read", "moderator", summary="This note was read", also=(409,))
    async def read(self, request: web.Request, body: WhichNoteBody) -> None:
        """The first who has read it counts. 409: it has been taken back."""
        note = self._found(body.id)
        if note.read_ms is None:
            note.read_ms, note.read_by = self._now_ms(), request[PERSON].name
            await self._changed()

    @post("/api/notes/remove", "director", summary="Take this note back", also=(409,))
    async def remove(self, _request: web.Request, body: WhichNoteBody) -> None:
        """409: it is there no more."""
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
