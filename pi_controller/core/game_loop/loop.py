"""The owner of the game's state: takes commands, presses and ticks, gives pictures. Runs on one thread and
never blocks.

Order of every change: apply, set the outputs, publish the picture, hand the lines to the journal. A full or
dead disk therefore never delays a freeze, and the lines reach the journal even if showing fails. What
commands pass before and after is in `commands.py`.
"""

import asyncio
import logging
from collections.abc import Callable
from functools import partial, reduce

from msgspec import Struct

from pi_controller.core.game_loop.opening import kept_by_another
from pi_controller.core.game_loop.pending import RemoteGame
from pi_controller.core.game_loop.picture import (
    KNOWN_GAME,
    Boards,
    ClosingTime,
    GameTime,
    Obstacles,
    PictureFrame,
    picture_at,
)
from pi_controller.core.game_loop.saves import Lines, Log, SaveTracker
from pi_controller.core.panel.outputs import Outputs, TimedTone, tone_between
from pi_controller.core.panel.view import PanelView, view_of
from pi_controller.core.runtime.health import Health, Metrics
from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.defects import broken_off, named, run_catching
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
    LinkView,
    NamesShown,
    Picture,
    SoundView,
)
from pi_controller.sentence import Sentence

# Work ahead of a press. While its contact settles (a few milliseconds), decision and picture are computed.
# Pure.


class PressAhead(Struct, frozen=True):
    """Decision and picture of a press at `at_ns` in the game `before`. The picture is valid while its frame
    is unchanged."""

    at_ns: int
    before: Game
    decision: Decision
    frame: PictureFrame
    picture: Picture

    def decided(self, at_ns: int, game: Game) -> Decision | None:
        """The decision, if the press is at this moment in this game; otherwise None, and the rules must be
        asked."""
        return self.decision if at_ns == self.at_ns and game is self.before else None

    def pictured(self, game: Game, frame: PictureFrame) -> Picture | None:
        """The picture, if game and frame are the same; otherwise None, and it must be made."""
        return self.picture if game is self.decision.game and frame == self.frame else None


def work_out(
    game: Game, time: GameTime, frame: PictureFrame, *, at_ns: int, counts_ns: int
) -> PressAhead | None:
    """Compute a press ahead. Returns None for a press that changes nothing, and for one that rolls dice: no
    roll may be computed before the press counts. Both moments are CLOCK_BOOTTIME. The picture is as of
    `counts_ns`; the phase must not change before that."""
    decision = foresee(
        game, Press(), at_ns=time.game_ns(at_ns), now_ns=time.game_ns(counts_ns), source="button"
    )
    if decision.game is None:
        return None
    picture = picture_at(decision.game, time, counts_ns, frame=frame)
    return PressAhead(at_ns, game, decision, frame, picture)


# Showing: from a game to the panel and the audience. If one step fails, the others still run.


log = logging.getLogger(__name__)

Publish = Callable[[Picture], object]


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
        self._audience: dict[Sentence, tuple[Publish, Publish | None]] = {}
        self._view: PanelView | None = None
        self._picture: Picture | None = None
        self._expected: tuple[Picture, PanelView | None, PanelView] | None = None
        """The expected picture, the view that was current when it was computed, and its own view."""
        self._tone: TimedTone | None = None

    def show_to(self, name: Sentence, publish: Publish, *, expect: Publish | None = None) -> None:
        """Register a receiver of every picture, called after those registered before. `expect` gets a picture
        that may come next, to prepare it."""
        self._audience[name] = publish, expect

    def expect(self, picture: Picture) -> None:
        """Prepare what panel and audience show of a picture that may come next."""
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
        """Run one step of showing. Returns False, and adds its name to `failed`, if it raises."""
        error = run_catching(act)
        if error is not None:
            log.error("showing broke off at %s", name.key, exc_info=error)
            self.failed.append(name)
        return error is None

    def trouble(self) -> Sentence:
        """A sentence that names the failed steps."""
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
        for name, value in _values(game).items():
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
        what = reduce(lambda before, one: Sentence("list.and", before=before, next=one), changed)
        return Sentence("answer.changed_unseen", what=what)


def _values(game: Game) -> dict[CountingField, object]:
    """The relevant values. Equal ones are usually the same object, so comparing them is cheap."""
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
"""If a phase begins later than this after its time, the director is told and the journal gets a note."""

SILENT_NS = 2_000_000_000
"""If the loop has not looked at the clock for this long, play is paused at the moment it last did, as after a
restart. After more than STOOD_STILL_NS it is paused too if more than one phase would have begun meanwhile, as
in a simulation at higher speed: nobody saw those phases."""

SIGN_OF_LIFE_NS = 250_000_000
"""During play the loop looks at the clock at least this often."""

SAVED_SHOWN_AFTER_NS = 50_000_000
"""A picture that only says that a change is on the disk waits this long, so that the change itself reaches
everybody first: sending to a thousand phones takes about 10 ms."""

IDENTIFY_NS = 5_000_000_000
"""How long a screen or table shows its name."""


class GameLoop:
    """See the module. `showing` gives pictures to all receivers; `languages` are the hall's.
    `close_after_minutes`: an ended game is closed by itself after this time; 0: never."""

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
        self.unseen = ChangeTracker(session)
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
        self.showing = PictureDispatcher(outputs=outputs, timers=timers)
        self._ahead: PressAhead | None = None
        self._alarm: Alarm | None = None
        self._life: Alarm | None = None
        self._saved_alarm: Alarm | None = None
        self._due_ns: int | None = None
        self._shown_until_ns = time.game_ns(timers.boot_ns())
        """Game time at which the loop last looked at the clock."""
        self._told_trouble: Sentence | None = None
        self._identify: NamesShown | None = None
        self.sound: SoundView | None = None
        """The sound part of the next picture; None without sound."""
        self.elsewhere: RemoteGame | None = None
        """Set while this hall follows the game of another one."""
        self._link: Callable[[], LinkView] | None = None
        self._named: str | None = None
        self._telling = False
        self._stopped = False
        self._closing = ClosingTime(close_after_minutes)
        self._closed_seq = 0

    def follow(self, elsewhere: RemoteGame) -> None:
        """Show the game of another core, as `elsewhere` gives it, in place of the own game."""
        self.elsewhere = elsewhere

    def lead(self, link: Callable[[], LinkView], *, named: str | None = None) -> None:
        """From now on pictures contain the state of the other halls. `named`: claims name this hall's boards
        with this hall's name before them, as they did while it followed."""
        self._link = link
        self._named = named

    def begin(
        self,
        events: tuple[Event, ...] = (),
        lines: Lines | None = None,
        *,
        ended_ns: int | None = None,
    ) -> None:
        """Show the game for the first time, after these events and with these lines for the journal. No tone
        is played. `ended_ns` (CLOCK_BOOTTIME): when an ended game ended."""
        self._closing.ended_before(self.game, ended_ns, self._timers.boot_ns())
        if events:
            self.commit(events, lines)
        else:
            self.changed(lines)

    def stop(self) -> None:
        """Stop the clock and hand nothing more to the journal. Call before closing the journal."""
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
        """Compute ahead what a press with first contact at `at_ns` will do and show if its contact stays
        closed until it counts at `counts_ns`."""
        self._ahead = None
        turns_ns = self._due_ns
        if self.elsewhere is None and (turns_ns is None or self.time.game_ns(counts_ns) < turns_ns):
            frame = self._frame(counts_ns, self.seq + 1)
            self._ahead = work_out(self.game, self.time, frame, at_ns=at_ns, counts_ns=counts_ns)
        if self._ahead is not None:
            self.showing.expect(self._ahead.picture)

    @property
    def frozen(self) -> bool:
        """True if play is paused and no 3-2-1 countdown runs."""
        return isinstance(self.game.state.clock, Frozen)

    @property
    def plays(self) -> bool:
        """True if the clock or a 3-2-1 countdown runs."""
        if self.elsewhere is not None:
            return self.elsewhere.plays
        return isinstance(self.game.state.clock, Running | CountingDown)

    def board(self, name: str) -> str:
        """The name of this board in claims."""
        if self.elsewhere is not None:
            return self.elsewhere.board(name)
        return name if self._named is None else f"{self._named}{BETWEEN}{name}"

    def show_name(self, *, screen: str | None, board: str | None) -> None:
        """Let a screen and a board's table show their names for IDENTIFY_NS (`identify` in the picture)."""
        until_ns = self._timers.boot_ns() + IDENTIFY_NS
        self._identify = NamesShown(screen=screen, board=board, until_ms=until_ns // 1_000_000)
        self.changed()

    def swap(self, game: Game, time: GameTime) -> None:
        """Replace the game by another one whose journal is open and saved. A free timer and a cover of the
        screens are kept."""
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
        """Set the health sentence of a part; None clears it."""
        if self.health.report(part, level, sentence):
            self.changed()

    def show_saved(self) -> None:
        """Publish `saved_seq` if no picture has told it yet."""
        if self._saved_alarm is not None:
            self._saved_alarm.cancel()
            self._saved_alarm = None
            self._show(self._timers.boot_ns())

    def tell_sound(self, sound: SoundView) -> None:
        """Set the sound part of the following pictures."""
        self.sound = sound

    def defect(self, what: str) -> None:
        """Count and report a defect in a command or callback; the game goes on."""
        self.metrics.count("defects")
        self.report("defect", "fault", Sentence("health.something_failed", what=what))

    def broke_off(self, error: Exception, at: str) -> Sentence:
        """Report that a request raised `error` at `at`; the game goes on. Returns the sentence to answer
        with."""
        log.error("%s broke off", at, exc_info=error)
        self.defect(named(error))
        return broken_off(error)

    def note(self, data: dict[str, object]) -> None:
        """A line of kind `note` in the journal."""
        self.changed([("note", data)])

    def changed(self, lines: Lines | None = None) -> None:
        """Publish a new picture after a change outside the game, with journal lines about it. Does nothing
        after `stop`, when threads may still report."""
        if self._stopped:
            return
        now_ns = self._timers.boot_ns()
        self.seq += 1
        if lines:
            self.saves.decided(self.seq, lambda: lines, game_ns=self.time.game_ns(now_ns), boot_ns=now_ns)
        self._show(now_ns)

    def tick(self) -> None:
        """Carry out everything that is due, and set the alarm for the next moment."""
        due = self._due_ns
        if not self._advance() and due is not None and due <= self.time.game_ns(self._timers.boot_ns()):
            self.changed()
        if self._closing.due(self._timers.boot_ns()):
            self.close()
        self._arm_due()

    def close(self) -> None:
        """Close an ended game by writing its seed to the journal. Other games stay as they are."""
        decision = self.decide(Close(confirm=True), at_ns=self._timers.boot_ns(), source="system")
        if decision.events:
            self.commit(decision.events)

    def fault(self, part: str, sentence: Sentence, level: HealthLevel = "fault") -> None:
        """Pause with reason `fault`, and report the sentence to the director."""
        self.health.report(part, level, sentence)
        decision = self.decide(Pause("fault"), at_ns=self._timers.boot_ns(), source="system")
        if decision.events:
            self.commit(decision.events)
        else:
            self.changed()

    def reasons_against(self, command: Command) -> tuple[Sentence, ...]:
        """Reasons against the command besides the rules."""
        against = self._against().get(NAMES[type(command)])
        overridden = isinstance(command, Start | Resume) and command.override
        return () if against is None or (against.override and overridden) else against.reasons

    def _against(self) -> dict[str, NotAllowed]:
        return self.obstacles.against(disk=self.saves.trouble)

    def reserve_seq(self) -> int:
        """The number of a change whose lines somebody else hands to the journal."""
        self.seq += 1
        self.saves.reserve(self.seq)
        return self.seq

    def _advance(self) -> bool:
        """Carry out all phase changes that are due. Returns True if there was one, or if play was paused
        because the loop had been silent too long."""
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
        """Pause play at this game time. Returns False if nothing was being played."""
        if not isinstance(self.game.state.clock, Running | CountingDown):
            return False
        decision = decide(self.game, Pause("recovery"), at_ns=at_ns, now_ns=at_ns, source="system")
        seconds = silent_ns / 1e9
        log.warning("the controller stood still for %.1f s: play is paused where it was then", seconds)
        self.health.report("still", "warning", Sentence("health.stood_still_paused", seconds=seconds))
        self.commit(decision.events, [("note", {"stood_still_ms": silent_ns // 1_000_000})])
        return True

    def decide(self, command: Command, *, at_ns: int, source: str) -> Decision:
        """The decision of the rules on this command, caused at this CLOCK_BOOTTIME. Changes nothing."""
        self._advance()
        now_ns = self.time.game_ns(self._timers.boot_ns())
        return decide(self.game, command, at_ns=self.time.game_ns(at_ns), now_ns=now_ns, source=source)

    def overdue_ns(self) -> int:
        """How long the next phase change is overdue; 0 if it is not."""
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
        """Apply and show these events and hand them to the journal, followed by further lines. `after`: the
        game after the events, if already computed."""
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
        """Report steps that failed during showing, and publish a picture with that report."""
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

    def _frame(self, now_ns: int, seq: int) -> PictureFrame:
        """The frame of picture `seq`, the newest one or the next."""
        saved_seq = self.saves.saved_seq(self.seq)
        if self._identify is not None and self._identify.until_ms * 1_000_000 <= now_ns:
            self._identify = None
        head = self.saves.head if saved_seq == seq else None
        return PictureFrame(
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
        """Set an alarm for the next look at the clock during play, independent of the alarm for the next
        phase."""
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
