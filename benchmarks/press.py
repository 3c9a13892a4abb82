"""Presses where it is hard: while the disk stands still, and thousands in a row beside busy cores.

`press.many` asks whether the game loop ever falls silent. Core's own watchdog looks on: were it to find the
loop silent for 2 s, it would end this process with status 1 and tell on standard error where each thread
stands.
"""

import asyncio
import queue
import random
import threading
import time
from pathlib import Path

from pi_controller.bench.figures import Figure, Say, in_ms, limits
from pi_controller.bench.live_core import LiveCore, settings_with, with_live_core
from pi_controller.bench.press import (
    BAR,
    PRESSES_A_GAME,
    ObservedLatency,
    Presses,
    SeenOutputs,
    often,
    press_often,
    press_once,
    runs,
    until_ready,
)
from pi_controller.bench.processes import (
    ANSWER_WITHIN_S,
    REALTIME,
    BenchError,
    boot_ns,
    busy_cores,
    realtime_allowed,
)
from pi_controller.journal.files import DiskFiles

PULSE_S = 0.01
SILENT_MS = 2000.0
"""What the watchdog stops at (`core.lost_part_seconds`)."""
STEAL = 8
"""The column of /proc/stat (proc(5)) with the time that the machine underneath took away, in 10 ms."""


class StallingFiles(DiskFiles):
    """Real files, each sync of which takes `stall_s` longer while `stalled` is set."""

    def __init__(self, stall_s: float) -> None:
        self.stalled = threading.Event()
        self._stall_s = stall_s

    def sync(self, fd: int) -> None:
        if self.stalled.is_set():
            time.sleep(self._stall_s)
        super().sync(fd)


def stalled(*, presses: int, stall_s: float, folder: Path, say: Say) -> list[Figure]:
    """Presses while every sync of the journal takes long, beside as many with a disk that answers."""
    say(
        f"press.stalled: {presses} presses with a disk that answers, then with syncs of {stall_s * 1000:g} ms"
    )
    settings = settings_with(contacts="no")
    usual = with_live_core(lambda core: press_often(core, often(presses)), settings, folder=folder)
    files = StallingFiles(stall_s)
    slow, saved = with_live_core(
        lambda core: _press_stalled(core, presses, files.stalled), settings, folder=folder, files=files
    )
    floor = in_ms(usual.frozen)
    return [
        Figure(
            name="press.stalled.freeze",
            what=f"edge at the pin to lamps, buzzer and picture while every sync takes {stall_s:g} s",
            unit="ms",
            measured=in_ms(slow.frozen),
            floor=floor,
            floor_is="the same in the same run with a disk that answers; the target is 2 ms more",
            limits=limits(p50=round(floor.p50 + 2, 3), p99=round(floor.p99 + 2, 3)),
        ),
        Figure(
            name="press.stalled.saved",
            what="edge at the pin to told saved, which is what *accepted* waits for",
            unit="ms",
            measured=in_ms(saved),
        ),
    ]


def _press_stalled(core: LiveCore, count: int, disk: threading.Event) -> tuple[Presses, list[int]]:
    """As `press_often`, with `disk` set while presses are made; each is waited for until it is saved, and how
    long that took is given too, in nanoseconds."""
    chance = random.Random(1)  # noqa: S311 - moments of presses
    presses, seen, saved_ns = Presses(), SeenOutputs(core), list[int]()
    told: queue.SimpleQueue[int] = queue.SimpleQueue()
    core.loop.metrics.press_to_saved = ObservedLatency(told.put)
    for number in range(count):
        if number % PRESSES_A_GAME == 0:
            disk.clear()
            core.new_round()
            disk.set()
        until_ready(core)
        time.sleep(chance.uniform(0.025, 0.045))
        press_once(core, seen, presses)
        try:
            saved_ns.append(told.get(timeout=ANSWER_WITHIN_S))
        except queue.Empty:
            raise BenchError("A press was not saved: the journal does not get on.") from None
        core.resume()
    return presses, saved_ns


class _Pulse:
    """Beats on the loop: how long it was silent between two beats, in nanoseconds."""

    def __init__(self, events: asyncio.AbstractEventLoop) -> None:
        self.gaps_ns: list[int] = []
        self._events = events
        self._beat_ns = boot_ns()
        events.call_soon_threadsafe(self._beat)

    def _beat(self) -> None:
        now_ns = boot_ns()
        self.gaps_ns.append(now_ns - self._beat_ns)
        self._beat_ns = now_ns
        self._events.call_later(PULSE_S, self._beat)


def many(*, presses: int, folder: Path, say: Say) -> list[Figure]:
    """BenchError where the system gives no real-time priority."""
    if not realtime_allowed():
        raise BenchError("This system gives no real-time priority: run it as root, or raise `ulimit -r`.")
    say(f"press.many: {presses} presses with real-time priority, a busy process on each core")
    stolen_ms = _stolen_ms()
    with busy_cores():
        settings = settings_with(contacts="no", realtime_priority=REALTIME)
        found, gaps_ns = with_live_core(lambda core: _press_many(core, presses), settings, folder=folder)
    stolen_ms = _stolen_ms() - stolen_ms
    return [
        Figure(
            name="press.many.after",
            what="from the moment at which a press counts to lamps, buzzer and the picture made",
            unit="ms",
            measured=in_ms(found.after),
            limits=limits(**BAR[".hot"]),
        ),
        Figure(
            name="press.many.silence",
            what=f"between two beats of the game loop, of which {PULSE_S * 1000:g} ms are meant; no stop",
            unit="ms",
            measured=in_ms(gaps_ns),
            limits=limits(max=SILENT_MS),
            note=f"the machine underneath took {stolen_ms} ms of all cores away meanwhile",
        ),
    ]


def _press_many(core: LiveCore, count: int) -> tuple[Presses, list[int]]:
    """The presses, and the silences of the loop meanwhile in nanoseconds."""
    chance = random.Random(2)  # noqa: S311 - moments of presses
    presses, seen, pulse = Presses(), SeenOutputs(core), _Pulse(core.events)
    for number in range(count):
        if number % PRESSES_A_GAME == 0:
            core.new_round()
        _until_it_runs(core)
        # The contacts are at rest again 20 ms after they opened; the tone of the resume may still sound.
        time.sleep(chance.uniform(0.021, 0.031))
        press_once(core, seen, presses)
        core.resume()
    return presses, pulse.gaps_ns


def _until_it_runs(core: LiveCore) -> None:
    until_ns = boot_ns() + int(ANSWER_WITHIN_S * 1e9)
    while not runs(core):
        if boot_ns() > until_ns:
            raise BenchError("After a press play does not go on.")
        time.sleep(0.002)


def _stolen_ms() -> int:
    total = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0]
    return int(total.split()[STEAL]) * 10
