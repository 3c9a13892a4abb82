"""What every part of a core is made with."""

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
from pi_controller.settings.standing import COPY_NAME, Standing


class Runtime(Struct, frozen=True):
    """What parts run on: one asyncio loop, its clock, its coroutines, and threads beside it."""

    events: asyncio.AbstractEventLoop
    clock: Clock
    timers: Timers
    tasks: Tasks
    threads: Threads


def running(clock: Clock) -> Runtime:
    """On the loop that runs now."""
    events = asyncio.get_running_loop()
    return Runtime(events, clock, LoopTimers(events, clock), Tasks(events), LoopThreads(events))


class Start(Struct, frozen=True):
    """One start of a core. What is opened is closed by `closing`, in the opposite order."""

    options: CoreOptions
    settings: Settings
    store: Store
    notices: Notices
    runtime: Runtime
    closing: contextlib.AsyncExitStack
    standing: Standing

    @property
    def second_copy(self) -> Path | None:
        """The folder of the second copy, if there is one."""
        copy = self.settings.journal.second_copy
        if copy or self.standing.role(self.settings.links) != "leader":
            return Path(copy) if copy else None
        folder = self.options.state_dir  # what followers get, where there is a key that seals the seed
        return folder / COPY_NAME if (folder / PAIRING_KEY).exists() else None


# What of the options and settings decides how a core is made.


class WrongOptions(SaidError, ValueError):  # noqa: N818 - an answer to who started the program
    """Options that do not go together."""


def check_options(options: CoreOptions, settings: Settings) -> None:
    """Speed, seed and virtual tables are for simulations only; raises WrongOptions."""
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
    """No part of the panel is a real one."""
    hardware = settings.hardware
    drivers = (hardware.lamps, hardware.buzzer, hardware.pause_button)
    others = {hardware.display, hardware.shutdown_button, hardware.panel_current}
    return set(drivers) == {"sim"} and others <= {"sim", "none"}


def make_facts(options: CoreOptions, settings: Settings) -> Facts:
    """The computer's facts: simulated ones, that can be changed, with a simulated panel."""
    return SimFacts(options.state_dir) if all_simulated(settings) else FactsReader(options.state_dir)
