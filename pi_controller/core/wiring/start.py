"""What every part of core is made with."""

import asyncio
import contextlib
from pathlib import Path

from msgspec import Struct

from pi_controller.core.monitoring import Facts
from pi_controller.core.runtime.threads import LoopThreads, Threads
from pi_controller.core.runtime.timers import LoopTimers, Tasks, Timers
from pi_controller.hal.roles import Clock
from pi_controller.hal.sim.machine import SimFacts
from pi_controller.hal.system.facts import FactsReader
from pi_controller.hal.system.kernel import Notices
from pi_controller.journal.pairing import FILE_NAME as PAIRING_KEY
from pi_controller.journal.store import Store
from pi_controller.protocol.options import CoreOptions
from pi_controller.sentence import SaidError, Sentence
from pi_controller.settings.sections import Settings
from pi_controller.settings.standing import COPY_NAME, HallRole


class Runtime(Struct, frozen=True):
    """What parts run on: one asyncio loop, its clock, its coroutines, and threads."""

    events: asyncio.AbstractEventLoop
    clock: Clock
    timers: Timers
    tasks: Tasks
    threads: Threads


def running(clock: Clock) -> Runtime:
    """The runtime of the running loop."""
    events = asyncio.get_running_loop()
    return Runtime(events, clock, LoopTimers(events, clock), Tasks(events), LoopThreads(events))


class CoreStart(Struct, frozen=True):
    """One start of core. What is opened is closed by `closing`, in reverse order."""

    options: CoreOptions
    settings: Settings
    store: Store
    notices: Notices
    runtime: Runtime
    closing: contextlib.AsyncExitStack
    standing: HallRole

    @property
    def second_copy(self) -> Path | None:
        """The folder of the second copy; None if there is none. I what followers get, where there is a key
        that seals the seed => for followers, if there is a key that seals the seed"""
        copy = self.settings.journal.second_copy
        if copy or self.standing.role(self.settings.links) != "leader":
            return Path(copy) if copy else None
        folder = self.options.state_dir  # what followers get, where there is a key that seals the seed
        return folder / COPY_NAME if (folder / PAIRING_KEY).exists() else None


# Checks of options and settings that decide how core is made.


class WrongOptions(SaidError, ValueError):  # noqa: N818 - an answer to who started the program
    """Options that contradict each other."""


def check_options(options: CoreOptions, settings: Settings) -> None:
    """Raises WrongOptions: speed, seed and virtual tables are for simulations only."""
    simulated = all_simulated(settings)
    if options.speed != 1 and not simulated:
        raise WrongOptions(Sentence("options.speed_of_simulation_only"))
    if options.virtual_tables and not simulated:
        raise WrongOptions(Sentence("options.virtual_tables_of_simulation_only"))
    if options.seed_hex is None:
        return
    if not simulated:
        raise WrongOptions(Sentence("options.seed_of_simulation_only"))
    if len(options.seed_hex) != 64 or set(options.seed_hex.lower()) - set("0123456789abcdef"):
        raise WrongOptions(Sentence("options.seed_of_64_digits"))


def all_simulated(settings: Settings) -> bool:
    """True if no part of the panel is real."""
    hardware = settings.hardware
    drivers = (hardware.lamps, hardware.buzzer, hardware.pause_button)
    others = {hardware.display, hardware.shutdown_button, hardware.panel_current}
    return set(drivers) == {"sim"} and others <= {"sim", "none"}


def make_facts(options: CoreOptions, settings: Settings) -> Facts:
    """The computer's facts; with a simulated panel simulated ones, which can be changed."""
    return SimFacts(options.state_dir) if all_simulated(settings) else FactsReader(options.state_dir)
