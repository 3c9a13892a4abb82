"""A program that this process starts, watches, starts again after a pause, and ends: the one place for
`pi-controller run`, for its halls and for the player of sounds. Loads little, as `run` does.

child = Child("web", command, pause_s=GrowingPause()); child.start()
if child.reap() is not None: child.start_later()
"""

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

FIRST_WAIT_S = 0.2
LONGEST_WAIT_S = 5.0
SETTLED_S = 10.0
"""Who lived so long starts again after FIRST_WAIT_S."""
PR_SET_PDEATHSIG = 1
"""linux/prctl.h"""
ORPHANED = 1
LIBC = ctypes.CDLL(None)


class GrowingPause:
    """Twice as long after each early death."""

    def __init__(self) -> None:
        self._wait_s = FIRST_WAIT_S

    def __call__(self, lived_s: float) -> float:
        if lived_s >= SETTLED_S:
            self._wait_s = FIRST_WAIT_S
        wait_s, self._wait_s = self._wait_s, min(self._wait_s * 2, LONGEST_WAIT_S)
        return wait_s


class Child:
    """`pause_s` tells how long to wait with the next start when it has lived for so long. With `has_input`
    its standard input is a pipe, which stays open until `close_input`. `clock` counts seconds and never goes
    back; the rest is what subprocess.Popen takes."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        pause_s: Callable[[float], float],
        has_input: bool = False,
        clock: Callable[[], float] = time.monotonic,
        **popen: Any,
    ) -> None:
        self.name = name
        self.starts = 0
        self.has_input = has_input
        self.process: subprocess.Popen[bytes] | None = None
        """Until its end was seen."""
        self._command = command
        self._pause_s = pause_s
        self._clock = clock
        self._popen = popen
        self._started_at = 0.0
        self._due_at: float | None = None

    @property
    def pid(self) -> int | None:
        return None if self.process is None else self.process.pid

    @property
    def lives(self) -> bool:
        return self.process is not None

    @property
    def due_in_s(self) -> float | None:
        """Until the next start; None when none is waited for."""
        return None if self._due_at is None else max(0.0, self._due_at - self._clock())

    def start(self) -> None:
        """Raises OSError."""
        self._due_at = None
        self._started_at = self._clock()
        self.starts += 1
        stdin = subprocess.PIPE if self.has_input else subprocess.DEVNULL
        self.process = subprocess.Popen(self._command, stdin=stdin, **self._popen)

    def start_later(self) -> float:
        """The seconds until the next start."""
        wait_s = self._pause_s(self._clock() - self._started_at)
        self._due_at = self._clock() + wait_s
        return wait_s

    def reap(self) -> int | None:
        """The exit status when it has died since the last look, negative for a signal."""
        status = None if self.process is None else self.process.poll()
        if status is not None:
            self.close_input()
            self.process = None
        return status

    def close_input(self) -> None:
        if self.process is not None and self.process.stdin is not None:
            with suppress(OSError):
                self.process.stdin.close()

    def send(self, number: signal.Signals) -> None:
        if self.process is not None:
            self.process.send_signal(number)

    def kill(self, within_s: float | None = None) -> None:
        """Only for who did not listen. One that hangs in a driver outlives this after `within_s`."""
        if self.process is not None:
            self.process.kill()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(within_s)
            self.close_input()
            self.process = None


def bound_to_parent(nice: int = 0) -> Callable[[], None]:
    """For `preexec_fn`: it ends with this process, also when that is killed, and by `nice` stands behind it
    where the processor is short (nice(2)). Safe where few other threads run, as in `pi-controller run`, which
    has the log's alone: nothing here takes a lock of Python's."""
    parent = os.getpid()

    def prepare() -> None:
        # prctl(2): the signal comes when the parent is killed; not if that has happened already
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(ORPHANED)
        os.nice(nice)

    return prepare
