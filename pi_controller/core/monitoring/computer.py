"""Looks after the computer itself: supply, heat, disk and battery clock, told in the picture's health and,
as far as they would stop a game, as obstacles against its start."""

import logging
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.obstacles import Obstacles
from pi_controller.core.runtime.metrics import Numbers
from pi_controller.core.runtime.threads import Threads
from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.hal.facts import SystemFacts
from pi_controller.hal.roles import Clock, HardwareError
from pi_controller.journal.record import wall_time
from pi_controller.language.words import words
from pi_controller.protocol import refusal
from pi_controller.protocol.picture import HealthLevel
from pi_controller.sentence import Sentence, said_by

log = logging.getLogger(__name__)

LOOK_NS = 5_000_000_000
WARM_C = 75.0
"""A Raspberry Pi slows down at 80 to 85 °C; a warning at this leaves time to open a window."""
HOT_C = 82.0
COOLED_C = 3.0
"""So much below a limit the sentence goes again, that it does not come and go."""
FEW_BYTES = 200_000_000
TOO_FEW_BYTES = 20_000_000
"""An evening's journal needs about 5 MB."""

SET_BACK = timedelta(minutes=1)
"""A clock that follows another one is put right by less."""

TOO_LOW = Sentence("computer.supply_too_low")
WAS_TOO_LOW = Sentence("computer.supply_was_too_low")
SLOWED = Sentence("computer.slowed_down")
CLOCK_STOPPED = Sentence("computer.clock_battery_empty")

Condition = tuple[HealthLevel, Sentence, bool] | None
"""How bad, what to say, and whether no game should start so."""


class Facts(Protocol):
    """Reads what the computer says; may take long on a slow disk."""

    def read(self) -> SystemFacts: ...


class Computer:
    """Looks every LOOK_NS, on a thread of its own; called on the loop otherwise."""

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
        """`web`: where the web process says why it serves no pages; `newest_wall`: the latest time of day in
        the journal."""
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
        """For `/metrics`, as of the last look; without what the computer does not say."""
        return self._figures

    def begin(self) -> None:
        """Look now and from now on."""
        if self._stopped:
            return
        self._alarm = self._timers.call_at(self._timers.boot_ns() + LOOK_NS, self.begin)
        if not self._looking:  # a stalled disk must not collect threads
            self._looking = True
            self._threads.run_in_thread(self._look, "looks after the computer")

    def stop(self) -> None:
        self._stopped = True
        if self._alarm is not None:
            self._alarm.cancel()

    def _look(self) -> None:
        """On the thread. What breaks off with a defect changes nothing that is told; the next look comes."""
        conditions: dict[str, Condition] = {}
        try:
            facts = self._facts.read()
            conditions = self._judged(facts)
            self._figures = computer_figures(facts)
        except HardwareError as error:
            conditions = {"disk": ("fault", said_by(error), True)}
        finally:
            self._threads.call_on_loop(lambda: self._looked(conditions))

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
        """A line in log and journal when the condition is another; figures in it do not count."""
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
    """1 for yes and 0 for no; without what is not known."""
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
    """A supply that is too low now stops a start; one that was, or a slowed processor, is a warning."""
    supply = facts.supply
    if supply is None:
        return None
    if supply.under_voltage:
        return "fault", TOO_LOW, True
    if supply.under_voltage_since_boot:
        return "warning", WAS_TOO_LOW, False
    return ("warning", SLOWED, False) if supply.throttled else None


def judge_heat(facts: SystemFacts, *, told: bool) -> Condition:
    """From HOT_C on no game should start; `told`: a sentence stands, and goes COOLED_C below its limit."""
    celsius = facts.temperature_c
    if celsius is None:
        return None
    if celsius >= HOT_C:
        return "fault", Sentence("computer.too_hot", celsius=celsius), True
    if celsius >= WARM_C - (COOLED_C if told else 0):
        return "warning", Sentence("computer.warm", celsius=celsius), False
    return None


def judge_pages(not_served: Sentence | None) -> Condition:
    """What the web process says that does not come up."""
    return None if not_served is None else ("fault", Sentence("computer.no_pages", why=not_served), False)


def judge_time(wall: str, newest: str) -> Condition:
    """Whether the clock is before a line that was written already, both as the journal has them."""
    said, before = wall_time(wall), wall_time(newest)
    if said is None or before is None or said >= before - SET_BACK:
        return None
    last = before.astimezone().strftime("%Y-%m-%d %H:%M")
    return "warning", Sentence("computer.clock_behind", last=last), False


def judge_disk(facts: SystemFacts) -> Condition:
    """A journal that has no room stops a start."""
    disk = facts.disk
    if disk.free_bytes < TOO_FEW_BYTES:
        return "fault", Sentence("computer.disk_full", free_mb=disk.free_bytes / 1e6), True
    if disk.free_bytes < FEW_BYTES:
        return "warning", Sentence("computer.disk_nearly_full", free_mb=disk.free_bytes / 1e6), False
    return ("warning", Sentence("computer.disk_errors", errors=disk.errors), False) if disk.errors else None
