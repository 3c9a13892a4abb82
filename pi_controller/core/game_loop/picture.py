"""The published picture: the game's room and what only core knows; boards that may be named, obstacles,
closing time, game time; and the way of a picture to panel and audience."""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from functools import lru_cache, partial
from typing import TypeVar

from msgspec.structs import asdict, replace

from pi_controller.core.panel.outputs import Outputs, TimedTone, tone_between
from pi_controller.core.panel.view import PanelView, view_of
from pi_controller.core.runtime import Timers
from pi_controller.defects import value_of
from pi_controller.game.claims import board_key
from pi_controller.game.commands import PREPARED_LINES, PREPARED_TIMERS, Claim, Command, Undo, Verdict
from pi_controller.game.events import Ended, Event
from pi_controller.game.game import Game, not_allowed
from pi_controller.game.phases import NotAllowed
from pi_controller.game.room import Message, room
from pi_controller.game.state import CountingDown, Frozen
from pi_controller.journal.record import Record
from pi_controller.language.languages import ENGLISH
from pi_controller.language.words import all_words, language_in_turn, words
from pi_controller.protocol.commands import COUNTING, COUNTING_FIELDS, CountingField
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
from pi_controller.sentence import SaidError, Sentence, listed, separated

Value = TypeVar("Value")

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
            raise NoSuchBoard(Sentence("claim.no_such_board", board=board, boards=separated(rows)))
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
        return separated(names)
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

    def against(self, *, disk: Sentence | None) -> dict[str, NotAllowed]:
        """Reasons against commands, by command name. `disk` is the journal's trouble, None without any."""
        found = {}
        unwritten = None if disk is None else Sentence("resume.without_a_record", trouble=disk)
        unready = tuple(one for one in (self._lead, unwritten) if one is not None)
        if unready:
            found["resume"] = NotAllowed(unready, override=True)
        unfit = (*(() if self._lead is None else (self._lead,)), *self._sentences.values())
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

    def wait(self, minutes: int) -> None:
        """From the next end on; 0 also takes back a closing that was to come."""
        self._after_ns = minutes * 60 * NS_PER_S
        if minutes == 0:
            self.at_ns = None

    def follow(self, game: Game, events: Iterable[Event], now_ns: int) -> None:
        """Update after these events. A new end, for example with other winners, restarts the wait. For a game
        restored from the journal `now_ns` is its end."""
        if self._after_ns == 0 or game.state.phase != "ended" or game.closed:
            self.at_ns = None
        elif self.at_ns is None or any(isinstance(event, Ended) for event in events):
            self.at_ns = now_ns + self._after_ns

    def due(self, now_ns: int) -> bool:
        return self.at_ns is not None and self.at_ns <= now_ns


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
    message, timer, language = shown.message, shown.timer, frame.languages[0]
    if message is not None:
        message = _message(message, now_ns // NS_PER_MS, rate=time.rate, language=language)
    if timer is not None and timer.prepared is not None:
        timer = replace(timer, label=words(PREPARED_TIMERS[timer.prepared], language))
    of_the_game = asdict(shown) | {
        "message": message,
        "timer": timer,
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
        allowed=allowed(not_allowed(game), frame.against, language),
        health=frame.health,
        identify=frame.identify,
        closes_at_ms=frame.closes_at_ms,
        sound=frame.sound,
        caption=None if frame.sound is None else _caption(frame.sound),
        event=frame.event,
        link=frame.link,
        languages=[tag.replace("-", "_") for tag in frame.languages],
        language=language_in_turn(shown.phase, shown.round, frame.languages),
    )


def saved_in(picture: Picture, *, saved_seq: int, head: str | None) -> Picture:
    """The same picture when more is on the disk. `head` of the journal, where no line waits."""
    head = head if picture.paused or picture.phase in ("collecting", "ended") else None
    short = head[:HEAD_DIGITS] if head else None
    return replace(picture, saved_seq=saved_seq, journal_head=short, journal_head_full=head)


def _caption(sound: SoundView) -> CaptionView | None:
    if not sound.captions or sound.spoken_until_ms is None:
        return None
    first = sound.captions[0]
    return CaptionView(key=first.key, params=first.params, until_ms=sound.spoken_until_ms)


def _message(message: Message, as_of_ms: int, *, rate: float, language: str) -> Message:
    text = message.text if message.line is None else words(PREPARED_LINES[message.line], language)
    until_ms = None if message.until_ms is None else as_of_ms + round(message.until_ms / rate)
    return Message(text=text, until_ms=until_ms, line=message.line, tables=message.tables)


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


# Showing: from a game to the panel and the audience. If one step fails, the others still run.


log = logging.getLogger(__name__)

Publish = Callable[[Picture], object]
TellSaved = Callable[[Picture, Callable[[], Picture]], object]


class PictureDispatcher:
    """Shows pictures on the panel, then to the audience.

    `made_ns` is the CLOCK_BOOTTIME at which lamps and buzzer had the newest picture, `shown_ns` that at which
    the audience had it too. `failed` names the steps that failed in the newest showing.
    """

    def __init__(self, *, outputs: Outputs, timers: Timers) -> None:
        self.made_ns = 0
        self.shown_ns = 0
        self.failed: list[Sentence] = []
        self.pictured = True
        """Whether the newest change has a picture."""
        self._outputs = outputs
        self._timers = timers
        self.picture: Picture | None = None
        """The newest that was shown."""
        self._audience: dict[Sentence, Publish] = {}
        self._expecting: list[Publish] = []
        self._saved: dict[Sentence, TellSaved] = {}
        self._view: PanelView | None = None
        self._expected: tuple[Picture, PanelView | None, PanelView] | None = None
        """The expected picture, the view that was current when it was computed, and its own view."""

    def show_to(
        self,
        name: Sentence,
        publish: Publish,
        *,
        expect: Publish | None = None,
        saved: TellSaved | None = None,
    ) -> None:
        """Register a receiver of every picture, called after those registered before. `expect` gets a picture
        that may come next, to prepare it. `saved` is called when more is on the disk, with the newest picture
        that says so and a function that makes one of this moment."""
        self._audience[name] = publish
        if expect is not None:
            self._expecting.append(expect)
        if saved is not None:
            self._saved[name] = saved

    def expect(self, picture: Picture) -> None:
        """Prepare what panel and audience show of a picture that may come next."""
        view = view_of(picture, offset_ns=0, before=self._view, language=self._outputs.language)
        self._expected = picture, self._view, view
        for expect in self._expecting:
            expect(picture)

    def show(self, make: Callable[[], Picture], now_ns: int) -> None:
        """Show the picture of `now_ns`."""
        self.failed = []
        tone = None
        picture = self.step(Sentence("part.picture"), make)
        self.pictured = picture is not None
        if picture is not None:
            self.picture = picture
            tone = self.step(Sentence("part.panel_view"), partial(self._look, picture))
            if self._view is not None:
                light_up = partial(self._outputs.show_at_once, self._view, now_ns, tone)
                self.step(Sentence("part.lamps_and_buzzer"), light_up)
            self.made_ns = self._timers.boot_ns()
            for name, publish in self._audience.items():
                self.step(name, partial(publish, picture))
        self.shown_ns = self._timers.boot_ns()
        self.step(Sentence("part.display"), partial(self._outputs.follow_up, now_ns, tone))

    def show_saved(self, picture: Picture, fresh: Callable[[], Picture]) -> None:
        """Tell that more is on the disk; `picture` is the newest one with that in it."""
        self.failed = []
        self.picture = picture
        for name, tell in self._saved.items():
            self.step(name, partial(tell, picture, fresh))

    def step(self, name: Sentence, act: Callable[[], Value]) -> Value | None:
        """Run one step of showing and return its result. If it raises, add its name to `failed` and return
        None."""
        done = value_of(act)
        if isinstance(done, Exception):
            log.error("showing broke off at %s", name.key, exc_info=done)
            self.failed.append(name)
            return None
        return done

    def trouble(self) -> Sentence:
        """A sentence that names the failed steps."""
        return Sentence("health.showing_failed", parts=listed(self.failed))

    def _look(self, picture: Picture) -> TimedTone | None:
        """Make the panel's view of this picture; returns the tone for the change."""
        before, (expected, self._expected) = self._view, (self._expected, None)
        if expected is not None and expected[0] is picture and expected[1] is before:
            self._view = expected[2]
        else:
            self._view = view_of(picture, offset_ns=0, before=before, language=self._outputs.language)
        return tone_between(before, self._view)


# Changes that the sender of a command has not seen. For each relevant field, the `seq` at which it last
# changed is kept; no pictures are kept.


SEEN_BEFORE_RESTART = Sentence("answer.seen_before_restart")
_ROUND, _PAUSE = Sentence("unseen.round"), Sentence("unseen.pause")
_NAMES: dict[CountingField, Sentence] = {
    "game_id": Sentence("unseen.game"),
    "phase": _ROUND,
    "round": _ROUND,
    "paused": _PAUSE,
    "pause_reasons": _PAUSE,
    "claims": Sentence("unseen.claims"),
    "schedule": Sentence("unseen.schedule"),
    "claims_mode": Sentence("unseen.claims_mode"),
    "last_round": Sentence("unseen.last_round"),
    "message": Sentence("unseen.message"),
    "timer": Sentence("unseen.timer"),
    "public_word": Sentence("unseen.public_word"),
    "actions": Sentence("unseen.actions"),
}


class ChangeTracker:
    """Called on the loop only. `session` is the session of the pictures."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._values: dict[CountingField, object] = {}
        self._changed: dict[CountingField, int] = {}
        self._seq = 0

    def note(self, game: Game, seq: int) -> None:
        """Record the game that the picture `seq` shows."""
        self._seq = seq
        state, newest = game.state, game.actions.last_undoable
        found: tuple[object, ...] = (
            game.game_id,
            state.phase,
            state.round,
            isinstance(state.clock, Frozen | CountingDown),
            state.clock.reasons if isinstance(state.clock, Frozen) else (),
            (
                len(state.claims),
                [(c.id, c.board, c.side, c.status, c.passed, c.sheet) for c in state.claims.standing],
            ),
            state.schedule,
            state.claims_mode,
            state.last_round,
            state.message,
            state.timer,
            state.word,
            (None if newest is None else game.actions[newest], game.undone),
        )
        # Equal values are usually the same object, so comparing them is cheap.
        for name, value in zip(COUNTING_FIELDS, found, strict=True):
            if name not in self._values or self._values[name] != value:
                self._values[name] = value
                self._changed[name] = seq

    def against(self, command: str, *, seq: int, session: str | None) -> Sentence | None:
        """Why the command must not be carried out for a sender who saw picture `seq` of `session` (None: the
        present one). None if nothing relevant has changed since."""
        counting = COUNTING[command]
        if not counting:
            return None
        if session not in (None, self._session) or seq > self._seq:
            return SEEN_BEFORE_RESTART
        changed = dict.fromkeys(_NAMES[name] for name in counting if self._changed.get(name, 0) > seq)
        if not changed:
            return None
        return Sentence("answer.changed_unseen", what=listed(changed))
