"""The system's clocks. Durations run on CLOCK_BOOTTIME, wall time is a label."""

import time
from datetime import UTC, datetime
from pathlib import Path

BOOT_ID_FILE = Path("/proc/sys/kernel/random/boot_id")


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
