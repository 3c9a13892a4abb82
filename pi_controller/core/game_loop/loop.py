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

from pi_controller.core.game_loop.boards import Boards
from pi_controller.core.game_loop.closing_time import ClosingTime
from pi_controller.core.game_loop.game_time import GameTime
from pi_controller.core.game_loop.obstacles import KNOWN_GAME, Obstacles
from pi_controller.core.game_loop.opening import kept_by_another
from pi_controller.core.game_loop.pending import Elsewhere
from pi_controller.core.game_loop.picture import Frame, picture_at
from pi_controller.core.game_loop.press_ahead import PressAhead, work_out
from pi_controller.core.game_loop.saves import Lines, Log, SaveTracker
from pi_controller.core.game_loop.showing import Showing
from pi_controller.core.game_loop.unseen import Unseen
from pi_controller.core.panel.outputs import Outputs
from pi_controller.core.runtime.health import Health
from pi_controller.core.runtime.metrics import Metrics
from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.defects import broken_off, named
from pi_controller.game.commands import NAMES, Close, Command, Pause, Press, Resume, Start
from pi_controller.game.events import Closed, Event, Resumed
from pi_controller.game.game import Decision, Game, apply, decide, due_ns, tick
from pi_controller.game.phases import NotAllowed
from pi_controller.game.state import CountingDown, Frozen, Running
from pi_controller.journal.record import encode_event
from pi_controller.language.languages import ENGLISH
from pi_controller.protocol.halls import BETWEEN, LinkView
from pi_controller.protocol.picture import NO_EVENT, EventView, HealthLevel, Identify, Picture
from pi_controller.protocol.sound import SoundView
from pi_controller.sentence import Sentence

log = logging.getLogger(__name__)

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
