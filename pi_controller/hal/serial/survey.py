"""A serial port from outside, without opening it: is it there, whose driver serves it, who else holds it."""

import errno
import os
from dataclasses import dataclass
from pathlib import Path

from pi_controller.hal.serial.holder import PROC, Holder, who_holds

SYSFS = Path("/sys")
PSEUDO = Path("/dev/pts")


@dataclass(frozen=True, slots=True, kw_only=True)
class PortFacts:
    """`driver` is the kernel's (None: it has none, as a pseudo-terminal); `latency_timer_ms` only FTDI's
    adapters have; `holder` is another program that holds the port."""

    present: bool
    driver: str | None = None
    latency_timer_ms: int | None = None
    holder: Holder | None = None


def survey(port: Path, *, sysfs: Path = SYSFS, proc: Path = PROC) -> PortFacts:
    """Raises OSError when the kernel's files cannot be read."""
    if not port.exists():
        return PortFacts(present=False)
    name = port.resolve().name
    device = sysfs / "class" / "tty" / name / "device"
    driver = device / "driver"
    # Who made a pseudo-terminal has it open as a matter of course; who locks it does not.
    pseudo = port.resolve().is_relative_to(PSEUDO)
    return PortFacts(
        present=True,
        driver=driver.resolve().name if driver.exists() else None,
        latency_timer_ms=_latency(device),
        holder=who_holds(port, proc=proc, besides=os.getpid(), locks_only=pseudo),
    )


def _latency(device: Path) -> int | None:
    try:
        return int((device / "latency_timer").read_text(encoding="ascii"))
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return None
        raise
