"""A serial port from outside, without opening it: is it there, whose driver serves it, which process holds
it."""

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pi_controller.sentence import Sentence

PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Holder:
    """A program that has the device open; `name` is empty where it may not be read."""

    pid: int
    name: str

    @property
    def sentence(self) -> Sentence:
        """Such as `process 812 (minicom)`, its name only where it may be read."""
        if self.name:
            return Sentence("port.process_by_name", pid=self.pid, name=self.name)
        return Sentence("port.process", pid=self.pid)


def who_holds(
    device: Path, *, proc: Path = PROC, besides: int | None = None, locks_only: bool = False
) -> Holder | None:
    """The first process found that holds the device, other than `besides`; `locks_only`: one that has merely
    opened it does not count.

    Asks the list of file locks, which names foreign processes too, then the open files of the processes that
    this one may look into.
    """
    opened = () if locks_only else _who_has_open(device, proc)
    for pid in (*_who_locks(device, proc), *opened):
        if pid != besides:
            return Holder(pid, _name(pid, proc))
    return None


def _who_locks(device: Path, proc: Path) -> Iterator[int]:
    try:
        status = device.stat()
        lines = (proc / "locks").read_text(encoding="ascii").splitlines()
    except OSError:
        return
    # Such as `1: FLOCK ADVISORY WRITE 812 00:05:34 0 EOF`; a waiting one has -> in the second place.
    file = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for fields in map(str.split, lines):
        # A process of another namespace has no number here.
        if len(fields) >= 6 and fields[1] == "FLOCK" and fields[5] == file and int(fields[4]) > 0:
            yield int(fields[4])


def _who_has_open(device: Path, proc: Path) -> Iterator[int]:
    try:
        wanted = device.stat().st_rdev
        pids = sorted(int(entry.name) for entry in proc.iterdir() if entry.name.isdigit())
    except OSError:
        return
    for pid in pids:
        if pid != os.getpid() and _has_open(pid, wanted, proc):
            yield pid


def _has_open(pid: int, device: int, proc: Path) -> bool:
    try:
        files = list((proc / str(pid) / "fd").iterdir())
    except OSError:  # gone, or another user's
        return False
    return any(_leads_to(file, device) for file in files)


def _leads_to(file: Path, device: int) -> bool:
    try:
        return file.stat().st_rdev == device
    except OSError:  # closed meanwhile
        return False


def _name(pid: int, proc: Path) -> str:
    try:
        return (proc / str(pid) / "comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


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
