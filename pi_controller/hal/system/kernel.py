"""The kernel's clocks (durations run on CLOCK_BOOTTIME, wall time is a label) and its queue for the
processor."""

import contextlib
import os
import time
from datetime import UTC, datetime
from pathlib import Path

from pi_controller.hal.roles import HardwareMissing
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence

BOOT_ID_FILE = Path("/proc/sys/kernel/random/boot_id")
LOWEST_PRIORITY = 19
"""Of ordinary programs, nice(2)."""
ENDED_FIRST = Path("/proc/self/oom_score_adj"), "1000"
"""Where memory runs short (proc(5))."""


class SystemClock:
    """Implements `roles.Clock` on Linux.

    Raises OSError when the kernel does not tell its boot id (proc hidden by a sandbox, for example).
    """

    def __init__(self, boot_id_file: Path = BOOT_ID_FILE) -> None:
        self._boot_id = boot_id_file.read_text(encoding="ascii").strip()

    @property
    def boot_id(self) -> str:
        return self._boot_id

    def boot_ns(self) -> int:
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME)

    def wall(self) -> str:
        """For example `2026-11-20T18:30:05.123Z`."""
        return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def take_realtime_priority(priority: int) -> None:
    """Let the calling thread, and all that it starts, run before all ordinary programs: SCHED_FIFO, sched(7).

    0 leaves everything as it is. Raises HardwareMissing when the system refuses.
    """
    if priority == 0:
        return
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except OSError as error:
        raise HardwareMissing(
            Sentence("system.no_realtime_priority", priority=priority, error=why(error))
        ) from error


def give_back_realtime_priority() -> None:
    """Again as any other program, for the calling thread."""
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def take_lowest_priority() -> None:
    """Let this program wait for all others, also when who started it goes before them, and end before them
    where memory runs short. What the system forbids, as the installed units do, stays as it is."""
    with contextlib.suppress(OSError):
        ENDED_FIRST[0].write_text(ENDED_FIRST[1], encoding="ascii")
    with contextlib.suppress(OSError):
        give_back_realtime_priority()
    with contextlib.suppress(OSError):
        os.nice(LOWEST_PRIORITY)
