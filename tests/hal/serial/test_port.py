"""A real pyserial port on a pseudo-terminal, and every way in which it cannot be opened or goes."""

import fcntl
import os
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any

import pytest
import serial

from pi_controller.hal.serial import port as under_test
from pi_controller.hal.serial.port import PortLost, PortUnusable, SerialPort, open_port, who_holds
from tests.hal.serial.cable import Adapter, open_files
from tests.told import told

LINE_DISCIPLINE_BYTES = 4096
"""What the other end of a pseudo-terminal holds beyond this one's reach; some 18,000 bytes went in."""

HOLD = """\
import sys, serial
port = serial.Serial(sys.argv[1], 9600, exclusive=True)
print("holding", flush=True)
sys.stdin.read()
"""


def test_bytes_go_both_ways_as_they_are(row: Adapter) -> None:
    everything = bytes(range(256))
    with open_port(str(row.name), baud=250_000) as port:
        port.send(everything)
        heard = b""
        while len(heard) < 256:
            heard += row.hear()
        assert heard == everything
        row.say(everything)
        read = b""
        while len(read) < 256:
            read += port.read()
        assert read == everything
        assert port.read() == b""
        assert not port.is_sending()


@pytest.mark.parametrize("baud", [250_000, 115_200])
def test_the_rate_reaches_the_device(row: Adapter, baud: int) -> None:
    with open_port(str(row.name), baud=baud) as port:
        assert port._serial.baudrate == baud


def test_a_device_without_low_latency_mode_is_no_error(row: Adapter) -> None:
    with open_port(str(row.name), baud=250_000) as port:
        assert not port.low_latency


def test_a_device_with_low_latency_mode_has_it_on(row: Adapter, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(serial.Serial, "set_low_latency_mode", lambda _, on: asked.append(on))
    with open_port(str(row.name), baud=250_000) as port:
        assert port.low_latency
    assert asked == [True]


def refuse_rate(_port: Any, rate: int) -> None:
    raise ValueError(f"Failed to set custom baud rate ({rate}): [Errno 22] Invalid argument")


def test_a_pseudo_terminal_that_refuses_the_rate_is_used_all_the_same(
    row: Adapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serial.Serial, "_set_special_baudrate", refuse_rate)
    with open_port(str(row.name), baud=250_000) as port:
        port.send(b"x")
        assert row.hear() == b"x"


def test_an_adapter_that_refuses_the_rate_is_a_sentence(
    row: Adapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serial.Serial, "_set_special_baudrate", refuse_rate)
    monkeypatch.setattr(under_test, "PTY_MAJORS", range(0))
    with pytest.raises(PortUnusable) as refused:
        open_port(str(row.name), baud=250_000)
    assert str(refused.value) == (
        f"the serial port {row.name} cannot do 250000 bits per second: use another adapter or set [tables] baud."
    )


def test_a_device_that_is_no_pseudo_terminal_is_closed_to_all_other_programs(
    row: Adapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(under_test, "PTY_MAJORS", range(0))
    device = serial.Serial(str(row.name), 115_200)
    real = fcntl.ioctl
    monkeypatch.setattr(
        fcntl, "ioctl", lambda fd, request, *rest: asked.append(request) or real(fd, request, *rest)
    )
    with SerialPort(str(row.name), device):
        assert termios.TIOCEXCL in asked


def test_a_port_that_does_not_exist_is_a_sentence(tmp_path: Path) -> None:
    name = tmp_path / "row-B"
    with pytest.raises(PortUnusable) as refused:
        open_port(str(name), baud=250_000)
    assert str(refused.value) == (
        f"the serial port {name} is not there: plug the adapter in or correct [tables]."
    )
    assert not refused.value.busy


def test_a_name_that_leads_nowhere_is_a_sentence(tmp_path: Path) -> None:
    name = tmp_path / "row-B"
    name.symlink_to(tmp_path / "gone")
    with pytest.raises(PortUnusable, match="is not there"):
        open_port(str(name), baud=250_000)


@pytest.mark.parametrize("kind", ["file", "folder", "device"])
def test_what_is_no_serial_port_is_a_sentence(tmp_path: Path, kind: str) -> None:
    name = Path("/dev/null") if kind == "device" else tmp_path / "row-B"
    if kind == "file":
        name.write_text("")
    elif kind == "folder":
        name.mkdir()
    before = open_files()
    with pytest.raises(PortUnusable, match="cannot be used as a serial port") as refused:
        open_port(str(name), baud=250_000)
    assert str(refused.value).endswith("give the port of the adapter in [tables].")
    assert open_files() == before


def test_a_port_without_permission_is_a_sentence(row: Adapter, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise serial.SerialException(13, "could not open port: [Errno 13] Permission denied")

    monkeypatch.setattr(serial, "Serial", refuse)
    with pytest.raises(
        PortUnusable, match="may not be opened: add the controller's user to the group dialout"
    ):
        open_port(str(row.name), baud=250_000)


def test_a_driver_that_fails_right_after_the_opening_leaves_nothing_open(
    row: Adapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_name: str, _device: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(under_test, "SerialPort", fail)
    before = open_files()
    with pytest.raises(PortUnusable, match="cannot be used as a serial port"):
        open_port(str(row.name), baud=250_000)
    assert open_files() == before


def test_a_port_in_use_names_the_program_that_has_it(row: Adapter) -> None:
    """B17."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(row.name)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "holding\n"
        with pytest.raises(PortUnusable) as refused:
            open_port(str(row.name), baud=250_000)
        other.communicate()
    assert refused.value.busy
    sentence = str(refused.value)
    assert sentence.startswith(f"the serial port {row.name} is in use by process {other.pid} (")
    assert sentence.endswith("): end that program.")
    with open_port(str(row.name), baud=250_000):
        pass


def test_a_second_opener_is_kept_out(row: Adapter) -> None:
    with open_port(str(row.name), baud=250_000):
        with pytest.raises(PortUnusable, match=r"used by another segment of this controller: give each"):
            open_port(str(row.name), baud=250_000)
        with pytest.raises(serial.SerialException):
            serial.Serial(str(row.name), 9600, exclusive=True)


def held_by(device: Path, proc: Path) -> str:
    found = who_holds(device, proc=proc)
    assert found is not None
    return told(found.sentence)


def test_a_holder_is_found_by_its_open_file_where_there_is_no_lock(tmp_path: Path) -> None:
    device = tmp_path / "device"
    device.symlink_to("/dev/null")
    (tmp_path / "proc/812/fd").mkdir(parents=True)
    (tmp_path / "proc/812/fd/3").symlink_to("/dev/null")
    (tmp_path / "proc/812/fd/4").symlink_to(tmp_path / "gone")
    (tmp_path / "proc/700").mkdir()
    assert held_by(device, tmp_path / "proc") == "process 812"
    (tmp_path / "proc/812/comm").write_text("minicom\n")
    assert held_by(device, tmp_path / "proc") == "process 812 (minicom)"


def test_nobody_is_named_when_the_system_does_not_tell(tmp_path: Path, row: Adapter) -> None:
    assert who_holds(row.name, proc=tmp_path) is None
    assert who_holds(tmp_path / "gone", proc=tmp_path) is None
    (tmp_path / "locks").write_text("1: FLOCK  ADVISORY  WRITE -1 00:05:34 0 EOF\n2: -> FLOCK\n")
    assert who_holds(row.name, proc=tmp_path) is None


def test_a_pulled_adapter_is_noticed_by_whatever_is_done_next(row: Adapter) -> None:
    for act in (lambda port: port.read(), lambda port: port.send(b"x"), lambda port: port.is_sending()):
        with open_port(str(row.name), baud=250_000) as port:
            row.unplug()
            with pytest.raises(PortLost, match="has gone: check the adapter and its cable"):
                act(port)
        row.plug()


def fill(port: SerialPort) -> None:
    for _ in range(10_000):
        port.send(bytes(40))


def test_a_port_that_takes_nothing_is_noticed_and_costs_no_time_of_the_processor(row: Adapter) -> None:
    """B15: nobody reads the other end."""
    with open_port(str(row.name), baud=250_000) as port:
        for _ in range(3):  # the system makes a little room now and then
            spent_s = time.thread_time()
            with pytest.raises(
                PortLost, match=r"has accepted no data for 0\.3 s: unplug the adapter and plug it in again"
            ):
                fill(port)
        assert time.thread_time() - spent_s < 0.15
    with open_port(str(row.name), baud=250_000) as port:
        port.send(b"newest")
        heard = b""
        while not heard.endswith(b"newest"):
            heard += row.hear()
        assert len(heard) <= LINE_DISCIPLINE_BYTES + 6


class Clogged:
    """A driver whose bytes never go out."""

    is_open = False
    out_waiting = 12

    def fileno(self) -> int:
        return 0

    def set_low_latency_mode(self, _on: bool) -> None: ...


def test_bytes_that_never_leave_the_driver_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(under_test, "_is_pty", lambda _: True)
    now_s = [100.0]
    monkeypatch.setattr(under_test.time, "monotonic", lambda: now_s[0])
    port = SerialPort("/dev/tablebus/row-A", Clogged())
    assert port.is_sending()
    now_s[0] += 0.31
    with pytest.raises(PortLost, match="has accepted no data"):
        port.is_sending()


def test_closing_releases_every_descriptor_however_the_port_ended(row: Adapter) -> None:
    before = open_files()
    for is_pulled in (False, True, False):
        port = open_port(str(row.name), baud=250_000)
        if is_pulled:
            row.unplug()
        port.close()
        port.close()
        if is_pulled:
            row.plug()
    assert open_files() == before


def test_a_name_that_has_moved_on_is_told(row: Adapter) -> None:
    with open_port(str(row.name), baud=250_000) as port:
        assert not port.is_moved()
        old = row.fd
        row.plug()
        assert port.is_moved()
        os.close(old)
        row.vanish()
        assert not port.is_moved()


def test_a_terminal_that_has_got_the_number_of_a_port_that_went_is_left_alone(tmp_path: Path) -> None:
    """Numbers are given again. Opened as a port, somebody's terminal would be raw, and its reader would be told
    the end."""
    near, far = os.openpty()
    name, terminal = tmp_path / "row-A", Path(os.ttyname(far))
    name.symlink_to(terminal)
    while terminal.stat().st_ctime_ns <= name.lstat().st_ctime_ns:
        terminal.chmod(0o600)  # from now on as old as one that is made now
    before = termios.tcgetattr(far)
    with pytest.raises(PortUnusable) as refused:
        open_port(str(name), baud=250_000)
    assert refused.value.sentence.key == "port.not_there"
    assert termios.tcgetattr(far) == before
    for fd in (near, far):
        os.close(fd)
