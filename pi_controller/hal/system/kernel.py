"""The kernel's clocks (durations use CLOCK_BOOTTIME, wall time is a label), scheduling priorities, and the
service manager."""

import contextlib
import os
import socket
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from pi_controller.hal.roles import HardwareMissing
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence

BOOT_ID_FILE = Path("/proc/sys/kernel/random/boot_id")
LOWEST_PRIORITY = 19
"""Of ordinary programs, nice(2)."""
ENDED_FIRST = Path("/proc/self/oom_score_adj"), "1000"
"""The out-of-memory score of a process to be ended first (proc(5))."""


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
    """Return the calling thread to ordinary scheduling."""
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def take_lowest_priority() -> None:
    """Give this program the lowest priority, even if its parent has a higher one, and let it be ended first
    if memory runs short. What the system forbids, as in the installed units, is skipped."""
    with contextlib.suppress(OSError):
        ENDED_FIRST[0].write_text(ENDED_FIRST[1], encoding="ascii")
    with contextlib.suppress(OSError):
        give_back_realtime_priority()
    with contextlib.suppress(OSError):
        os.nice(LOWEST_PRIORITY)


# Service manager: notices over its datagram socket, and whether output goes to its journal.


START_S = 20
"""`TimeoutStartSec` of the unit, counted from each sign of progress."""


class Notices:
    """Sends READY, WATCHDOG, STATUS and STOPPING to systemd (sd_notify(3)). Does nothing without a socket, or
    if it is gone."""

    def __init__(self, address: str | None, watchdog_ns: int | None) -> None:
        self.watchdog_ns = watchdog_ns
        self._address = address
        self._socket: socket.socket | None = None
        if address is not None:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
            self._socket.settimeout(0)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Notices":
        """NOTIFY_SOCKET (a leading @ is an abstract name), WATCHDOG_USEC and WATCHDOG_PID as sd_notify(3)
        has them."""
        address = environment.get("NOTIFY_SOCKET") or None
        if address is not None and address.startswith("@"):
            address = "\0" + address[1:]
        period = environment.get("WATCHDOG_USEC", "")
        meant = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        return cls(address, int(period) * 1000 if period.isdigit() and meant else None)

    def reading(self, lines: int) -> None:
        """Report progress of the start, in lines of the journal: the manager then waits START_S from now."""
        status = f"reading the journal: {lines} lines"
        self._send(f"EXTEND_TIMEOUT_USEC={START_S * 1_000_000}\nSTATUS={status}")

    def ready(self, status: str) -> None:
        self._send(f"READY=1\nSTATUS={status}")

    def alive(self) -> None:
        """Only to be called from the loop that owns the clock, after all parts have shown signs of life."""
        self._send("WATCHDOG=1")

    def status(self, text: str) -> None:
        self._send(f"STATUS={text}")

    def stopping(self) -> None:
        self._send("STOPPING=1")

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _send(self, text: str) -> None:
        if self._socket is None or self._address is None:
            return
        try:
            self._socket.sendto(text.encode(), self._address)
        except OSError:
            # The manager restarts or its queue is full; a missed notice is repeated, a missed watchdog is
            # its decision.
            return


def goes_to_the_journal(descriptor: int, environment: Mapping[str, str]) -> bool:
    """Whether this open file is systemd's journal (systemd.exec(5), JOURNAL_STREAM), which others read."""
    status = os.fstat(descriptor)
    return environment.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"
