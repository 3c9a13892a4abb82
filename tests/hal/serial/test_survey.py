"""A port seen from outside: real pseudo-terminals, and the kernel's files in a false tree."""

import fcntl
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.hal.serial.port import Holder, PortFacts, survey, who_holds

LOCKER = "import fcntl, os, sys; f = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY); fcntl.flock(f, fcntl.LOCK_EX); print(flush=True); sys.stdin.read()"


@pytest.fixture
def terminal() -> Iterator[Path]:
    master, slave = pty.openpty()
    yield Path(os.ttyname(slave))
    os.close(master)
    os.close(slave)


def test_a_port_that_is_not_there(tmp_path: Path) -> None:
    assert survey(tmp_path / "ttyUSB0", sysfs=tmp_path, proc=tmp_path) == PortFacts(present=False)


def test_an_ftdi_adapter_by_the_kernels_files(tmp_path: Path) -> None:
    port = tmp_path / "dev" / "ttyUSB3"
    port.parent.mkdir()
    port.touch()
    (tmp_path / "row-A").symlink_to(port)
    device = tmp_path / "class" / "tty" / "ttyUSB3" / "device"
    device.mkdir(parents=True)
    (tmp_path / "drivers" / "ftdi_sio").mkdir(parents=True)
    (device / "driver").symlink_to(tmp_path / "drivers" / "ftdi_sio")
    (device / "latency_timer").write_text("16\n")
    assert survey(tmp_path / "row-A", sysfs=tmp_path, proc=tmp_path / "proc") == PortFacts(
        present=True, driver="ftdi_sio", latency_timer_ms=16
    )


def test_an_adapter_without_a_latency_timer(tmp_path: Path) -> None:
    port = tmp_path / "ttyACM0"
    port.touch()
    assert survey(port, sysfs=tmp_path, proc=tmp_path) == PortFacts(present=True)


def test_kernel_files_that_cannot_be_read_are_an_error(tmp_path: Path) -> None:
    port = tmp_path / "ttyUSB0"
    port.touch()
    (tmp_path / "class" / "tty" / "ttyUSB0" / "device" / "latency_timer").mkdir(parents=True)
    with pytest.raises(OSError, match="Is a directory"):
        survey(port, sysfs=tmp_path, proc=tmp_path)


def test_who_made_a_pseudo_terminal_does_not_hold_it_but_who_locks_it_does(terminal: Path) -> None:
    assert survey(terminal) == PortFacts(present=True)
    with subprocess.Popen(
        [sys.executable, "-c", LOCKER, str(terminal)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        assert survey(terminal).holder == Holder(other.pid, _name(other.pid))


def test_this_process_is_no_stranger(terminal: Path) -> None:
    own = os.open(terminal, os.O_RDWR | os.O_NOCTTY)
    try:
        fcntl.flock(own, fcntl.LOCK_EX)
        assert survey(terminal).holder is None
        assert who_holds(terminal) == Holder(os.getpid(), _name(os.getpid()))
    finally:
        os.close(own)


def _name(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text().strip()
