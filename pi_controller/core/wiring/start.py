"""What every part of a core is made with."""

import asyncio
import contextlib
from pathlib import Path

from msgspec import Struct

from pi_controller.core.runtime.threads import LoopThreads, Threads
from pi_controller.core.runtime.timers import LoopTimers, Tasks, Timers
from pi_controller.hal.roles import Clock
from pi_controller.hal.system.systemd import Notices
from pi_controller.journal.pairing import FILE_NAME as PAIRING_KEY
from pi_controller.journal.store import Store
from pi_controller.protocol.options import CoreOptions
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
