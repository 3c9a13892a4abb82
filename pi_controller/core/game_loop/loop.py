"""The owner of the game's state: takes commands, presses and ticks, gives pictures. Runs on one thread and
never blocks.

Order of every change: apply, set the outputs, publish the picture, hand the lines to the journal. A full or
dead disk therefore never delays a freeze, and the lines reach the journal even if showing fails. What
commands pass before and after is in `commands.py`.
"""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable
from functools import partial, reduce
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from pi_controller.core.game_loop.opening import kept_by_another
from pi_controller.core.game_loop.pending import RemoteGame
from pi_controller.core.game_loop.picture import (
    KNOWN_GAME,
    Boards,
    ChangeTracker,
    ClosingTime,
    GameTime,
    Obstacles,
    PictureDispatcher,
    PictureFrame,
    picture_at,
    saved_in,
)
from pi_controller.core.panel.outputs import Outputs
from pi_controller.core.runtime import Alarm, Health, Metrics, Threads, Timers, next_turn
from pi_controller.defects import broken_off, named, run_catching
from pi_controller.game.commands import NAMES, Close, Command, Pause, Press, Resume, Start
from pi_controller.game.events import Closed, Event, Resumed
from pi_controller.game.game import Decision, Game, apply, decide, due_ns, foresee, tick
from pi_controller.game.state import CountingDown, Running
from pi_controller.journal.errors import Part, Trouble
from pi_controller.journal.record import encode_event
from pi_controller.language.languages import ENGLISH
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

log = logging.getLogger(__name__)

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


# What of the game is on the disk, and who waits for it. Never blocks.


SAVE_DEADLINE_NS = 3_000_000_000
"""The disk counts as stalled if it takes longer than this for a line."""

STALLED = Sentence("journal.disk_stalled", seconds=SAVE_DEADLINE_NS // 1_000_000_000)

Lines = list[tuple[str, dict[str, object]]]


class Log(Protocol):
    """The journal writer as the loop sees it: returns at once; `tag` comes back when all lines are saved."""

    def append_all(self, lines: Lines, *, game_ns: int, boot_ns: int, tag: int) -> object: ...


class SaveTracker:
    """Changes on their way to the disk, numbered by their `seq` in the picture.

    `head` is the chain's hash at the newest saved line. `moved` is called after each change of what is saved
    or of the trouble.
    """

    def __init__(
        self,
        *,
        log: Log,
        timers: Timers,
        moved: Callable[[], None],
        metrics: Metrics,
    ) -> None:
        self.unwritten: Sentence | None = None
        """Why the oldest change that the journal lacks could not be handed over; None if it lacks none.
        Nothing later is saved before it."""
        self.trouble: Sentence | None = None
        """A sentence while nothing gets to the disk, otherwise None."""
        self.head: str | None = None
        self._disk: Sentence | None = None
        self._stopped = False
        self._metrics = metrics
        self._log = log
        self._timers = timers
        self._moved = moved
        self._changes: deque[tuple[int, int]] = deque()
        self._decided: deque[tuple[int, Callable[[], Lines], int, int]] = deque()
        self._handing_over = threading.Lock()
        self._waiting: deque[tuple[int, asyncio.Future[Sentence | None]]] = deque()
        self._eventual: deque[tuple[int, asyncio.Future[None]]] = deque()
        self._alarm: Alarm | None = None

    def saved_seq(self, seq: int) -> int:
        """The change up to which everything is on the disk; `seq` is the newest change."""
        return self._changes[0][0] - 1 if self._changes else seq

    def unsaved(self) -> int:
        return len(self._changes)

    def held(self) -> int:
        """Number of changes not handed to the journal yet. May be called from any thread."""
        return len(self._decided)

    def stop(self) -> None:
        """Hand over nothing more: the journal is closed next, and later changes are never saved."""
        self._stopped = True

    def reserve(self, seq: int) -> None:
        """Count this change as unsaved; somebody else hands its lines to the journal."""
        self._changes.append((seq, self._timers.boot_ns()))
        if self._alarm is None:
            self._watch()

    def decided(self, seq: int, lines: Callable[[], Lines], *, game_ns: int, boot_ns: int) -> None:
        """Count this change as unsaved; `hand_over` will give its lines to the journal. Both times are those
        of the change."""
        self.reserve(seq)
        self._decided.append((seq, lines, game_ns, boot_ns))

    def hand_over(self) -> None:
        """Give the journal all lines that it lacks; those of one change are saved together.

        If the lines of a change cannot be made, which is a defect, it stays first in the queue and is tried
        again with each later change. Later changes wait behind it, because a game that lacks a change cannot
        be read again.
        """
        with self._handing_over:
            error = run_catching(self._give)
        if error is None and self.unwritten is not None:
            self.unwritten = None
            self._watch()
            self._moved()
        elif error is not None and self.unwritten is None:
            log.error("a change could not be handed to the journal", exc_info=error)
            self.unwritten = Sentence("journal.change_not_written", what=named(error))
            self._metrics.count("defects")
            self._troubled(self.unwritten)

    def hand_over_at_last(self) -> None:
        """The same from the watchdog's thread, if the loop hangs; the journal is closed next."""
        with self._handing_over:
            error = run_catching(self._give)
        if error is not None:
            log.error("a change could not be handed to the journal", exc_info=error)
        self.stop()

    def _give(self) -> None:
        while self._decided and not self._stopped:
            seq, lines, game_ns, boot_ns = self._decided[0]
            self._log.append_all(lines(), game_ns=game_ns, boot_ns=boot_ns, tag=seq)
            self._decided.popleft()

    def on_disk(self) -> asyncio.Future[Sentence | None]:
        """Resolves to None when everything reserved so far is on the disk, or to a sentence if it is not in
        time."""
        future: asyncio.Future[Sentence | None] = self._timers.future()
        if not self._changes:
            future.set_result(None)
        elif self.trouble is not None:
            future.set_result(self.trouble)
        else:
            self._waiting.append((self._changes[-1][0], future))
        return future

    def on_disk_at_last(self) -> asyncio.Future[None]:
        """Resolves when everything reserved so far is on the disk, however long that takes."""
        future: asyncio.Future[None] = self._timers.future()
        if self._changes:
            self._eventual.append((self._changes[-1][0], future))
        else:
            future.set_result(None)
        return future

    def saved(self, seq: int, head: str) -> None:
        """Reported by the journal: everything up to this change is on the disk."""
        self.head = head
        if self._decided:
            seq = min(seq, self._decided[0][0] - 1)
        while self._changes and self._changes[0][0] <= seq:
            self._changes.popleft()
        if self._disk == STALLED:
            self._disk = None
        self._watch()
        _tell(self._eventual, seq)
        _tell(self._waiting, seq)
        self._moved()

    def troubled(self, sentence: Sentence | None) -> None:
        """Reported by the journal: nothing can be written, or, with None, it can again."""
        self._disk = sentence
        self._troubled(sentence)

    def _troubled(self, sentence: Sentence | None) -> None:
        self._watch()
        if sentence is not None:
            self._fail_waiting(sentence)
        self._moved()

    def _watch(self) -> None:
        """Set the alarm for a disk that takes too long; call after each change of what is in the way."""
        self.trouble = self.unwritten or self._disk
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if self._changes and self.trouble is None:
            self._alarm = self._timers.call_at(self._changes[0][1] + SAVE_DEADLINE_NS, self._late)

    def _late(self) -> None:
        self._alarm = None
        if self._changes and self.trouble is None:
            self.troubled(STALLED)

    def _fail_waiting(self, sentence: Sentence) -> None:
        while self._waiting:
            _, future = self._waiting.popleft()
            if not future.done():
                future.set_result(sentence)


def _tell(waiting: deque[tuple[int, asyncio.Future[Any]]], seq: int) -> None:
    """Resolve those who wait for this change or an earlier one, except cancelled ones."""
    while waiting and waiting[0][0] <= seq:
        _, future = waiting.popleft()
        if not future.done():
            future.set_result(None)


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
        self._closing.follow(self.game, (), self._timers.boot_ns() if ended_ns is None else ended_ns)
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
        ahead = self._ahead
        if ahead is not None and ahead.at_ns == at_ns and ahead.before is self.game:
            decision = ahead.decision
        else:
            decision = self.decide(Press(), at_ns=at_ns, source="button")
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
        """Tell what is on the disk, if no picture has told it yet. A new picture is made where that is the
        closing of a game, which shows more, and where an output has failed, which tries again with it."""
        if self._saved_alarm is None:
            return
        self._saved_alarm.cancel()
        self._saved_alarm = None
        newest, saved_seq = self.showing.picture, self.saves.saved_seq(self.seq)
        closed = self.game.closed and saved_seq >= self._closed_seq
        whole = newest is None or newest.seq != self.seq or newest.closed != closed
        if newest is None or whole or self.elsewhere is not None or self._outputs.trouble():
            self._show(self._timers.boot_ns())
            return
        head = self.saves.head if saved_seq == self.seq else None
        told = saved_in(newest, saved_seq=saved_seq, head=head)
        if told != newest:
            self.showing.show_saved(told, self.picture)
            if self.showing.failed and not self._telling:
                self._tell_failures()

    def use(self, languages: tuple[str, ...], event: EventView, *, close_after_minutes: int) -> None:
        """Show these languages and this event from the next picture on; of the event's logo what is known
        stays."""
        self._languages = languages
        self._event = replace(event, logo=self._event.logo)
        self.health.speak(languages[0])
        self._closing.wait(close_after_minutes)

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
        self.showing.step(Sentence("part.clock"), self._arm_due)

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
        against = self.obstacles.against(disk=self.saves.trouble).get(NAMES[type(command)])
        overridden = isinstance(command, Start | Resume) and command.override
        return () if against is None or (against.override and overridden) else against.reasons

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
        self.saves.decided(
            self.seq,
            lambda: [*map(encode_event, events), *(lines or [])],
            game_ns=self.time.game_ns(now_ns),
            boot_ns=now_ns,
        )
        self._show(now_ns)

    def _show(self, now_ns: int) -> None:
        try:
            self.showing.show(lambda: self._picture(now_ns), now_ns)
        finally:
            self.unseen.note(self.game, self.seq)
            self.saves.hand_over()
        self.showing.step(Sentence("part.clock"), self._arm_due)
        if self.showing.failed and not self._telling:
            self._tell_failures()

    def _tell_failures(self) -> None:
        """Report steps that failed during showing, and publish a picture with that report."""
        self._telling = True
        self.metrics.count("defects")
        self.health.report("showing", "fault", self.showing.trouble())
        self.changed()
        self._telling = False

    def _picture(self, now_ns: int) -> Picture:
        frame, ahead, self._ahead = self._frame(now_ns, self.seq), self._ahead, None
        if ahead is not None and ahead.decision.game is self.game and ahead.frame == frame:
            own = ahead.picture
        else:
            own = picture_at(self.game, self.time, now_ns, frame=frame)
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
            against=self.obstacles.against(disk=self.saves.trouble),
            languages=self._languages,
            event=self._event,
            link=None if self._link is None else self._link(),
        )

    def _arm_due(self) -> None:
        """Set the alarm for the next moment at which something is due, and for the next look at the clock."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if self._stopped:
            return
        self._live_on()
        due = self._due_ns = due_ns(self.game, self.time.game_ns(self._timers.boot_ns()))
        moments = [self._closing.at_ns, None if due is None else self.time.boot_ns(due)]
        next_ns = min((moment for moment in moments if moment is not None), default=None)
        self._alarm = None if next_ns is None else self._timers.call_at(next_ns, self.tick)

    def _live_on(self) -> None:
        """Set an alarm for the next look at the clock during play, independent of the alarm for the next
        phase."""
        if self._life is None and isinstance(self.game.state.clock, Running | CountingDown):
            turn_ns = next_turn(self._timers.boot_ns(), SIGN_OF_LIFE_NS)
            self._life = self._timers.call_at(turn_ns, self._live)

    def _live(self) -> None:
        self._life = None
        self._advance()
        self._live_on()

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


# Reports of the journal's threads, brought to the game loop.


PAUSING: dict[Part, str] = {"journal": "journal file", "space": "space kept back"}
"""Warnings that pause play until the director has seen them, with their parts in the health."""


class JournalNews:
    """Callbacks of journal and heartbeat writer, called on their threads. Ignored before there is a game."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._loop: GameLoop | None = None

    def tell(self, loop: GameLoop) -> None:
        """Report to this loop from now on."""
        self._loop = loop

    def saved(self, tag: int, head: str) -> None:
        self._on_loop(lambda loop: loop.saves.saved(tag, head))

    def trouble(self, trouble: Trouble) -> None:
        if trouble.part == "journal" and trouble.fatal:
            self._on_loop(lambda loop: loop.saves.troubled(trouble.sentence))
        elif trouble.part in PAUSING:
            self._on_loop(lambda loop: loop.fault(PAUSING[trouble.part], trouble.sentence, "warning"))
        else:
            self._on_loop(lambda loop: loop.report(trouble.part, "warning", trouble.sentence))

    def mended(self, part: Part) -> None:
        if part == "journal":
            self._on_loop(lambda loop: loop.saves.troubled(None))
        else:
            self._on_loop(lambda loop: loop.report(PAUSING.get(part, part), "warning", None))

    def _on_loop(self, act: Callable[[GameLoop], None]) -> None:
        self._threads.call_on_loop(lambda: None if self._loop is None else act(self._loop))
