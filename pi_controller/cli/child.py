"""One child process of `run`: start, death, and how long to wait before the next start."""

import ctypes
import os
import signal
import subprocess
from collections.abc import Callable, Sequence

FIRST_WAIT_S = 0.2
LONGEST_WAIT_S = 5.0
SETTLED_S = 10.0
"""Who lived so long starts again after FIRST_WAIT_S."""
PR_SET_PDEATHSIG = 1
"""linux/prctl.h"""
ORPHANED = 1
LIBC = ctypes.CDLL(None)


class Child:
    """Ends with its parent, also when that is killed. `clock` counts seconds and never goes back; by `nice`
    it stands behind its parent where the processor is short (nice(2))."""

    def __init__(
        self, name: str, command: Sequence[str], clock: Callable[[], float], *, nice: int = 0
    ) -> None:
        self.name = name
        self.starts = 0
        self._command = command
        self._nice = nice
        self._clock = clock
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._wait_s = FIRST_WAIT_S
        self._due_at: float | None = None

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    @property
    def lives(self) -> bool:
        return self._process is not None

    @property
    def due_in_s(self) -> float | None:
        """Until the next start; None when none is waited for."""
        return None if self._due_at is None else max(0.0, self._due_at - self._clock())

    def start(self) -> None:
        self._due_at = None
        self._started_at = self._clock()
        self.starts += 1
        parent = os.getpid()

        def prepare() -> None:
            # prctl(2): the signal comes when the parent is killed; not if that has happened already
            LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
            if os.getppid() != parent:
                os._exit(ORPHANED)
            os.nice(self._nice)

        # safe here: `run` has one thread
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL,
            preexec_fn=prepare,  # noqa: PLW1509
        )

    def reap(self) -> int | None:
        """The exit status when it has died since the last look, negative for a signal."""
        status = None if self._process is None else self._process.poll()
        if status is not None:
            self._process = None
        return status

    def start_later(self) -> float:
        """Wait longer after each early death; the seconds until the next start."""
        if self._clock() - self._started_at >= SETTLED_S:
            self._wait_s = FIRST_WAIT_S
        wait_s, self._wait_s = self._wait_s, min(self._wait_s * 2, LONGEST_WAIT_S)
        self._due_at = self._clock() + wait_s
        return wait_s

    def send(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)

    def kill(self) -> None:
        """Only for who did not listen."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def death_in_words(status: int) -> str:
    """How a child ended, for a sentence that begins with its name."""
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}"
