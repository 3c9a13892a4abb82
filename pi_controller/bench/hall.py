"""A real core in this process, on a real loop and a real folder, for a script on another thread."""

import asyncio
import contextlib
import gc
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from pi_controller.bench.machine import boot_ns
from pi_controller.core.asked import Asked
from pi_controller.core.loop import GameLoop
from pi_controller.core.main import SWITCH_INTERVAL_S, precise_loop
from pi_controller.core.service import Service
from pi_controller.core.systemd import Notices
from pi_controller.game.commands import Command, Step
from pi_controller.hal.gpio.simulated import SimulatedPins
from pi_controller.hal.system.clock import SystemClock
from pi_controller.hal.system.priority import give_back_realtime_priority, take_realtime_priority
from pi_controller.journal.files import FileSystem
from pi_controller.journal.store import Store
from pi_controller.protocol.client import Client
from pi_controller.protocol.options import CoreOptions
from pi_controller.protocol.paths import socket_path
from pi_controller.settings.sections import Hardware, Settings

ANSWER_WITHIN_S = 60.0
"""Longer than any machine needs: a benchmark that waits so long has found a defect, not a figure."""

SIMULATED = Hardware(lamps="sim", buzzer="sim", pause_button="sim", display="sim")

Found = TypeVar("Found")


class BenchError(RuntimeError):
    """The product did not do what the benchmark asked of it; one sentence."""


class Hall:
    """The script's side of a running core. `pins` are the outside world's end of its mock pins."""

    def __init__(self, service: Service, settings: Settings, events: asyncio.AbstractEventLoop) -> None:
        if service.panel is None or service.panel.outside is None:
            raise BenchError("The core has opened no mock pins: measure with simulated hardware.")
        self.loop: GameLoop = service.loop
        self.pins: SimulatedPins = service.panel.outside
        self.settings = settings
        self._events = events
        self._client: Client | None = None

    def reach_through(self, client: Client) -> None:
        self._client = client

    def on_loop(self, act: Callable[[], Found]) -> Found:
        """Have this done on core's loop, and wait for what it gives."""
        done: Future[Found] = Future()

        def run() -> None:
            try:
                done.set_result(act())
            except (ValueError, RuntimeError) as error:
                done.set_exception(error)

        self._events.call_soon_threadsafe(run)
        return done.result(ANSWER_WITHIN_S)

    def submit(self, name: str, command: Command) -> None:
        """A command of the director as of now; does not wait for the disk."""
        self.on_loop(lambda: self.loop.submit(Asked(name, None, command, "bench", at_ns=boot_ns())))

    def ask(self, name: str, body: object = None) -> None:
        """A command over the control socket, done and on the disk when this returns."""
        if self._client is None:
            raise BenchError("The core is not open yet.")
        answer = self._client.command(name, body, source="bench")
        if not answer.accepted:
            raise BenchError(f"`{name}` was refused: {' '.join(answer.reasons)}")

    def new_round(self) -> None:
        """A fresh game in its first round, in place of the one that is there."""
        if self.loop.game.state.in_play:
            self.ask("end", {"confirm": True})
            self.ask("arm")
        self.ask("start")


def settings_with(
    *, contacts: str = "no", round_seconds: float = 3600.0, realtime_priority: int = 0
) -> Settings:
    """Simulated hardware, rounds of this length, no 3-2-1, no 7, tones as short as they can be set."""
    plain = Settings()
    return replace(
        plain,
        hardware=SIMULATED,
        pause_button=replace(plain.pause_button, contacts=contacts),
        core=replace(plain.core, realtime_priority=realtime_priority),
        buzzer=replace(plain.buzzer, longest_tone_ms=50),
        game=replace(
            plain.game,
            schedule=(Step(1, round_seconds),),
            rounds_without_seven=999,
            start_countdown_seconds=0,
            resume_countdown_seconds=0,
        ),
    )


def in_a_hall(
    script: Callable[[Hall], Found],
    settings: Settings,
    *,
    folder: Path | None = None,
    files: FileSystem | None = None,
) -> Found:
    """Run `script` on a thread of its own beside a core and its web process; gives what it gives.

    The state lies in a new folder below `folder` (default: where temporary files lie) and is removed.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    take_realtime_priority(settings.core.realtime_priority)
    try:
        with (
            tempfile.TemporaryDirectory(prefix="bench-", dir=folder) as state,
            asyncio.Runner(loop_factory=precise_loop) as runner,
        ):
            return runner.run(_serve(script, settings, Path(state), files))
    finally:
        if settings.core.realtime_priority:
            give_back_realtime_priority()
        sys.setswitchinterval(before)
        gc.unfreeze()


async def _serve(
    script: Callable[[Hall], Found], settings: Settings, state_dir: Path, files: FileSystem | None
) -> Found:
    options = CoreOptions(state_dir=state_dir, hardware="sim")
    store = Store(state_dir, files=files)
    store.prepare()
    service = Service(options, settings, store=store, clock=SystemClock(), notices=Notices(None, None))
    try:
        await service.start()
        hall = Hall(service, settings, asyncio.get_running_loop())
        hall.reach_through(Client(socket_path(state_dir), timeout_s=ANSWER_WITHIN_S))
        async with _web(state_dir):
            while hall.loop.metrics.numbers()["watchers"] == 0:  # noqa: ASYNC110 - a gauge, no event
                await asyncio.sleep(0.02)
            return await asyncio.to_thread(script, hall)
    finally:
        await service.stop()


@contextlib.asynccontextmanager
async def _web(state_dir: Path) -> AsyncIterator[None]:
    """The web process, so that pictures have their real watcher. Its end is waited for beside the loop, which
    core's watchdog looks at."""
    command = [sys.executable, "-m", "pi_controller", "web", "--port=0", f"--state-dir={state_dir}"]
    with subprocess.Popen(  # noqa: ASYNC220 - before anything is measured
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as web:
        # A core with a real-time priority would hand it on.
        os.sched_setscheduler(web.pid, os.SCHED_OTHER, os.sched_param(0))
        try:
            yield
        finally:
            web.terminate()
            await asyncio.to_thread(web.wait)
