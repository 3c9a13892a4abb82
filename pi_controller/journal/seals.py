"""The seals of an evening: which of them the next game gets, and the words that were spoken for the others.

An evening are games of which each was armed within 12 hours of the one before. Its seals are numbered, so
that the hall sees how many were drawn; a word that was spoken for one of them does not serve for another.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

import msgspec

from pi_controller.game.game import Seal
from pi_controller.game.moves import normalised
from pi_controller.hal.roles import Clock
from pi_controller.journal.errors import DamagedLine, NewerJournal
from pi_controller.journal.files import open_regular
from pi_controller.journal.record import Record, decode
from pi_controller.journal.store import Store, segments
from pi_controller.journal.witnesses import LONGEST_LINE, GameSummary

EVENING = timedelta(hours=12)
"""Games armed within so long of each other are of one evening."""
NS_PER_S = 1_000_000_000
MOST_LINES = 1000
"""Of a game that has not begun; whoever writes more before the start hides no seal, only a word."""


def one_evening(game: GameSummary, armed_at: str) -> bool:
    """Whether it was armed within EVENING of this moment (ISO 8601)."""
    if not game.armed_at or not armed_at:
        return False
    return abs(datetime.fromisoformat(game.armed_at) - datetime.fromisoformat(armed_at)) <= EVENING


@dataclass(frozen=True, slots=True)
class ArmedSeal:
    """The first line of a game, and the words that were given for its seal, also those taken back."""

    line: Record
    words: list[str] = field(default_factory=list)

    @property
    def game_id(self) -> str:
        return str(self.line.data.get("game_id", ""))


class Evening:
    """Belongs to one thread; touches no disk."""

    def __init__(self, clock: Clock, armed: Iterable[ArmedSeal] = ()) -> None:
        """`armed`: the games of the newest evening that is known, the oldest first."""
        self._clock = clock
        self._newest: Record | None = None
        self._seal: Seal | None = None
        self._words: dict[str, tuple[int, str]] = {}
        """Each word of this evening with the number of its seal and the game."""
        for one in armed:
            self._take(one.line)
            for word in one.words:
                self.heard(one.game_id, word)

    def next(self, game_id: str) -> Seal:
        """The seal of a game that is armed now."""
        now = _Moment(self._clock.wall(), self._clock.boot_id, self._clock.boot_ns())
        return self._following(game_id, now)

    def armed(self, line: Record) -> None:
        """The first line of a game was handed to the journal: it is the newest from now on."""
        self._take(line)

    def heard(self, game_id: str, word: str, seal: Seal | None = None) -> None:
        """This word was given for the seal of this game; None: for the newest one."""
        known = seal or self._seal
        self._words.setdefault(_sounds(word), (1 if known is None else known.number, game_id))

    def spoken_for(self, word: str, game_id: str) -> int | None:
        """The number of the seal of this evening, not that of this game, for which the word was spoken."""
        number, game = self._words.get(_sounds(word), (0, game_id))
        return None if game == game_id else number

    def _take(self, line: Record) -> None:
        """A game that an earlier release has armed is counted with the others. Of one that another controller
        has armed in the same evening the higher number counts, so that none goes back."""
        game_id = str(line.data.get("game_id", ""))
        seal = self._following(game_id, _Moment(line.wall, line.boot_id, line.boot_ns))
        with suppress(msgspec.ValidationError):
            carried = msgspec.convert(line.data.get("seal"), Seal)
            seal = carried if carried.number >= seal.number else seal
        if self._seal is None or seal.of_evening != self._seal.of_evening:
            self._words = {}
        self._newest, self._seal = line, seal

    def _following(self, game_id: str, moment: "_Moment") -> Seal:
        if self._newest is None or self._seal is None:
            return Seal(1, game_id, None)
        if not _same_evening(self._newest, moment):
            return Seal(1, game_id, self._newest.hash)
        return Seal(self._seal.number + 1, self._seal.of_evening, self._newest.hash)


def read_armed(store: Store) -> list[ArmedSeal]:
    """The games of the newest evening that the state folder knows, the oldest first, the newest of them also
    when its folder was removed. Changes nothing. What cannot be read is passed over: to say so is the
    business of whoever brings that game back."""
    found: list[ArmedSeal] = []
    for one in _newest_first(store):
        if found and not _belong_together(one.line, found[-1].line):
            break
        found.append(one)
    return found[::-1]


def _newest_first(store: Store) -> Iterator[ArmedSeal]:
    line = next(_lines(store.newest_path), None)
    kept = None if line is None else ArmedSeal(line)
    for game_id in store.game_ids():
        if kept is not None and kept.game_id > game_id:
            yield kept
            kept = None
        one = _read(store.folder(game_id))
        if kept is not None and kept.game_id == game_id:
            one, kept = one or kept, None
        if one is not None:
            yield one
    if kept is not None:
        yield kept


@dataclass(frozen=True, slots=True)
class _Moment:
    wall: str
    boot_id: str
    boot_ns: int


def _belong_together(before: Record, after: Record) -> bool:
    return _same_evening(before, _Moment(after.wall, after.boot_id, after.boot_ns))


def _same_evening(before: Record, moment: _Moment) -> bool:
    """By the clock that nobody sets where that has gone on since; a clock of the wall that went back says
    nothing."""
    if before.boot_id == moment.boot_id:
        return moment.boot_ns - before.boot_ns <= EVENING.total_seconds() * NS_PER_S
    try:
        return datetime.fromisoformat(moment.wall) - datetime.fromisoformat(before.wall) <= EVENING
    except (ValueError, TypeError):
        return True


def _read(folder: Path) -> ArmedSeal | None:
    """Up to the first roll: later no word is given."""
    lines = (line for _, path in segments(folder) for line in _lines(path))
    first = next(lines, None)
    if first is None or first.kind != "game":
        return None
    words = []
    for line in islice(lines, MOST_LINES):
        if line.kind == "turned":
            break
        text = line.data.get("text") if line.kind == "contributed" else None
        if isinstance(text, str):
            words.append(text)
    return ArmedSeal(first, words)


def _lines(path: Path) -> Iterator[Record]:
    """The intact lines of a file, none when it cannot be read."""
    with suppress(OSError, NewerJournal), open_regular(path) as file:
        while content := file.readline(LONGEST_LINE):
            with suppress(DamagedLine):
                yield decode(content)


def _sounds(word: str) -> str:
    """What two ways to write one word have in common."""
    plain = normalised(word)
    return "".join(sign for sign in plain if sign.isalnum()) or plain
