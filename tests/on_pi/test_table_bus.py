"""A real adapter with at least one table node on it. Run with `-s`: it prints figures and asks a person to pull
the adapter."""

import array
import fcntl
import os
import queue
import select
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_controller.bus.frame import EVERYBODY, MASTER, encode, wire_us
from pi_controller.bus.messages import StateMessage, to_frame
from pi_controller.bus.values import BusEvent, SegmentPort, SegmentSnapshot, TableState
from pi_controller.hal.serial.bus import SerialTableBus, open_table_bus
from pi_controller.hal.serial.port import SerialPort, open_port
from pi_controller.hal.system.kernel import SystemClock

PORT = os.environ.get("ON_PI_TABLE_PORT", "/dev/tablebus/row-A")
BAUD = int(os.environ.get("ON_PI_TABLE_BAUD", "250000"))
FRAME = encode(to_frame(StateMessage(epoch=0, state_seq=0, master_us=0), dst=EVERYBODY, src=MASTER, seq=0))
FRAMES = 200
PATIENCE_S = 60
REST = threading.Event()
TCGETS2 = 0x802C542A
"""_IOR('T', 0x2A, struct termios2); its last two numbers are the rates (linux/asm-generic/termbits.h)."""


def test_the_adapter_runs_at_the_rate_that_was_asked_for() -> None:
    with open_port(PORT, baud=BAUD) as port:
        settings = array.array("I", [0] * 11)
        fcntl.ioctl(port.fileno(), TCGETS2, settings)
    # A node takes 3 per cent with both ends adding up; an adapter that rounds its divisor shows what it made.
    assert settings[9] == pytest.approx(BAUD, rel=0.015)
    assert settings[10] == pytest.approx(BAUD, rel=0.015)


def test_the_driver_hands_bytes_over_at_once() -> None:
    with open_port(PORT, baud=BAUD) as port:
        timer = Path("/sys/bus/usb-serial/devices") / Path(PORT).resolve().name / "latency_timer"
        if timer.exists():
            assert timer.read_text().strip() == "1"
            assert port.low_latency
        else:
            print(f"\n{PORT} has no latency timer; low-latency mode: {port.low_latency}")


def test_own_bytes_come_back_wholly_or_not_at_all() -> None:
    """Unplug the nodes first: a partial echo is a driver-enable that comes too late."""
    with open_port(PORT, baud=BAUD) as port:
        counts = set()
        for _ in range(20):
            port.send(FRAME)
            counts.add(len(_heard(port, 0.05)))
    print(f"\nbytes that come back of {len(FRAME)}: {sorted(counts)}")
    assert counts in ({0}, {len(FRAME)})


def test_a_frame_leaves_the_driver_in_little_more_than_its_time_on_the_wire() -> None:
    took_ms = []
    with open_port(PORT, baud=BAUD) as port:
        for _ in range(FRAMES):
            begun_s = time.monotonic()
            port.send(FRAME)
            while port.is_sending():
                REST.wait(0.0001)
            took_ms.append((time.monotonic() - begun_s) * 1000)
            REST.wait(0.005)
    took_ms.sort()
    wire_ms = wire_us(len(FRAME), BAUD) / 1000
    print(
        f"\ndriver empty after: median {took_ms[FRAMES // 2]:.2f} ms, 99 % {took_ms[FRAMES * 99 // 100]:.2f} ms;"
    )
    print(f"on the wire {wire_ms:.2f} ms (an adapter with a buffer of its own says empty earlier)")
    assert took_ms[FRAMES // 2] < wire_ms + 3


def test_the_nodes_are_found_and_answer_in_time() -> None:
    with _bus() as bus:
        bus.show(TableState(as_of_us=time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000, phase="ready"))
        _until(bus, lambda segment: segment.link == "open", "the segment is open")
        REST.wait(10)
        (segment,) = bus.snapshot()
    print(f"\n{len(segment.nodes)} nodes, {segment.good} good frames, {segment.crc_errors} damaged,", end=" ")
    print(f"{segment.missed} polls missed, {segment.echoes} echoes, {segment.collisions} collisions")
    for node in segment.nodes:
        print(
            f"{node.address:3} {node.uid} firmware {node.firmware}, {node.good} polls, {node.round_trip_ms}"
        )
    assert segment.sentence is None
    assert segment.missed <= segment.good / 100
    assert segment.round_trip is not None
    assert segment.round_trip.p99 < 12


def test_a_pulled_adapter_comes_back_by_its_name() -> None:
    with _bus() as bus:
        _until(bus, lambda segment: segment.link == "open", "the segment is open")
        print(f"\nPull the USB adapter of {PORT} within {PATIENCE_S} s.")
        _until(bus, lambda segment: segment.link == "closed", "the adapter is noticed as gone")
        print(bus.snapshot()[0].sentence)
        print(f"Put it back within {PATIENCE_S} s, into another socket if there is one.")
        _until(bus, lambda _: Path(PORT).exists(), "its name is there")
        begun_s = time.monotonic()
        _until(bus, lambda segment: segment.link == "open", "the segment is open again")
        print(f"open again {time.monotonic() - begun_s:.2f} s after its name was there")
        assert time.monotonic() - begun_s <= 2.0


def _heard(port: SerialPort, seconds: float) -> bytes:
    heard = b""
    until_s = time.monotonic() + seconds
    while (left_s := until_s - time.monotonic()) > 0:
        if select.select([port.fileno()], [], [], left_s)[0]:
            heard += port.read()
    return heard


def _bus() -> SerialTableBus:
    events: queue.SimpleQueue[BusEvent] = queue.SimpleQueue()
    return open_table_bus((SegmentPort("A", PORT),), baud=BAUD, clock=SystemClock(), on_event=events.put)


def _until(bus: SerialTableBus, done: Callable[[SegmentSnapshot], bool], what: str) -> None:
    until_s = time.monotonic() + PATIENCE_S
    while not done(bus.snapshot()[0]):
        assert time.monotonic() < until_s, f"never happened: {what}; {bus.snapshot()[0].sentence}"
        REST.wait(0.02)
