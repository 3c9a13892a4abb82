"""From the pause button's contacts to presses in the game loop."""

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec import Struct

from pi_controller.core.game_loop.commands import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.pending import PendingCommand
from pi_controller.core.runtime import Alarm, Threads, Timers, next_turn
from pi_controller.game.commands import Resume
from pi_controller.game.state import Frozen
from pi_controller.hal.debouncer import (
    ButtonEvent,
    Debouncer,
    Held,
    HeldSinceBoot,
    Pressed,
    Released,
    StuckPressed,
    WireBroken,
    WireMended,
)
from pi_controller.hal.evdev import EvdevButton, KeyChoice
from pi_controller.hal.roles import ContactChange, Contacts, HardwareError, PauseButton
from pi_controller.journal.store import read_plain, write_private
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.protocol.messages import AskButton, ButtonAnswer, ButtonView, encode_error
from pi_controller.protocol.question import encode
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence, sentence_of
from pi_controller.settings.sections import PauseButtonSettings

log = logging.getLogger(__name__)

LOOK_NS = 250_000_000
"""Interval at which levels are read while edges tell of every change. If they do not, as when the GPIO
library's thread has died, a change counts from the next look: a press is late by at most this much once, and
one that is shorter is lost if none of its edges has come."""

POLL_NS = 20_000_000
"""Interval at which levels are read for CLOSE_NS after an edge, and from a change without an edge until edges
come again: so much a lost edge costs then."""

CLOSE_NS = 200_000_000
"""Longer than any bounce, whose edges the kernel may drop, and than a wire takes to count as broken."""

AHEAD_NS = 3_000_000
"""Time before a press counts at which its effect is computed. A bouncing contact starts again each time, so
this happens only after it has been still for a millisecond."""

UNTRUSTED = Sentence("button.without_time")
LEANED_ON = Sentence("button.pressed_since_start")
STUCK = Sentence("button.stuck")
BROKEN = {"nc": Sentence("button.both_open"), "no": Sentence("button.both_closed")}


class PressInterceptor(Protocol):
    """A hardware test that watches the button."""

    on: bool
    """True while a test is under way."""

    def edge(self, change: ContactChange) -> None:
        """Each raw edge."""

    def press(self, at_ns: int) -> None:
        """Called for a press that counts; it belongs to the test and not to the game."""


class ButtonWatch:
    """Feeds the debouncer from the button and acts on its results. Called on the loop only, except
    `report`."""

    def __init__(
        self,
        *,
        button: PauseButton,
        qualifier: Debouncer,
        loop: GameLoop,
        commands: CommandQueue,
        timers: Timers,
        threads: Threads,
        tap: PressInterceptor | None = None,
    ) -> None:
        self._button = button
        self._tap = tap
        self._qualifier = qualifier
        self._loop = loop
        self._commands = commands
        self._timers = timers
        self._threads = threads
        self._due: Alarm | None = None
        self._ahead: Alarm | None = None
        self._poll: Alarm | None = None
        self._polled_ns = self._edge_ns = timers.boot_ns()
        self._slow = False
        """The next poll is a slow one."""
        self._known: Contacts | None = None
        """The levels by edges and looks."""
        self._unheard = False
        """A level has changed without an edge."""
        self._stopped = False
        self._began_in_pause = False

    def start(self) -> None:
        """Read the present levels, then listen for edges."""
        self._button.listen(self.report)
        self.poll()

    def stop(self) -> None:
        self._stopped = True
        for alarm in (self._due, self._ahead, self._poll):
            if alarm is not None:
                alarm.cancel()

    def beat_ns(self) -> int:
        """CLOCK_BOOTTIME of the last level poll."""
        return self._polled_ns

    def report(self, change: ContactChange) -> None:
        """Called on the driver's thread; hands the edge to the loop."""
        self._threads.call_on_loop(lambda: self.change(change))

    def change(self, change: ContactChange) -> None:
        """One edge."""
        if self._stopped:
            return
        if not change.trusted:
            self._loop.report("stamps", "warning", UNTRUSTED)
        self._qualifier.change(change)
        self._heard(change)
        if self._tap is not None and self._tap.on:
            self._tap.edge(change)
        self._arrange()

    def poll(self) -> None:
        """Read the levels, act on results, and set the next poll; also restarts polling that failed."""
        self._sample()
        self._settle()
        self._poll_again()

    def _heard(self, change: ContactChange) -> None:
        """An edge: they work, and more may follow."""
        if self._known is not None:
            level = "no_closed" if change.contact == "no" else "nc_closed"
            self._known = replace(self._known, **{level: change.closed})
        self._edge_ns, self._unheard = self._timers.boot_ns(), False
        if self._slow:
            self._poll_again()

    def _poll_again(self) -> None:
        if self._poll is not None:
            self._poll.cancel()
        if self._stopped:
            return
        now_ns = self._timers.boot_ns()
        self._slow = not self._unheard and now_ns - self._edge_ns >= CLOSE_NS
        next_ns = next_turn(now_ns, LOOK_NS) if self._slow else now_ns + POLL_NS
        self._poll = self._timers.call_at(next_ns, self.poll)

    def _sample(self) -> None:
        self._polled_ns = self._timers.boot_ns()
        try:
            contacts = self._button.contacts()
        except HardwareError as error:
            self._loop.report("button", "fault", sentence_of(error))
            return
        self._loop.report("button", "fault", None)
        self._qualifier.sample(contacts, self._polled_ns)
        self._unheard = self._unheard or self._known not in (None, contacts)
        self._known = contacts

    def _settle(self) -> None:
        for event in self._qualifier.advance(self._timers.boot_ns()):
            self._act(event)
        self._arrange()

    def _arrange(self) -> None:
        for alarm in (self._due, self._ahead):
            if alarm is not None:
                alarm.cancel()
        self._due = self._ahead = None
        due_ns = self._qualifier.due_ns()
        if due_ns is None or self._stopped:
            return
        self._due = self._timers.call_at(due_ns, self._look)
        coming = self._qualifier.coming_press()
        if coming is not None:
            at_ns, counts_ns = coming
            expect = partial(self._loop.expect_press, at_ns, counts_ns)
            self._ahead = self._timers.call_at(counts_ns - AHEAD_NS, expect)

    def _look(self) -> None:
        self._due = None
        self._sample()
        self._settle()

    def _act(self, event: ButtonEvent) -> None:
        match event:
            case Pressed(at_ns=at):
                self._began_in_pause = isinstance(self._loop.game.state.clock, Frozen)
                if self._tap is not None and self._tap.on:
                    self._tap.press(at)
                else:
                    self._loop.press(at)
            case Held(at_ns=at):
                # The press that paused must not resume, however long the button is held.
                if self._began_in_pause:
                    resume = Resume(override=True)
                    self._commands.start(
                        PendingCommand("resume", {"override": True}, resume, "button", at_ns=at)
                    )
            case Released():
                self._loop.report("held", "warning", None)
            case HeldSinceBoot():
                self._loop.report("held", "warning", LEANED_ON)
            case StuckPressed():
                self._loop.report("held", "fault", STUCK)
            case WireBroken(contact=contact):
                self._wire_is(BROKEN[contact])
            case WireMended():
                self._wire_is(None)

    def _wire_is(self, sentence: Sentence | None) -> None:
        """With both contacts open there may be no button at all: a game begins only against that."""
        self._loop.report("wire", "fault", sentence)
        self._loop.obstacles.set("button", sentence)


# A USB key as the pause button: chosen by pressing it, and kept in the state folder over the settings.


CHOICE_FILE = "button.json"
LARGEST_FILE = 4096
"""Bytes."""
CHOOSE_S = 20.0
NOT_USED = Sentence("button.usb_not_used")


class _Kept(Struct, frozen=True, forbid_unknown_fields=True):
    choice: KeyChoice | None


def read_choice(state_dir: Path, settings: PauseButtonSettings) -> KeyChoice | None:
    """What was chosen last, otherwise what the settings name. Raises OSError and msgspec.DecodeError for a
    file that cannot be used."""
    path = state_dir / CHOICE_FILE
    if path.exists():
        return msgspec.json.decode(read_plain(path, most=LARGEST_FILE), type=_Kept).choice
    named = settings.usb_device and settings.usb_key
    return KeyChoice(settings.usb_device, settings.usb_key) if named else None


def keep_choice(state_dir: Path, choice: KeyChoice | None) -> None:
    """Raises OSError."""
    write_private(state_dir / CHOICE_FILE, msgspec.json.encode(_Kept(choice)) + b"\n")


class ButtonChooser:
    """Answers who asks for another button. `driver` is None where the settings name none of USB; `keep` may
    raise OSError and is called on a thread. All else is called on the loop."""

    def __init__(
        self,
        driver: EvdevButton | None,
        *,
        keep: Callable[[KeyChoice | None], None],
        threads: Threads,
    ) -> None:
        self._driver = driver
        self._keep = keep
        self._threads = threads
        self._said: Sentence | None = None
        """What became of the last choice, when it did not go well."""

    def answer(self, request: AskButton) -> bytes:
        """The line that says how it is then."""
        driver = self._driver
        if driver is not None:
            self._do(driver, request)
        elif request.do != "look":
            return encode_error(request.id, NOT_USED, request.language)
        return encode(ButtonAnswer(id=request.id, button=self._view(request.language)))

    def _do(self, driver: EvdevButton, request: AskButton) -> None:
        if request.do == "choose" and not driver.choosing:
            self._said = None
            driver.choose(
                CHOOSE_S, lambda outcome: self._threads.call_on_loop(partial(self._chosen, outcome))
            )
        elif request.do in {"stop", "forget"}:
            driver.stop_choosing()
            if request.do == "forget":
                driver.use(None)
                self._chosen(None)

    def _chosen(self, outcome: KeyChoice | Sentence | None) -> None:
        self._said = outcome if isinstance(outcome, Sentence) else None
        if not isinstance(outcome, Sentence):
            self._threads.run_in_thread(partial(self._work, outcome), "keeps the button")

    def _work(self, choice: KeyChoice | None) -> None:
        """On a thread."""
        try:
            self._keep(choice)
        except OSError as error:
            said = Sentence("button.usb_not_kept", why=why(error))
            self._threads.call_on_loop(partial(self._chosen, said))

    def _view(self, language: str) -> ButtonView:
        driver = self._driver
        if driver is None:
            return ButtonView(usable=False)
        choice, sentence = driver.choice, self._said or driver.trouble
        return ButtonView(
            usable=True,
            choosing=driver.choosing,
            name="" if choice is None else choice.name or choice.device,
            device="" if choice is None else choice.device,
            key=None if choice is None else choice.key,
            pressed=driver.pressed,
            presses=driver.presses,
            sentence=None if sentence is None else words(sentence, language),
            sentence_key=None if sentence is None else view(sentence),
        )
