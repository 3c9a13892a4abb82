"""A clock for tests of the product's own time limits with real threads: the machine is as fast on it as a test
needs, however busy it is."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from pi_controller.hal.system.kernel import SystemClock


class SlowClock(SystemClock):
    """CLOCK_BOOTTIME until it was made; from then on it goes `times` times slower."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self._times = times
        self._made_ns = super().boot_ns()

    def boot_ns(self) -> int:
        return self._made_ns + (super().boot_ns() - self._made_ns) // self._times


class HeldClock(SystemClock):
    """CLOCK_BOOTTIME, until a test holds it: then it moves by `STEP_NS` each time that it is read, however long a
    thread is held up; afterwards it goes on from there."""

    STEP_NS = 1_000

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._behind_ns = 0
        self._held_ns: int | None = None

    def boot_ns(self) -> int:
        with self._lock:
            if self._held_ns is None:
                return super().boot_ns() - self._behind_ns
            self._held_ns += self.STEP_NS
            return self._held_ns

    @contextmanager
    def held(self) -> Iterator[None]:
        now_ns = self.boot_ns()
        with self._lock:
            self._held_ns = now_ns
        try:
            yield
        finally:
            with self._lock:
                self._behind_ns = super().boot_ns() - self._held_ns
                self._held_ns = None
