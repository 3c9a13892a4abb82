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

from pi_controller.bench.processes import ANSWER_WITHIN_S, BenchError, ask, boot_ns, realtime
from pi_controller.bus.values import SegmentPort
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.pending import PendingCommand
from pi_controller.core.main import SWITCH_INTERVAL_S, precise_loop
from pi_controller.core.wiring.service import Service
from pi_controller.game.commands import Resume, Step
from pi_controller.hal.gpio import SimulatedPins
from pi_controller.hal.system.kernel import Notices, SystemClock
from pi_controller.journal.files import DiskFiles
from pi_controller.journal.store import Store
from pi_controller.protocol.client import Client
from pi_controller.protocol.options import CoreOptions
from pi_controller.protocol.paths import socket_path
from pi_controller.settings.overlay import LayeredSettings
from pi_controller.settings.sections import HardwareSettings, Settings

SIMULATED = HardwareSettings(lamps="sim", buzzer="sim", pause_button="sim", display="sim")

Found = TypeVar("Found")


class LiveCore:
    """The script's side of a running core. `pins` are the outside world's end of its mock pins."""

    def __init__(
        self, service: Service, settings: Settings, events: asyncio.AbstractEventLoop, client: Client
    ) -> None:
        if service.panel is None or service.panel.outside is None:
            raise BenchError("The core has opened no mock pins: measure with simulated hardware.")
        self.loop: GameLoop = service.loop
        self.pins: SimulatedPins = service.panel.outside
        self.settings = settings
        self._commands = service.commands
        self.snapshot = service.game.tables.bus.snapshot
        self.events = events
        self._client = client

    def on_loop(self, act: Callable[[], Found]) -> Found:
        """Have this done on core's loop, and wait for what it gives."""
        done: Future[Found] = Future()

        def run() -> None:
            try:
                done.set_result(act())
            except (ValueError, RuntimeError) as error:
                done.set_exception(error)

        self.events.call_soon_threadsafe(run)
        return done.result(ANSWER_WITHIN_S)

    def resume(self) -> None:
        """The director's command as of now; does not wait for the disk."""
        command = PendingCommand("resume", None, Resume(override=True), "bench", at_ns=boot_ns())
        self.on_loop(lambda: self._commands.start(command))

    def new_round(self) -> None:
        """A fresh game in its first round, in place of the one that is there."""
        if self.loop.game.state.in_play:
            ask(self._client, "end", {"confirm": True})
            ask(self._client, "arm")
        ask(self._client, "start")


def settings_with(
    *,
    contacts: str = "no",
    round_seconds: float = 3600.0,
    realtime_priority: int = 0,
    segment: str | None = None,
) -> Settings:
    """Simulated hardware, rounds of this length, no 3-2-1, no 7, tones as short as they can be set; a table
    bus at the port `segment`."""
    plain = Settings()
    return replace(
        plain,
        hardware=SIMULATED,
        tables=replace(plain.tables, segments=() if segment is None else (SegmentPort("A", segment),)),
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


def with_live_core(
    script: Callable[[LiveCore], Found],
    settings: Settings,
    *,
    folder: Path,
    files: DiskFiles | None = None,
) -> Found:
    """Run `script` on a thread of its own beside a core and its web process; gives what it gives.

    The state lies in a new folder below `folder`.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    try:
        with realtime(settings.core.realtime_priority), asyncio.Runner(loop_factory=precise_loop) as runner:
            return runner.run(_serve(script, settings, Path(tempfile.mkdtemp(dir=folder)), files))
    finally:
        sys.setswitchinterval(before)
        gc.unfreeze()


async def _serve(
    script: Callable[[LiveCore], Found], settings: Settings, state_dir: Path, files: DiskFiles | None
) -> Found:
    options = CoreOptions(state_dir=state_dir, hardware="sim")
    store = Store(state_dir, files=files)
    store.prepare()
    layers = LayeredSettings(settings, settings)
    service = Service(options, layers, store=store, clock=SystemClock(), notices=Notices(None, None))
    try:
        await service.start()
        client = Client(socket_path(state_dir), timeout_s=ANSWER_WITHIN_S)
        core = LiveCore(service, settings, asyncio.get_running_loop(), client)
        async with _web(state_dir):
            while core.loop.metrics.numbers()["watchers"] == 0:  # noqa: ASYNC110 - a gauge, no event
                await asyncio.sleep(0.02)
            return await asyncio.to_thread(script, core)
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
