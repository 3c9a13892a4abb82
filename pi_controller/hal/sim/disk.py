"""A disk that can be made slow or forgetful, for tests of the hardware; the journal never writes to it."""

import time
from collections.abc import Callable
from pathlib import Path

from pi_controller.journal.files import DiskFiles

SLOW_S = 0.3
SLOW_EVERY = 16
"""So that a slow disk shows in the worst of 64 writes, and the test still ends soon."""


class SimDisk(DiskFiles):
    """Real files; `slow` and `damaged` are the faults that somebody may set."""

    def __init__(self, *, wait: Callable[[float], None] = time.sleep) -> None:
        self.slow = False
        self.damaged = False
        self._wait = wait
        self._syncs = 0

    def sync(self, fd: int) -> None:
        super().sync(fd)
        self._syncs += 1
        if self.slow and self._syncs % SLOW_EVERY == 0:
            self._wait(SLOW_S)

    def read_back(self, path: Path, start: int = 0, size: int = -1) -> bytes:
        content = super().read_back(path, start, size)
        return bytes(byte ^ 1 for byte in content) if self.damaged else content
