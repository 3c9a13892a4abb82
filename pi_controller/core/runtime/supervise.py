"""Notices every thread and task that died or fell silent; restarts it or ends the process with the outputs
safe."""

import faulthandler
import logging
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass

from pi_controller.core.runtime.timers import Timers
from pi_controller.defects import caught
from pi_controller.hal.system import logs

log = logging.getLogger(__name__)

CHECK_NS = 500_000_000
"""The loop looks at all parts this often."""

EXIT_STATUS = 1
MAKE_SAFE_S = 0.3
"""So long the watchdog waits for its acts, and as long for who takes what it writes."""

LONGEST_PAUSE = 5
"""Each restart of a part waits twice as long as the one before, at most 2**5 times the limit: about a
minute."""


@dataclass(frozen=True, slots=True)
class Part:
    """Something with a sign of life. `beat_ns` is the CLOCK_BOOTTIME of the last one, None: it is known to
    be dead.

    A part without `restart` is one that the controller cannot do without.
    """

    name: str
    beat_ns: Callable[[], int | None]
    restart: Callable[[], None] | None = None


class Supervisor:
    """Looks at all parts; asks `give_up` when one is gone that cannot be restarted."""

    def __init__(self, *, lost_part_ns: int, give_up: Callable[[str], None]) -> None:
        self._lost_part_ns = lost_part_ns
        self._give_up = give_up
        self._parts: list[Part] = []
        self._restarts: dict[str, int] = {}
        self._next_try_ns: dict[str, int] = {}

    def add(self, part: Part) -> None:
        self._parts.append(part)

    def check(self, now_ns: int) -> bool:
        """True when all indispensable parts show fresh signs of life. To be called from the loop each
        CHECK_NS."""
        healthy = True
        for part in self._parts:
            beat_ns = part.beat_ns()
            if beat_ns is not None and now_ns - beat_ns <= self._lost_part_ns:
                continue
            if part.restart is None:
                healthy = False
                self._give_up(f"{part.name} stopped")
            elif now_ns >= self._next_try_ns.get(part.name, 0):
                self._restart(part.name, part.restart, now_ns)
        return healthy

    def restarts(self) -> int:
        return sum(self._restarts.values())

    def _restart(self, name: str, restart: Callable[[], None], now_ns: int) -> None:
        log.warning("%s stopped; starting it again", name)
        done = self._restarts[name] = self._restarts.get(name, 0) + 1
        self._next_try_ns[name] = now_ns + self._lost_part_ns * 2 ** min(done, LONGEST_PAUSE)
        error = caught(restart)
        if error is not None:
            log.error("%s could not be started again", name, exc_info=error)


class Watchdog:
    """A thread of its own that ends the process when the loop has not moved for too long.

    A process that was stopped as a whole (SIGSTOP, suspend) is not a hanging loop: when the thread itself
    woke late, the loop gets the whole time again. It waits for nothing that the loop may hang in, such as a
    log that nobody reads: `make_safe` runs on a thread of its own, and so does what it writes.
    """

    def __init__(
        self,
        *,
        timers: Timers,
        limit_ns: int,
        make_safe: Callable[[], None],
        leave: Callable[[int], None] = os._exit,
    ) -> None:
        self._timers = timers
        self._limit_ns = limit_ns
        self._make_safe = make_safe
        self._leave = leave
        self._beat_ns = timers.boot_ns()
        self._looked_ns = self._beat_ns
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="loop-watchdog", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def beat(self) -> None:
        """Sign of life of the loop."""
        self._beat_ns = self._timers.boot_ns()

    def alive(self) -> bool:
        return self._thread.is_alive()

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=1.0)

    def look(self) -> None:
        """One look at the loop's beat; leaves the process when it is too old."""
        now_ns = self._timers.boot_ns()
        slept_ns, self._looked_ns = now_ns - self._looked_ns, now_ns
        if slept_ns > 2 * CHECK_NS:
            self._beat_ns = max(self._beat_ns, now_ns)
            return
        if now_ns - self._beat_ns <= self._limit_ns:
            return
        try:
            _within_limit(self._make_safe)
            _within_limit(self._tell)
        finally:
            self._leave(EXIT_STATUS)

    def _tell(self) -> None:
        """Where each thread stands is the one thing that explains a hang afterwards. It goes to memory first:
        no other thread runs while it is gathered, and it may be that nobody reads the log."""
        log.critical("the game loop has not moved for %.1f s; outputs were made safe", self._limit_ns / 1e9)
        traces = os.memfd_create("traces")
        faulthandler.dump_traceback(file=traces, all_threads=True)
        logs.complain(os.pread(traces, os.fstat(traces).st_size, 0).decode(errors="replace"))
        logs.end(MAKE_SAFE_S)

    def _watch(self) -> None:
        while not self._stop.wait(CHECK_NS / 1e9):
            self.look()


def _within_limit(act: Callable[[], None]) -> None:
    """Do it on a thread; one that takes longer than MAKE_SAFE_S is left behind."""
    thread = threading.Thread(target=act, name="make-safe", daemon=True)
    thread.start()
    thread.join(timeout=MAKE_SAFE_S)
