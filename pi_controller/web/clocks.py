"""The two clocks of the web side, in one place so that tests move them by hand."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """`boot_s`: seconds since the machine started, sleep included; `wall_s`: Unix time, which may jump."""

    boot_s: Callable[[], float]
    wall_s: Callable[[], float]
    boot_id: str


def machine_clocks() -> Clocks:
    """The clocks of this machine."""
    return Clocks(
        boot_s=lambda: time.clock_gettime(time.CLOCK_BOOTTIME),
        wall_s=time.time,
        boot_id=BOOT_ID.read_text(encoding="ascii").strip(),
    )
