"""The one owner of the game's state: decisions, presses and ticks in, pictures out. Runs on one thread and
never blocks.

Order of every change: apply, set the outputs, publish the picture, hand the lines to the journal. A full or
dead disk therefore never delays a freeze; and the lines of a change go to the journal whatever breaks off
while it is shown. What other commands go through before and after that stands in `command_queue`.
"""

import asyncio
import logging
from collections.abc import Callable
from functools import partial, reduce

from msgspec import Struct

from pi_controller.core.game_loop.opening import kept_by_another
from pi_controller.core.game_loop.pending import Elsewhere
from pi_controller.core.game_loop.picture import (
    KNOWN_GAME,
    Boards,
    ClosingTime,
    Frame,
    GameTime,
    Obstacles,
    picture_at,
)
from pi_controller.core.game_loop.saves import Lines, Log, SaveTracker
from pi_controller.core.panel.outputs import Outputs, Tone, tone_between
from pi_controller.core.panel.view import PanelView, view_of
from pi_controller.core.runtime.health import Health, Metrics
from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.defects import broken_off, caught, named
from pi_controller.game.commands import NAMES, Close, Command, Pause, Press, Resume, Start
from pi_controller.game.events import Closed, Event, Resumed
from pi_controller.game.game import Decision, Game, apply, decide, due_ns, foresee, tick
from pi_controller.game.phases import NotAllowed
from pi_controller.game.state import CountingDown, Frozen, Running
from pi_controller.journal.record import encode_event
from pi_controller.language.languages import ENGLISH
from pi_controller.protocol.commands import COUNTING, COUNTING_FIELDS, CountingField
from pi_controller.protocol.picture import (
    BETWEEN,
    NO_EVENT,
    EventView,
    HealthLevel,
    Identify,
    LinkView,
    Picture,
    SoundView,
)
from pi_controller.sentence import Sentence

# What a press of the big button will do and show, worked out while its contact is still proving that it is
# one: the loop has nothing else to do in these milliseconds. Pure.


class PressAhead(Struct, frozen=True):
    """Of a press at `at_ns` in the game `before`. Its picture holds as long as nothing around it changes."""

    at_ns: int
    before: Game
    decision: Decision
    frame: Frame
    picture: Picture

    def decided(self, at_ns: int, game: Game) -> Decision | None:
        """What the rules say to a press at this moment in this game; None: they have to be asked."""
        return self.decision if at_ns == self.at_ns and game is self.before else None

    def pictured(self, game: Game, frame: Frame) -> Picture | None:
        """The picture of this game in this frame; None: it has to be made."""
        return self.picture if game is self.decision.game and frame == self.frame else None


def work_out(game: Game, time: GameTime, frame: Frame, *, at_ns: int, counts_ns: int) -> PressAhead | None:
    """None for a press that changes nothing, and for one that rolls dice: nobody looks at a roll before the
    press counts. Both moments are CLOCK_BOOTTIME; the picture, in `frame`, is as
    of `counts_ns`, up to which the clock must not turn."""
    decision = foresee(
        game, Press(), at_ns=time.game_ns(at_ns), now_ns=time.game_ns(counts_ns), source="button"
    )
    if decision.game is None:
        return None
    picture = picture_at(decision.game, time, counts_ns, frame=frame)
    return PressAhead(at_ns, game, decision, frame, picture)


# From a game to the panel and to everybody who watches. What breaks off on the way keeps nothing else from
# showing.


log = logging.getLogger(__name__)

Publish = Callable[[Picture], object]


class Showing:
    """`made_ns` is the CLOCK_BOOTTIME at which lamps and buzzer had the newest picture, `shown_ns` that at
    which its audience had it too. `failed` names what broke off in the newest showing.
    """

    def __init__(self, *, outputs: Outputs, timers: Timers) -> None:
        self.made_ns = 0
        self.shown_ns = 0
        self.failed: list[Sentence] = []
        self.pictured = True
        """Whether the newest change has a picture."""
        self._outputs = outputs
        self._timers = timers
        self._audience: dict[Sentence, tuple[Publish, Publish | None]] = {}
        self._view: PanelView | None = None
        self._picture: Picture | None = None
        self._expected: tuple[Picture, PanelView | None, PanelView] | None = None
        """A picture, the view before it, and its view."""
        self._tone: Tone | None = None

    def show_to(self, name: Sentence, publish: Publish, *, expect: Publish | None = None) -> None:
        """Give it every picture from now on, after those who were named before; `expect` gets one that may
        come next."""
        self._audience[name] = publish, expect

    def expect(self, picture: Picture) -> None:
        """This picture may be the next one: what panel and audience show of it is worked out now."""
        self._expected = picture, self._view, self._view_of(picture)
        for _, expect in self._audience.values():
            if expect is not None:
                expect(picture)

    def show(self, make: Callable[[], Picture], now_ns: int) -> None:
        """Show the picture of `now_ns`."""
        self.failed = []
        self._tone = None
        self.pictured = self.step(Sentence("part.picture"), lambda: self._make(make))
        picture = self._picture
        if self.pictured and picture is not None:
            self.step(Sentence("part.panel_view"), lambda: self._look(picture))
            self.step(Sentence("part.lamps_and_buzzer"), lambda: self._light_up(now_ns))
            self.made_ns = self._timers.boot_ns()
            for name, (publish, _) in self._audience.items():
                self.step(name, partial(publish, picture))
        self.shown_ns = self._timers.boot_ns()
        self.step(Sentence("part.display"), lambda: self._outputs.follow_up(now_ns, self._tone))

    def step(self, name: Sentence, act: Callable[[], object]) -> bool:
        """Do what showing consists of; False, and its name in `failed`, when it breaks off."""
        error = caught(act)
        if error is not None:
            log.error("showing broke off at %s", name.key, exc_info=error)
            self.failed.append(name)
        return error is None

    def trouble(self) -> Sentence:
        """What broke off."""
        parts = reduce(lambda before, one: Sentence("list.and", before=before, next=one), self.failed)
        return Sentence("health.showing_failed", parts=parts)

    def _make(self, make: Callable[[], Picture]) -> None:
        self._picture = make()

    def _look(self, picture: Picture) -> None:
        before, expected = self._view, self._expected
        self._expected = None
        if expected is not None and expected[0] is picture and expected[1] is before:
            self._view = expected[2]
        else:
            self._view = self._view_of(picture)
        self._tone = tone_between(before, self._view)

    def _view_of(self, picture: Picture) -> PanelView:
        return view_of(picture, offset_ns=0, before=self._view, language=self._outputs.language)

    def _light_up(self, now_ns: int) -> None:
        if self._view is not None:
            self._outputs.show_at_once(self._view, now_ns, self._tone)


# What has changed since the picture that the sender of a command saw: for each field that counts the `seq` at
# which it last did. No picture is kept.


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


class Unseen:
    """Called on the loop only. `session` is that of the pictures."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._values: dict[CountingField, object] = {}
        self._changed: dict[CountingField, int] = {}
        self._seq = 0

    def note(self, game: Game, seq: int) -> None:
        """This is the game of the picture `seq`."""
        self._seq = seq
        for name, value in _values(game).items():
            if name not in self._values or self._values[name] != value:
                self._values[name] = value
                self._changed[name] = seq

    def against(self, command: str, *, seq: int, session: str | None) -> Sentence | None:
        """Why it must not be done for who saw the picture `seq` of `session` (None: of this one), or None
        when nothing that counts for it has changed."""
        counting = COUNTING[command]
        if not counting:
            return None
        if session not in (None, self._session) or seq > self._seq:
            return SEEN_BEFORE_RESTART
        changed = dict.fromkeys(_NAMES[name] for name in counting if self._changed.get(name, 0) > seq)
        if not changed:
            return None
        what = reduce(lambda before, one: Sentence("list.and", before=before, next=one), changed)
        return Sentence("answer.changed_unseen", what=what)


def _values(game: Game) -> dict[CountingField, object]:
    """Nearly all are compared by identity first, so what has not changed costs next to nothing."""
    state, actions = game.state, game.actions
    newest = actions.last_undoable
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
        (None if newest is None else actions[newest], game.undone),
    )
    return dict(zip(COUNTING_FIELDS, found, strict=True))


STOOD_STILL_NS = 1_000_000_000
"""A turn that is later than this is told to the director and noted in the journal."""

SILENT_NS = 2_000_000_000
"""After so long without a sign of life play does not go on by itself: it is paused where the hall saw it
last, as after a restart. After more than STOOD_STILL_NS it is too where more than one phase would have begun
meanwhile, as in a simulation whose time runs faster: nobody saw those between."""

SIGN_OF_LIFE_NS = 250_000_000
"""While play goes on the loop looks at the clock at least this often."""

SAVED_SHOWN_AFTER_NS = 50_000_000
"""A picture that only tells what is on the disk by now waits until the change itself has reached everybody: a
thousand phones take a hundredth of a second, in which nothing else is to be made."""

IDENTIFY_NS = 5_000_000_000
"""How long a screen or table shows its name."""


class GameLoop:
    """See the module. `showing` gives every picture to whom it is told to; `languages` are the hall's.
    `close_after_minutes`: so long after its end a game is closed by itself, 0: never."""

    def __init__(
        self,
        *,
        game: Game,
        time: GameTime,
        session: str,
        log: Log,
        timers: Timers,
        outputs: Outputs,
        metrics: Metrics | None = None,
        obstacles: Obstacles | None = None,
        languages: tuple[str, ...] = (ENGLISH,),
        event: EventView = NO_EVENT,
        close_after_minutes: int = 0,
    ) -> None:
        self.game = game
        self.time = time
        self.session = session
        self.unseen = Unseen(session)
        self.seq = 0
        self.health = Health(languages[0])
        self.metrics = metrics or Metrics()
        self.obstacles = obstacles or Obstacles()
        self.boards = Boards()
        self.saves = SaveTracker(log=log, timers=timers, moved=self._disk_moved, metrics=self.metrics)
        self._languages = languages
        self._event = event
        self._timers = timers
        self._outputs = outputs
        self.showing = Showing(outputs=outputs, timers=timers)
        self._ahead: PressAhead | None = None
        self._alarm: Alarm | None = None
        self._life: Alarm | None = None
        self._saved_alarm: Alarm | None = None
        self._due_ns: int | None = None
        self._shown_until_ns = time.game_ns(timers.boot_ns())
        """Game time of the last sign of life."""
        self._told_trouble: Sentence | None = None
        self._identify: Identify | None = None
        self.sound: SoundView | None = None
        """As it stands in the next picture; None without sound."""
        self.elsewhere: Elsewhere | None = None
        """Where the hall follows the game of another one."""
        self._link: Callable[[], LinkView] | None = None
        self._named: str | None = None
        self._telling = False
        self._stopped = False
        self._closing = ClosingTime(close_after_minutes)
        self._closed_seq = 0

    def follow(self, elsewhere: Elsewhere) -> None:
        """Show from now on what this tells in place of the own game."""
        self.elsewhere = elsewhere

    def lead(self, link: Callable[[], LinkView], *, named: str | None = None) -> None:
        """From now on its pictures say how the other halls stand. `named`: claims go on naming this hall's
        boards with the hall before them, as they did while it followed."""
        self._link = link
        self._named = named

    def begin(
        self,
        events: tuple[Event, ...] = (),
        lines: Lines | None = None,
        *,
        ended_ns: int | None = None,
    ) -> None:
        """Show the game for the first time, after these events and with these lines for the journal;
        nothing sounds. One that has ended did so at `ended_ns` (CLOCK_BOOTTIME)."""
        self._closing.ended_before(self.game, ended_ns, self._timers.boot_ns())
        if events:
            self.commit(events, lines)
        else:
            self.changed(lines)

    def stop(self) -> None:
        """Nothing turns or is noted any more: before the journal is closed, which could not take it."""
        self._stopped = True
        self.saves.stop()
        for alarm in (self._alarm, self._saved_alarm, self._life):
            if alarm is not None:
                alarm.cancel()

    def picture(self) -> Picture:
        """The picture as of now."""
        return self._picture(self._timers.boot_ns())

    def press(self, at_ns: int) -> None:
        """The big button was pressed; `at_ns` is CLOCK_BOOTTIME of the first contact."""
        qualified_ns = self._timers.boot_ns()
        if self.elsewhere is not None:
            self.elsewhere.press(at_ns)
            return
        self._advance()
        ahead = self._ahead and self._ahead.decided(at_ns, self.game)
        decision = ahead or self.decide(Press(), at_ns=at_ns, source="button")
        if not decision.events:
            self._outputs.acknowledge(qualified_ns)
            return
        self.commit(decision.events, after=decision.game)
        self.metrics.press_to_freeze.add_ns(self.showing.shown_ns - at_ns)
        self.metrics.qualified_to_freeze.add_ns(self.showing.shown_ns - qualified_ns)
        self.saves.on_disk().add_done_callback(partial(self._press_saved, at_ns))

    def expect_press(self, at_ns: int, counts_ns: int) -> None:
        """A press whose first contact was at `at_ns` will count at `counts_ns`, unless its contact opens
        again: what it does and shows is worked out now."""
        self._ahead = None
        turns_ns = self._due_ns
        if self.elsewhere is None and (turns_ns is None or self.time.game_ns(counts_ns) < turns_ns):
            frame = self._frame(counts_ns, self.seq + 1)
            self._ahead = work_out(self.game, self.time, frame, at_ns=at_ns, counts_ns=counts_ns)
        if self._ahead is not None:
            self.showing.expect(self._ahead.picture)

    @property
    def frozen(self) -> bool:
        """Play is paused and no 3-2-1 runs."""
        return isinstance(self.game.state.clock, Frozen)

    @property
    def plays(self) -> bool:
        """The clock runs, or a 3-2-1 does."""
        if self.elsewhere is not None:
            return self.elsewhere.plays
        return isinstance(self.game.state.clock, Running | CountingDown)

    def board(self, name: str) -> str:
        """What claims call this board of the hall."""
        if self.elsewhere is not None:
            return self.elsewhere.board(name)
        return name if self._named is None else f"{self._named}{BETWEEN}{name}"

    def show_name(self, *, screen: str | None, board: str | None) -> None:
        """This screen and this board's table show their names for a while (`identify` in the picture)."""
        until_ns = self._timers.boot_ns() + IDENTIFY_NS
        self._identify = Identify(screen=screen, board=board, until_ms=until_ns // 1_000_000)
        self.changed()

    def swap(self, game: Game, time: GameTime) -> None:
        """Another game, whose journal is open and saved, takes its place; a free timer goes on, and screens
        that are covered stay so."""
        if any(isinstance(action.command, Start) for action in self.game.actions):
            self.obstacles.set(KNOWN_GAME, None)  # somebody has decided to go on without it
        kept = kept_by_another(self.game.state, self.time.game_ns(self._timers.boot_ns()))
        self.game, self.time = game, time
        self._shown_until_ns = time.game_ns(self._timers.boot_ns())
        self._closing.follow(game, (), self._timers.boot_ns())
        self.health.next_game()
        self.changed()
        for command in kept:
            self.commit(self.decide(command, at_ns=self._timers.boot_ns(), source="system").events)

    def report(self, part: str, level: HealthLevel, sentence: Sentence | None) -> None:
        """A part says what is not in order, or with None that all is well again."""
        if self.health.report(part, level, sentence):
            self.changed()

    def show_saved(self) -> None:
        """Show what is on the disk by now, if no picture has told it."""
        if self._saved_alarm is not None:
            self._saved_alarm.cancel()
            self._saved_alarm = None
            self._show(self._timers.boot_ns())

    def tell_sound(self, sound: SoundView) -> None:
        """To stand in the pictures from the next one on."""
        self.sound = sound

    def defect(self, what: str) -> None:
        """A command or callback broke off inside: the game goes on."""
        self.metrics.count("defects")
        self.report("defect", "fault", Sentence("health.something_failed", what=what))

    def broke_off(self, error: Exception, at: str) -> Sentence:
        """What somebody asked for, `at` here, raised this: the game goes on. The sentence is the answer."""
        log.error("%s broke off", at, exc_info=error)
        self.defect(named(error))
        return broken_off(error)

    def note(self, data: dict[str, object]) -> None:
        """A line of kind `note` in the journal."""
        self.changed([("note", data)])

    def changed(self, lines: Lines | None = None) -> None:
        """Something besides the game has changed: a new picture, and lines about it for the journal. After
        the stop, when threads may still tell what they saw, nobody is there to be told."""
        if self._stopped:
            return
        now_ns = self._timers.boot_ns()
        self.seq += 1
        if lines:
            self.saves.decided(self.seq, lambda: lines, game_ns=self.time.game_ns(now_ns), boot_ns=now_ns)
        self._show(now_ns)

    def tick(self) -> None:
        """Let everything happen that is due by now, and come back for the next."""
        due = self._due_ns
        if not self._advance() and due is not None and due <= self.time.game_ns(self._timers.boot_ns()):
            self.changed()
        if self._closing.due(self._timers.boot_ns()):
            self.close()
        self._arm_due()

    def close(self) -> None:
        """Close an ended game: its seed goes to the journal. Any other stays as it is."""
        decision = self.decide(Close(confirm=True), at_ns=self._timers.boot_ns(), source="system")
        if decision.events:
            self.commit(decision.events)

    def fault(self, part: str, sentence: Sentence, level: HealthLevel = "fault") -> None:
        """Pause because something is wrong that the director must see."""
        self.health.report(part, level, sentence)
        decision = self.decide(Pause("fault"), at_ns=self._timers.boot_ns(), source="system")
        if decision.events:
            self.commit(decision.events)
        else:
            self.changed()

    def reasons_against(self, command: Command) -> tuple[Sentence, ...]:
        """What stands against it besides the rules."""
        against = self._against().get(NAMES[type(command)])
        overridden = isinstance(command, Start | Resume) and command.override
        return () if against is None or (against.override and overridden) else against.reasons

    def _against(self) -> dict[str, NotAllowed]:
        return self.obstacles.against(disk=self.saves.trouble)

    def reserve_seq(self) -> int:
        """Number of a change that somebody else hands to the journal now."""
        self.seq += 1
        self.saves.reserve(self.seq)
        return self.seq

    def _advance(self) -> bool:
        """Let the clock turn as often as it is due; True when it did, or when play was paused because nobody
        could have watched that."""
        now_ns = self._timers.boot_ns()
        until_ns, self._shown_until_ns = self._shown_until_ns, self.time.game_ns(now_ns)
        events = tick(self.game, self._shown_until_ns)
        begun = sum(not isinstance(event, Resumed) for event in events)
        silent_ns = now_ns - self.time.boot_ns(until_ns)
        if silent_ns > SILENT_NS or (silent_ns > STOOD_STILL_NS and begun > 1):
            return self._paused_where_seen(until_ns, silent_ns)
        if not events:
            return False
        happened_ns = now_ns if self._due_ns is None else min(now_ns, self.time.boot_ns(self._due_ns))
        self.commit(events)
        if now_ns - happened_ns > STOOD_STILL_NS:
            self._stood_still(now_ns - happened_ns)
        return True

    def _paused_where_seen(self, at_ns: int, silent_ns: int) -> bool:
        """Pause play as it was at this game time; False where none was on."""
        if not isinstance(self.game.state.clock, Running | CountingDown):
            return False
        decision = decide(self.game, Pause("recovery"), at_ns=at_ns, now_ns=at_ns, source="system")
        seconds = silent_ns / 1e9
        log.warning("the controller stood still for %.1f s: play is paused where it was then", seconds)
        self.health.report("still", "warning", Sentence("health.stood_still_paused", seconds=seconds))
        self.commit(decision.events, [("note", {"stood_still_ms": silent_ns // 1_000_000})])
        return True

    def decide(self, command: Command, *, at_ns: int, source: str) -> Decision:
        """What the rules say to this command, whose cause was at this CLOCK_BOOTTIME; nothing is done yet."""
        self._advance()
        now_ns = self.time.game_ns(self._timers.boot_ns())
        return decide(self.game, command, at_ns=self.time.game_ns(at_ns), now_ns=now_ns, source=source)

    def overdue_ns(self) -> int:
        """How long ago the clock should have turned; 0 when it is on time."""
        if self._due_ns is None:
            return 0
        return max(0, self._timers.boot_ns() - self.time.boot_ns(self._due_ns))

    def commit(
        self,
        events: tuple[Event, ...],
        lines: Lines | None = None,
        *,
        after: Game | None = None,
    ) -> None:
        """Apply and show these events and hand them to the journal, with further lines behind them. `after`:
        the game after them, if it is known."""
        self.game = after or reduce(apply, events, self.game)
        self.seq += 1
        if any(isinstance(event, Closed) for event in events):
            self._closed_seq = self.seq
        now_ns = self._timers.boot_ns()
        self._shown_until_ns = self.time.game_ns(now_ns)
        self._closing.follow(self.game, events, now_ns)

        def written() -> Lines:
            return [*(encode_event(event) for event in events), *(lines or [])]

        self.saves.decided(self.seq, written, game_ns=self.time.game_ns(now_ns), boot_ns=now_ns)
        self._show(now_ns)

    def _show(self, now_ns: int) -> None:
        try:
            self.showing.show(lambda: self._picture(now_ns), now_ns)
        finally:
            self.unseen.note(self.game, self.seq)
            self.saves.hand_over()
        self._arm_due()
        self._tell_failures()

    def _tell_failures(self) -> None:
        """Say what broke off while something was shown, and show it once more."""
        if self.showing.failed and not self._telling:
            self._telling = True
            self.metrics.count("defects")
            self.health.report("showing", "fault", self.showing.trouble())
            self.changed()
            self._telling = False

    def _picture(self, now_ns: int) -> Picture:
        frame, ahead, self._ahead = self._frame(now_ns, self.seq), self._ahead, None
        own = ahead and ahead.pictured(self.game, frame)
        own = own or picture_at(self.game, self.time, now_ns, frame=frame)
        return own if self.elsewhere is None else self.elsewhere.over(own)

    def _frame(self, now_ns: int, seq: int) -> Frame:
        """What stands around the picture `seq`: the newest one, or the next."""
        saved_seq = self.saves.saved_seq(self.seq)
        if self._identify is not None and self._identify.until_ms * 1_000_000 <= now_ns:
            self._identify = None
        head = self.saves.head if saved_seq == seq else None
        return Frame(
            *(self.session, seq, saved_seq, head, self.health.picture),
            identify=self._identify,
            sound=self.sound,
            closing_saved=saved_seq >= self._closed_seq,
            closes_at_ms=None if self._closing.at_ns is None else self._closing.at_ns // 1_000_000,
            against=self._against(),
            languages=self._languages,
            event=self._event,
            link=None if self._link is None else self._link(),
        )

    def _arm_due(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if self._stopped:
            return
        self.showing.step(Sentence("part.clock"), self._call_when_due)
        self._live_on()

    def _live_on(self) -> None:
        """Look at the clock again soon, as long as play goes on; apart from the alarm of the next turn, which
        so depends on nothing else."""
        if self._life is None and isinstance(self.game.state.clock, Running | CountingDown):
            self._life = self._timers.call_at(self._timers.boot_ns() + SIGN_OF_LIFE_NS, self._live)

    def _live(self) -> None:
        self._life = None
        self._advance()
        self._live_on()

    def _call_when_due(self) -> None:
        due = self._due_ns = due_ns(self.game, self.time.game_ns(self._timers.boot_ns()))
        moments = [self._closing.at_ns, None if due is None else self.time.boot_ns(due)]
        next_ns = min((moment for moment in moments if moment is not None), default=None)
        self._alarm = None if next_ns is None else self._timers.call_at(next_ns, self.tick)

    def _stood_still(self, late_ns: int) -> None:
        seconds = late_ns / 1e9
        log.warning("the controller stood still for %.1f s", seconds)
        self.health.report("still", "warning", Sentence("health.stood_still", seconds=seconds))
        self.note({"stood_still_ms": late_ns // 1_000_000})

    def _press_saved(self, at_ns: int, saved: asyncio.Future[Sentence | None]) -> None:
        if saved.result() is None:
            self.metrics.press_to_saved.add_ns(self._timers.boot_ns() - at_ns)

    def _disk_moved(self) -> None:
        trouble, told = self.saves.trouble, self._told_trouble
        self._told_trouble = trouble
        if trouble is not None and trouble != told:
            self.fault("journal", trouble)
        elif trouble is None and told is not None:
            self.report("journal", "fault", None)
        elif self._saved_alarm is None and not self._stopped:
            shown_ns = self._timers.boot_ns() + SAVED_SHOWN_AFTER_NS
            self._saved_alarm = self._timers.call_at(shown_ns, self.show_saved)
