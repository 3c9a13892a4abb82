"""The published picture: the game's room and what only core knows. Also boards that may be named, obstacles,
closing time and game time. Pure unless noted."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from functools import lru_cache

from msgspec.structs import asdict, replace

from pi_controller.game.claims import board_key
from pi_controller.game.commands import PREPARED_LINES, PREPARED_TIMERS, Claim, Command, Undo, Verdict
from pi_controller.game.events import Ended, Event
from pi_controller.game.game import Game, not_allowed
from pi_controller.game.phases import NotAllowed
from pi_controller.game.room import Message, TimerView, room
from pi_controller.journal.record import Record
from pi_controller.language.languages import ENGLISH
from pi_controller.language.words import all_words, language_in_turn, words
from pi_controller.protocol.picture import (
    BETWEEN,
    NO_EVENT,
    CaptionView,
    EventView,
    HealthView,
    LinkView,
    NamesShown,
    NotAllowedView,
    Picture,
    SoundView,
)
from pi_controller.protocol.question import VERSION
from pi_controller.protocol.sentences import views
from pi_controller.roster.model import Roster, Row
from pi_controller.sentence import SaidError, Sentence, as_told, listed

# Boards that a claim may name: those of the roster, if there is one.


LEAST_OF_A_RANGE = 3
_NUMBER = re.compile(r"[0-9]+$")


class NoSuchBoard(SaidError, ValueError):  # noqa: N818 - an answer to who asked
    """The hall has no board of this name; the sentence says which there are."""


class Boards:
    """The boards of the roster in force. Called on the loop only."""

    def __init__(self) -> None:
        self._roster = Roster()
        self._by_key: dict[str, str] = {}
        self._elsewhere: dict[str, str] = {}
        """Boards of further halls, by `board_key`."""
        self._unnamed: set[str] = set()
        """Keys of halls that have named no boards."""

    def take(self, roster: Roster) -> None:
        """Use this roster from now on."""
        self._roster = roster
        self._by_key = {board_key(board.name): board.name for board in reversed(roster.boards)}

    def take_halls(self, boards: Mapping[str, tuple[str, ...]]) -> None:
        """Boards of further halls; claims name them with the hall's name before them."""
        named = [f"{hall}{BETWEEN}{board}" for hall, names in boards.items() for board in names]
        self._elsewhere = {board_key(name): name for name in named}
        self._unnamed = {board_key(hall) for hall, names in boards.items() if not names}

    def spelled(self, command: Command) -> Command:
        """The command with its board spelled as in the roster. Unchanged without a roster, and from a table's
        own button. Raises NoSuchBoard."""
        match command:
            case Undo(replace=instead) if instead is not None:
                return replace(command, replace=self.spelled(instead))
            case Claim(board=str(board), button=None) | Verdict(board=str(board)):
                return replace(command, board=self._named(board))
            case _:
                return command

    def _named(self, board: str) -> str:
        elsewhere = self._elsewhere.get(board_key(board))
        if elsewhere is not None:
            return elsewhere
        known = self._by_key.get(board_key(board))
        if known is None and (not self._by_key or board_key(board.partition(BETWEEN)[0]) in self._unnamed):
            return board
        if known is None:
            rows = [told for row in self._roster.rows for told in _told(row)]
            raise NoSuchBoard(Sentence("claim.no_such_board", board=board, boards=listed(rows)))
        return known


def _told(row: Row) -> Iterator[Sentence]:
    """The boards of a row; consecutive numbers are given as a range."""
    stretch: list[str] = []
    for board in row.boards:
        if stretch and board.name != _next(stretch[-1]):
            yield _range(stretch)
            stretch = []
        stretch.append(board.name)
    if stretch:
        yield _range(stretch)


def _range(names: Sequence[str]) -> Sentence:
    if len(names) < LEAST_OF_A_RANGE:
        return listed([as_told(name) for name in names])
    return Sentence("claim.boards_of_row", first=names[0], last=names[-1])


def _next(name: str) -> str:
    """The name with the next number; "" if it does not end in a number."""
    digits = _NUMBER.search(name)
    return "" if digits is None else f"{name[: digits.start()]}{int(digits[0]) + 1:0{len(digits[0])}}"


# Obstacles: reasons against commands besides the rules. A director may override most of them.


KNOWN_GAME = "known game"
"""The part for "another game was on, which cannot continue here"."""


class Obstacles:
    """The current reason of each part against starting a game. Called on the loop only."""

    def __init__(self) -> None:
        self._sentences: dict[str, Sentence] = {}
        self._test: Sentence | None = None
        self._lead: Sentence | None = None

    def lead(self, sentence: Sentence | None) -> None:
        """Set why play cannot go on because another hall leads; None clears it."""
        self._lead = sentence

    def test(self, sentence: Sentence | None) -> None:
        """Set that a hardware test is under way; None clears it."""
        self._test = sentence

    def set(self, part: str, sentence: Sentence | None) -> None:
        """Set a part's reason against a start, with what to do; None clears it."""
        if sentence is None:
            self._sentences.pop(part, None)
        else:
            self._sentences[part] = sentence

    def against_start(self) -> tuple[Sentence, ...]:
        """All reasons against a start; empty if a game may start."""
        own = () if self._lead is None else (self._lead,)
        return (*own, *self._sentences.values())

    def against(self, *, disk: Sentence | None) -> dict[str, NotAllowed]:
        """Reasons against commands, by command name. `disk` is the journal's trouble, None without any."""
        found = {}
        unwritten = None if disk is None else Sentence("resume.without_a_record", trouble=disk)
        unready = tuple(one for one in (self._lead, unwritten) if one is not None)
        if unready:
            found["resume"] = NotAllowed(unready, override=True)
        unfit = self.against_start()
        if unfit:
            found["start"] = NotAllowed(unfit, override=True)
        if self._test is not None:
            found["start"] = NotAllowed((self._test, *unfit))
            found["undo"] = found["redo"] = NotAllowed((self._test,))
        return found


# Closing time: when an ended game is closed automatically, in real time. A restart neither lengthens nor
# forgets the wait.


NS_PER_S = 1_000_000_000


class ClosingTime:
    """`at_ns` is the moment (CLOCK_BOOTTIME). None before the end, after closing, and if the setting is 0
    minutes."""

    def __init__(self, minutes: int) -> None:
        self.at_ns: int | None = None
        self._after_ns = minutes * 60 * NS_PER_S

    def follow(self, game: Game, events: Iterable[Event], now_ns: int) -> None:
        """Update after these events. A new end, for example with other winners, restarts the wait."""
        if not self._waits(game):
            self.at_ns = None
        elif self.at_ns is None or any(isinstance(event, Ended) for event in events):
            self.at_ns = now_ns + self._after_ns

    def ended_before(self, game: Game, ended_ns: int | None, now_ns: int) -> None:
        """Set the wait for a game restored from the journal. `ended_ns` is its end, None if unknown."""
        if self._waits(game):
            self.at_ns = (now_ns if ended_ns is None else ended_ns) + self._after_ns

    def due(self, now_ns: int) -> bool:
        return self.at_ns is not None and self.at_ns <= now_ns

    def _waits(self, game: Game) -> bool:
        return self._after_ns > 0 and game.state.phase == "ended" and not game.closed


def end_of(records: Iterable[Record], *, boot_ns: int, boot_id: str, wall: str) -> int | None:
    """CLOCK_BOOTTIME of the last end in these lines, negative if before this boot; None without one. The
    present moment is given by both clocks. Across a reboot the wall clock counts; if it was set back, the
    wait is at most the full one from now."""
    ended = None
    for record in records:
        if record.kind == "ended":
            ended = record
    if ended is None:
        return None
    if ended.boot_id == boot_id:
        return ended.boot_ns
    passed = datetime.fromisoformat(wall) - datetime.fromisoformat(ended.wall)
    return boot_ns - max(0, round(passed.total_seconds() * NS_PER_S))


# Game time: the mapping between the machine's clock and the game's. Pure.


FINEST_RATE = 1000
"""Largest denominator of the rate, which is kept as a fraction so that no error accumulates."""


@dataclass(frozen=True, slots=True)
class GameTime:
    """Converts between game time and CLOCK_BOOTTIME, both in ns.

    `anchor_boot_ns` and `anchor_game_ns` are the same moment; from there the game's clock runs `rate` times
    as fast as the machine's (1 except in simulations). After a restart the anchor is the last known moment of
    the game, so the game's clock stood still in between.
    """

    anchor_boot_ns: int
    anchor_game_ns: int
    rate: float = 1.0
    _ratio: Fraction = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0.01 <= self.rate <= 1000:
            raise ValueError(f"the speed must be from 0.01 to 1000, not {self.rate}")
        object.__setattr__(self, "_ratio", Fraction(self.rate).limit_denominator(FINEST_RATE))

    def game_ns(self, boot_ns: int) -> int:
        """Game time at this CLOCK_BOOTTIME, rounded down."""
        since = (boot_ns - self.anchor_boot_ns) * self._ratio.numerator
        return self.anchor_game_ns + since // self._ratio.denominator

    def boot_ns(self, game_ns: int) -> int:
        """First CLOCK_BOOTTIME at which the game's clock shows `game_ns`."""
        since = (game_ns - self.anchor_game_ns) * self._ratio.denominator
        return self.anchor_boot_ns - (-since // self._ratio.numerator)


HEAD_DIGITS = 8
NS_PER_US = 1_000
NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class PictureFrame:
    """Everything in a picture besides the game's own part.

    `against`: reasons against commands besides the rules. `languages` are the hall's; reasons and a prepared
    line are in the first. `closing_saved`: the closing is on the disk. A seed shown before that could be the
    seed of a game that a power cut reopens. `closes_at_ms` is the picture's field.
    """

    session: str
    seq: int
    saved_seq: int
    head: str | None
    health: HealthView
    identify: NamesShown | None = None
    sound: SoundView | None = None
    closing_saved: bool = True
    closes_at_ms: int | None = None
    against: Mapping[str, NotAllowed] = field(default_factory=dict)
    languages: tuple[str, ...] = (ENGLISH,)
    event: EventView = NO_EVENT
    link: LinkView | None = None


def picture_at(game: Game, time: GameTime, now_ns: int, *, frame: PictureFrame) -> Picture:
    """The whole picture as of `now_ns` (CLOCK_BOOTTIME), which is `as_of_us` in it."""
    shown = room(game, time.game_ns(now_ns))
    head = frame.head if shown.paused or shown.phase in ("collecting", "ended") else None
    of_the_game = asdict(shown) | {
        "message": _message(shown.message, now_ns // NS_PER_MS, rate=time.rate, language=frame.languages[0]),
        "timer": _timer(shown.timer, frame.languages[0]),
        "closed": shown.closed and frame.closing_saved,
        "seed": shown.seed if frame.closing_saved else None,
    }
    return Picture(
        **of_the_game,
        version=VERSION,
        session=frame.session,
        seq=frame.seq,
        saved_seq=frame.saved_seq,
        as_of_ms=now_ns // NS_PER_MS,
        as_of_us=now_ns // NS_PER_US,
        rate=time.rate,
        journal_head=head[:HEAD_DIGITS] if head else None,
        journal_head_full=head,
        allowed=allowed(not_allowed(game), frame.against, frame.languages[0]),
        health=frame.health,
        identify=frame.identify,
        closes_at_ms=frame.closes_at_ms,
        sound=frame.sound,
        caption=_caption(frame.sound),
        event=frame.event,
        link=frame.link,
        languages=[tag.replace("-", "_") for tag in frame.languages],
        language=language_in_turn(shown.phase, shown.round, frame.languages),
    )


def _caption(sound: SoundView | None) -> CaptionView | None:
    if sound is None or not sound.captions or sound.spoken_until_ms is None:
        return None
    first = sound.captions[0]
    return CaptionView(key=first.key, params=first.params, until_ms=sound.spoken_until_ms)


def _message(message: Message | None, as_of_ms: int, *, rate: float, language: str) -> Message | None:
    if message is None:
        return None
    text = message.text if message.line is None else words(PREPARED_LINES[message.line], language)
    until_ms = None if message.until_ms is None else as_of_ms + round(message.until_ms / rate)
    return Message(text=text, until_ms=until_ms, line=message.line, tables=message.tables)


def _timer(timer: TimerView | None, language: str) -> TimerView | None:
    if timer is None or timer.prepared is None:
        return timer
    return replace(timer, label=words(PREPARED_TIMERS[timer.prepared], language))


def allowed(
    by_the_rules: Mapping[str, NotAllowed | None], against: Mapping[str, NotAllowed], language: str = ENGLISH
) -> dict[str, NotAllowedView | None]:
    """For each command, all reasons against it, or None. `identify` does not concern the game."""
    found = {**by_the_rules, "identify": None}
    for name, more in against.items():
        first = found[name]
        found[name] = (
            more
            if first is None
            else NotAllowed((*first.reasons, *more.reasons), first.override and more.override)
        )
    return {name: None if one is None else _shown(one, language) for name, one in found.items()}


@lru_cache(maxsize=512)
def _shown(against: NotAllowed, language: str) -> NotAllowedView:
    """The view of a refusal; cached, because every picture needs the same few."""
    return NotAllowedView(
        reasons=all_words(against.reasons, language),
        keys=views(against.reasons),
        override=against.override,
    )
