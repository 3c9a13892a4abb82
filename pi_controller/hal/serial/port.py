"""A serial port by its stable name: exclusive, low latency, never blocks for long, always released.

with open_port("/dev/tablebus/row-A", baud=250000) as port: port.send(frame); answer = port.read()
"""

import contextlib
import errno
import fcntl
import os
import select
import termios
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import serial

from pi_controller.hal.roles import Closing, HardwareError
from pi_controller.language.system_errors import cause
from pi_controller.sentence import Sentence

# Survey: a serial port without opening it: whether it exists, its driver, and the process that holds it.


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


WRITE_WITHIN_S = 0.3
"""A port that takes no bytes for this long is stuck; a frame of 42 bytes takes 4 ms at 115,200 Bd."""

MOST_READ = 4096
"""Bytes of one read: all that a tty's buffer holds."""

PTY_MAJORS = range(136, 144)
"""Character devices of Unix98 pseudo-terminals (Linux, Documentation/admin-guide/devices.txt)."""

PTY_BAUD = 38400
"""For a pseudo-terminal that refuses the wanted rate: it has no bits on a wire, so any will do."""

IN_USE = frozenset({errno.EAGAIN, errno.EBUSY})
OPEN_ERRORS = (OSError, ValueError, termios.error)


class PortUnusable(HardwareError):  # noqa: N818 - says what is the matter
    """The port cannot be opened. `busy`: it is there, but another program has it."""

    def __init__(self, sentence: Sentence, *, busy: bool = False) -> None:
        super().__init__(sentence)
        self.busy = busy


class PortLost(HardwareError):  # noqa: N818 - says what is the matter
    """The port was open and cannot be used any more: close it and open it again by its name."""


class SerialPort(Closing):
    """Raw bytes, 8 data bits, no parity; for one thread. `low_latency`: the driver has that and it is on."""

    def __init__(self, name: str, device: Any) -> None:
        self._name = name
        self._serial = device
        self._sent_s = time.monotonic()
        self.low_latency = _set_low_latency(device)
        if not _is_pty(device.fileno()):
            # Keeps programs out that ask for no lock. A pseudo-terminal would keep the mark when this
            # process is killed, and refuse the next one.
            fcntl.ioctl(device.fileno(), termios.TIOCEXCL)

    def fileno(self) -> int:
        return int(self._serial.fileno())

    def send(self, data: bytes) -> None:
        """Give the bytes to the driver; waits at most WRITE_WITHIN_S if it takes none. Raises PortLost."""
        try:
            with contextlib.suppress(BlockingIOError):
                # Nearly always one system call takes all of it; at each call another thread may run.
                data = data[os.write(self.fileno(), data) :]
            if data:
                self._send_rest(data)
        except serial.SerialTimeoutException:
            raise self._stuck() from None
        except OSError as error:
            raise self._lost() from error
        self._sent_s = time.monotonic()

    def _send_rest(self, data: bytes) -> None:
        # If nothing fits, pyserial would retry without a pause until the time is up.
        _, writable, _ = select.select([], [self.fileno()], [], WRITE_WITHIN_S)
        if not writable:
            raise self._stuck()
        self._serial.write(data)

    def read(self) -> bytes:
        """What has come in, at most MOST_READ bytes; empty when nothing has. Raises PortLost."""
        try:
            return bytes(self._serial.read(MOST_READ))
        except OSError as error:
            raise self._lost() from error

    def is_sending(self) -> bool:
        """Whether the driver still has bytes to send, as far as it tells. Raises PortLost, also if it has had
        them for WRITE_WITHIN_S."""
        try:
            waiting = self._serial.out_waiting
        except OSError as error:
            raise self._lost() from error
        if waiting and time.monotonic() - self._sent_s > WRITE_WITHIN_S:
            raise self._stuck()
        return bool(waiting)

    def tune(self, baud: int) -> None:
        """Change the baud rate; nothing may be waiting to be sent. Raises PortLost."""
        try:
            self._serial.baudrate = baud
        except OPEN_ERRORS as error:
            raise PortLost(
                Sentence("port.cannot_change_its_rate", port=self._name, baud=baud, error=cause(error))
            ) from error

    def is_moved(self) -> bool:
        """Whether the name refers to another device by now."""
        try:
            return Path(self._name).stat().st_rdev != os.fstat(self.fileno()).st_rdev
        except OSError:
            return False

    def close(self) -> None:
        """Release the descriptor and drop what was still to be sent. May be called twice."""
        if self._serial.is_open:
            with contextlib.suppress(OSError, termios.error):
                # Closing would wait for it; a port that has gone refuses, and has nothing to wait for.
                self._serial.reset_output_buffer()
            self._serial.close()

    def _stuck(self) -> PortLost:
        return PortLost(Sentence("port.takes_no_data", port=self._name, seconds=WRITE_WITHIN_S))

    def _lost(self) -> PortLost:
        return PortLost(Sentence("port.has_gone", port=self._name))


def open_port(name: str, *, baud: int) -> SerialPort:
    """Open the device that the name refers to now. Raises PortUnusable with one sentence."""
    if _leads_to_anothers_terminal(name):
        raise PortUnusable(Sentence("port.not_there", port=name))
    try:
        device = _open(name, baud)
    except OPEN_ERRORS as error:
        raise _unusable(name, baud, error) from error
    try:
        return SerialPort(name, device)
    except OSError as error:
        device.close()
        raise _unusable(name, baud, error) from error


def _open(name: str, baud: int) -> Any:
    try:
        return _open_at(name, baud)
    except ValueError:
        if not _leads_to_pty(name):
            raise
        return _open_at(name, PTY_BAUD)


def _open_at(name: str, baud: int) -> Any:
    return serial.Serial(name, baud, timeout=0, write_timeout=WRITE_WITHIN_S, exclusive=True)


def _set_low_latency(device: Any) -> bool:
    try:
        device.set_low_latency_mode(True)
    except (ValueError, NotImplementedError):  # the driver has no such mode
        return False
    return True


def _unusable(name: str, baud: int, error: Exception) -> PortUnusable:
    number = getattr(error, "errno", None)
    if number in IN_USE:
        return PortUnusable(_in_use(name), busy=True)
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return PortUnusable(Sentence("port.not_there", port=name))
    if number in (errno.EACCES, errno.EPERM):
        return PortUnusable(Sentence("port.may_not_be_opened", port=name))
    if isinstance(error, ValueError):
        return PortUnusable(Sentence("port.cannot_do_the_rate", port=name, baud=baud))
    return PortUnusable(Sentence("port.is_no_serial_port", port=name, error=cause(error)))


def _in_use(name: str) -> Sentence:
    """The sentence for a port in use. An adapter's first port has two names, so two segments may mean the
    same one."""
    found = who_holds(Path(name))
    if found is not None and found.pid == os.getpid():
        return Sentence("port.used_by_another_segment", port=name)
    user = Sentence("port.another_program") if found is None else found.sentence
    return Sentence("port.in_use", port=name, user=user)


def _leads_to_pty(name: str) -> bool:
    try:
        return os.major(Path(name).stat().st_rdev) in PTY_MAJORS
    except OSError:
        return False


def _leads_to_anothers_terminal(name: str) -> bool:
    """True if the link's pseudo-terminal has gone and its number was given to a newer one."""
    try:
        link_ns = os.lstat(name).st_ctime_ns
        return Path(name).is_symlink() and _leads_to_pty(name) and Path(name).stat().st_ctime_ns > link_ns
    except OSError:
        return False


def _is_pty(fd: int) -> bool:
    return os.major(os.fstat(fd).st_rdev) in PTY_MAJORS
