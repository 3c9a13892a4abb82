"""Monitoring of computer and process.

The computer: supply, heat, disk, battery clock, told in the health and, if serious, as obstacles to a start.
The process: signs of life of all parts. The power button.
"""

import logging
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.picture import Obstacles
from pi_controller.core.panel.outputs import Outputs
from pi_controller.core.panel.view import PanelLevels
from pi_controller.core.runtime import (
    CHECK_NS,
    Alarm,
    Numbers,
    Supervisor,
    Threads,
    Timers,
    Watchdog,
    by_thread,
    next_turn,
)
from pi_controller.hal.names import SymbolName
from pi_controller.hal.roles import Clock, HardwareError, PushButton, StatusFace, SystemFacts
from pi_controller.hal.system.kernel import Notices
from pi_controller.journal.record import wall_time
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.protocol import refusal
from pi_controller.protocol.picture import HealthLevel
from pi_controller.sentence import Sentence, sentence_of

log = logging.getLogger(__name__)

LOOK_NS = 5_000_000_000
WARM_C = 75.0
"""Warning limit. A Raspberry Pi slows down at 80 to 85 °C; this leaves time to open a window."""
HOT_C = 82.0
COOLED_C = 3.0
"""Hysteresis: a sentence is withdrawn this far below its limit."""
FEW_BYTES = 200_000_000
TOO_FEW_BYTES = 20_000_000
"""Below this no game starts; an evening's journal needs about 5 MB."""

SET_BACK = timedelta(minutes=1)
"""A wall clock set back by more than this is reported; time synchronisation corrects by less."""

TOO_LOW = Sentence("computer.supply_too_low")
WAS_TOO_LOW = Sentence("computer.supply_was_too_low")
SLOWED = Sentence("computer.slowed_down")
CLOCK_STOPPED = Sentence("computer.clock_battery_empty")

Condition = tuple[HealthLevel, Sentence, bool] | None
"""Level, sentence, and whether it is an obstacle to a start."""


class Facts(Protocol):
    """Reads the computer's state; may block on a slow disk."""

    def read(self) -> SystemFacts: ...


class Computer:
    """Looks every LOOK_NS on a thread. Called on the loop otherwise."""

    def __init__(
        self,
        facts: Facts,
        *,
        loop: GameLoop,
        obstacles: Obstacles,
        timers: Timers,
        threads: Threads,
        web: Path,
        clock: Clock,
        newest_wall: Callable[[], str],
    ) -> None:
        """`web`: folder in which the web process says why it serves no pages. `newest_wall`: the latest time
        of day in the journal."""
        self._web = web
        self._clock = clock
        self._newest_wall = newest_wall
        self._facts = facts
        self._loop = loop
        self._obstacles = obstacles
        self._timers = timers
        self._threads = threads
        self._alarm: Alarm | None = None
        self._said: dict[str, str] = {}
        self._looking = False
        self._stopped = False
        self._figures: Numbers = {}

    def figures(self) -> Numbers:
        """Figures for `/metrics` as of the last look, without unknown ones."""
        return self._figures

    def begin(self) -> None:
        """Look now and from now on."""
        if self._stopped:
            return
        self._alarm = self._timers.call_at(next_turn(self._timers.boot_ns(), LOOK_NS), self.begin)
        if not self._looking:  # a stalled disk must not collect threads
            self._looking = True
            by_thread(self._threads, self._look, self._looked, broken={}, name="looks after the computer")

    def stop(self) -> None:
        self._stopped = True
        if self._alarm is not None:
            self._alarm.cancel()

    def _look(self) -> dict[str, Condition]:
        """One look, on the thread. A defect in it changes nothing that is told; the next look follows."""
        try:
            facts = self._facts.read()
            conditions = self._judged(facts)
            self._figures = computer_figures(facts)
        except HardwareError as error:
            return {"disk": ("fault", sentence_of(error), True)}
        return conditions

    def _judged(self, facts: SystemFacts) -> dict[str, Condition]:
        return {
            "supply": judge_supply(facts),
            "heat": judge_heat(facts, told="heat" in self._said),
            "disk": judge_disk(facts),
            "pages": judge_pages(refusal.read(self._web)),
            "clock": judge_time(self._clock.wall(), self._newest_wall()),
            "battery clock": ("warning", CLOCK_STOPPED, False) if facts.clock.rtc_runs is False else None,
        }

    def _looked(self, conditions: dict[str, Condition]) -> None:
        self._looking = False
        if self._stopped:
            return
        for part, condition in conditions.items():
            level, sentence, stops = condition or ("warning", None, False)
            self._obstacles.set(part, sentence if stops else None)
            self._loop.report(part, level, sentence)
            self._remember(part, sentence)

    def _remember(self, part: str, sentence: Sentence | None) -> None:
        """Write to log and journal if the condition has changed; its figures do not count."""
        kind = None if sentence is None else sentence.key
        if self._said.get(part) == kind:
            return
        if kind is None:
            self._said.pop(part, None)
        else:
            self._said[part] = kind
        told = None if sentence is None else words(sentence)
        log.warning("%s: %s", part, told or "in order again")
        self._loop.note({"computer": part, "condition": told})


def computer_figures(facts: SystemFacts) -> Numbers:
    """Figures of the computer: 1 for yes, 0 for no; unknown ones are left out."""
    said: dict[str, float | None] = {
        "computer_temperature_celsius": facts.temperature_c,
        "computer_disk_free_bytes": facts.disk.free_bytes,
        "computer_disk_errors_total": facts.disk.errors,
    }
    if facts.supply is not None:
        said |= {
            "computer_under_voltage": int(facts.supply.under_voltage),
            "computer_under_voltage_since_boot": int(facts.supply.under_voltage_since_boot),
            "computer_throttled": int(facts.supply.throttled),
        }
    return {name: value for name, value in said.items() if value is not None}


def judge_supply(facts: SystemFacts) -> Condition:
    """Supply: too low now is an obstacle to a start; too low since boot, or a slowed processor, is a
    warning."""
    supply = facts.supply
    if supply is None:
        return None
    if supply.under_voltage:
        return "fault", TOO_LOW, True
    if supply.under_voltage_since_boot:
        return "warning", WAS_TOO_LOW, False
    return ("warning", SLOWED, False) if supply.throttled else None


def judge_heat(facts: SystemFacts, *, told: bool) -> Condition:
    """Heat: from HOT_C on it is an obstacle to a start. `told`: a sentence is shown, which is withdrawn
    COOLED_C below its limit."""
    celsius = facts.temperature_c
    if celsius is None:
        return None
    if celsius >= HOT_C:
        return "fault", Sentence("computer.too_hot", celsius=celsius), True
    if celsius >= WARM_C - (COOLED_C if told else 0):
        return "warning", Sentence("computer.warm", celsius=celsius), False
    return None


def judge_pages(not_served: Sentence | None) -> Condition:
    """Why the web process serves no pages."""
    return None if not_served is None else ("fault", Sentence("computer.no_pages", why=not_served), False)


def judge_time(wall: str, newest: str) -> Condition:
    """Wall clock: whether it is before the newest journal line. Both as the journal writes them."""
    said, before = wall_time(wall), wall_time(newest)
    if said is None or before is None or said >= before - SET_BACK:
        return None
    last = before.astimezone().strftime("%Y-%m-%d %H:%M")
    return "warning", Sentence("computer.clock_behind", last=last), False


def judge_disk(facts: SystemFacts) -> Condition:
    """Disk: too little room for a journal is an obstacle to a start."""
    disk = facts.disk
    if disk.free_bytes < TOO_FEW_BYTES:
        return "fault", Sentence("computer.disk_full", free_mb=disk.free_bytes / 1e6), True
    if disk.free_bytes < FEW_BYTES:
        return "warning", Sentence("computer.disk_nearly_full", free_mb=disk.free_bytes / 1e6), False
    return ("warning", Sentence("computer.disk_errors", errors=disk.errors), False) if disk.errors else None


# Health monitor: the loop's regular look at signs of life, lateness, and reports of parts.


LATE_NS = 100_000_000
"""Lateness from which on the director is told that the machine is too busy."""

LATE_STAYS_NS = 30_000_000_000


class HealthMonitor:
    """Looks each CHECK_NS. It first gives the watchdog's sign of life, which says that the loop moves."""

    def __init__(
        self,
        *,
        loop: GameLoop,
        outputs: Outputs,
        supervisor: Supervisor,
        watchdog: Watchdog,
        notices: Notices,
        timers: Timers,
    ) -> None:
        self._loop = loop
        self._outputs = outputs
        self._supervisor = supervisor
        self._watchdog = watchdog
        self._notices = notices
        self._timers = timers
        self._alarm: Alarm | None = None
        self._due_ns = timers.boot_ns()
        self._late_ns = 0

    def go(self) -> None:
        """Look now, and again after CHECK_NS."""
        now_ns = self._timers.boot_ns()
        self._watchdog.beat()
        lag_ns = self._measure_lag(now_ns)
        self._due_ns = next_turn(now_ns, CHECK_NS)
        self._alarm = self._timers.call_at(self._due_ns, self.go)
        self._listen()
        # If this loop was stopped, so were all other parts: they get until the next look.
        if lag_ns < CHECK_NS and self._supervisor.check(now_ns):
            self._notices.alive()

    def stop(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()

    def _measure_lag(self, now_ns: int) -> int:
        lag_ns = now_ns - self._due_ns
        self._loop.metrics.loop_lag.add_ns(lag_ns)
        if lag_ns > LATE_NS:
            self._late_ns = now_ns
            self._loop.report("lag", "warning", Sentence("health.late", ms=lag_ns / 1e6))
        elif now_ns - self._late_ns > LATE_STAYS_NS:
            self._loop.report("lag", "warning", None)
            self._loop.report("still", "warning", None)
        return lag_ns

    def _listen(self) -> None:
        display = self._outputs.display
        self._loop.report("display", "warning", None if display is None else display.trouble())
        problems = self._outputs.trouble()
        self._loop.report(
            "panel", "fault", Sentence("panel.problems", problems=problems) if problems else None
        )


# Power button: switches the computer off when held for some seconds; lamp, buzzer and display show it.


IDLE_NS = 250_000_000
"""Interval of looks while the button is up: nobody holds it for less to switch the computer off."""
POLL_NS = 50_000_000
"""The same from a change of the level until it is up again. A level counts if two looks agree; contacts
bounce for less than this."""
BLINK_POLLS = 4
"""The pause lamp changes after this many looks (200 ms): 2.5 Hz, below the 3 Hz at which flicker can harm
people."""
TICK_MS = 60
FAREWELL_MS = 900
REFUSAL_SHOWS_NS = 3_000_000_000
REQUEST = "power-off"
"""A file of this name in the service's run-time folder makes systemd switch the computer off."""

NOT_A_SERVICE = Sentence("shutdown.not_a_service")
SIMULATED = Sentence("shutdown.simulated")
STUCK = Sentence("shutdown.pressed_since_start")


def request_power_off(folder: Path | None, *, simulated: bool) -> Sentence | None:
    """Ask the system to switch off. Returns a sentence if that is not possible. `folder`: the service's
    run-time folder, None without a service. A `simulated` button never switches the real machine off."""
    if simulated:
        return SIMULATED
    if folder is None:
        return NOT_A_SERVICE
    try:
        (folder / REQUEST).touch(mode=0o600)
    except OSError as error:
        return Sentence("shutdown.not_from_here", why=why(error))
    return None


def runtime_folder() -> Path | None:
    """The run-time folder given by systemd (RuntimeDirectory); None without one."""
    named = os.environ.get("RUNTIME_DIRECTORY")
    return Path(named.split(":")[0]) if named else None


class PowerOff:
    """Reads the button every IDLE_NS or POLL_NS, on the loop. `free` says whether the outputs may be used."""

    def __init__(
        self,
        button: PushButton,
        *,
        outputs: Outputs,
        loop: GameLoop,
        timers: Timers,
        hold_ns: int,
        request: Callable[[], Sentence | None],
        free: Callable[[], bool],
    ) -> None:
        self._button = button
        self._outputs = outputs
        self._loop = loop
        self._timers = timers
        self._hold_ns = hold_ns
        self._request = request
        self._free = free
        self._alarm: Alarm | None = None
        self._before = True
        self._released_once = False
        self._since_ns: int | None = None
        self._polls = 0
        self._lit = False
        self._shown_s = 0
        self._shows_until_ns: int | None = None
        self._done = False

    def begin(self) -> None:
        """Look now and from now on."""
        before = self._before
        self._look()
        now_ns = self._timers.boot_ns()
        idle = not self._before and not before and self._shows_until_ns is None and self._since_ns is None
        self._alarm = self._timers.call_at(
            next_turn(now_ns, IDLE_NS) if idle else now_ns + POLL_NS, self.begin
        )

    def stop(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()

    def _look(self) -> None:
        try:
            pressed = self._button.pressed()
        except HardwareError as error:
            self._loop.report("shutdown button", "warning", sentence_of(error))
            return
        settled, self._before = pressed == self._before, pressed
        if self._done or not settled:
            return
        if not self._released_once:
            self._released_once = not pressed
            self._loop.report("shutdown button", "warning", STUCK if pressed else None)
        elif pressed:
            self._held(self._timers.boot_ns())
        else:
            self._let_go(self._timers.boot_ns())

    def _held(self, now_ns: int) -> None:
        if self._shows_until_ns is not None or (self._since_ns is None and not self._free()):
            return
        if self._loop.plays:
            self._since_ns = None
            self._refuse(Sentence("display.pause_first"), Sentence("display.then_hold"), now_ns)
            return
        if self._since_ns is None:
            self._since_ns, self._polls, self._shown_s = now_ns, 0, 0
        left_ns = self._since_ns + self._hold_ns - now_ns
        if left_ns <= 0:
            self._switch_off(now_ns)
        else:
            self._count(left_ns)

    def _count(self, left_ns: int) -> None:
        self._lit = self._polls // BLINK_POLLS % 2 == 0
        self._polls += 1
        seconds = -(-left_ns // 1_000_000_000)
        headline, footer = Sentence("display.keep_holding"), Sentence("display.to_switch_off")
        self._show(self._face(headline, footer, "ended", big=str(seconds)))
        if seconds != self._shown_s:
            self._shown_s = seconds
            self._outputs.buzz(TICK_MS)

    def _let_go(self, now_ns: int) -> None:
        if self._shows_until_ns is not None and now_ns < self._shows_until_ns:
            return
        if self._since_ns is not None or self._shows_until_ns is not None:
            self._since_ns = self._shows_until_ns = None
            self._outputs.let_go()

    def _switch_off(self, now_ns: int) -> None:
        self._since_ns = None
        sentence = self._request()
        self._loop.note({"power_off": "asked for" if sentence is None else words(sentence)})
        if sentence is not None:
            self._loop.report("power off", "warning", sentence)
            self._refuse(Sentence("display.cannot_switch_off"), Sentence("display.by_hand"), now_ns)
            return
        log.warning("the shutdown button was held: the computer is switched off")
        self._done, self._lit = True, False
        headline, footer = Sentence("display.switching_off"), Sentence("display.unplug_when_dark")
        self._show(self._face(headline, footer, "ended"))
        self._outputs.buzz(FAREWELL_MS)

    def _refuse(self, headline: Sentence, footer: Sentence, now_ns: int) -> None:
        self._lit = False
        self._shows_until_ns = now_ns + REFUSAL_SHOWS_NS
        self._show(self._face(headline, footer, "fault"))
        self._outputs.buzz(TICK_MS)

    def _show(self, face: StatusFace) -> None:
        self._outputs.force(
            PanelLevels(sun=False, moon=False, pause_lamp=self._lit, face=face, next_change_ns=None)
        )

    def _face(self, headline: Sentence, footer: Sentence, symbol: SymbolName, *, big: str = "") -> StatusFace:
        language = self._outputs.language
        return StatusFace(words(headline, language), big=big, footer=words(footer, language), symbol=symbol)
