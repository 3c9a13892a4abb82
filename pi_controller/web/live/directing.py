"""Which of the directors directs now. The others watch: they may pause, and take over."""

import contextlib
import logging
from collections import Counter, OrderedDict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from pi_controller.hal.system.file_thread import FileThread
from pi_controller.journal.private import read_plain
from pi_controller.sentence import Sentence
from pi_controller.web.http.keys import Clocks
from pi_controller.web.http.links import LinkBook
from pi_controller.web.http.roles import Person
from pi_controller.web.live.broadcaster import Broadcaster
from pi_controller.web.live.kept_file import KeptFile

FILE = "directing.json"
LARGEST_FILE = 64 * 1024
MOST_CHANGES = 12
MOST_KEYS = 256
"""Of commands that were let through: their repeats are, too."""
NEVER_REFUSED = "pause"

LOG = logging.getLogger(__name__)

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
        self._file = KeptFile(folder / FILE, files)
        self._links = links
        self._wall_s = clocks.wall_s
        self._kept = _read(folder / FILE)
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
        self._file.keep(msgspec.json.encode(self._kept))
        self.tell()


def _read(path: Path) -> _Kept:
    """Somebody takes over again where the file cannot be read: that stops nothing."""
    if not path.exists():
        return _Kept()
    try:
        return msgspec.json.decode(read_plain(path, most=LARGEST_FILE), type=_Kept)
    except (OSError, msgspec.DecodeError) as problem:
        LOG.warning("It is forgotten who directs: %s cannot be read: %s", path, problem)
        return _Kept()
