"""Tables in real MicroPython, a process each, behind simulated cables with real masters, in real time."""

import os
import resource
import select
import subprocess
import time
import tty
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from pi_controller.bus.frame import MOST_NODES
from pi_controller.bus.master import SegmentMaster
from pi_controller.bus.requests import Send
from pi_controller.bus.values import BusEvent, Place
from pi_controller.protocol.paths import virtual_segments
from pi_controller.virtual_hall.board import VirtualBoard
from pi_controller.virtual_hall.cable import NEVER, Cable
from pi_controller.virtual_hall.hall import MASTER, SimulatedSegment
from pi_controller.virtual_hall.table import FrameFilter
from tests.firmware import micropython
from tests.patience import DEADLINE_S

UNIX = Path(__file__).parent / "unix"
BAUD = 250_000
HANDS = {"press": b"01", "release": b"ab"}


class Shown(NamedTuple):
    """What a side of a table shows, as `unix/table.py` says it."""

    side: int
    kind: str
    phase: int
    active: int
    round: int
    sum: int
    seconds: int
    target: int
    claim: int
    picture: int


class RealTable:
    """Looks like a virtual table to its segment; the firmware runs by itself."""

    due_us = NEVER

    def __init__(self, uid: str, *, look_us: int, sparing: bool) -> None:
        self.uid = uid
        self.shown: dict[int, list[Shown]] = {0: [], 1: []}
        self.complaints: list[str] = []
        self.cable, near = os.openpty()
        tty.setraw(near)
        os.set_blocking(self.cable, False)
        os.set_blocking(near, False)  # also for the child: MicroPython would wait until its buffer is full
        self._board = VirtualBoard(uid=bytes.fromhex(uid), say=lambda _, at_us: at_us, tune=lambda _: None)
        self._filter = FrameFilter(self._board) if sparing else None
        hands, self._hands = os.pipe()
        self.process = subprocess.Popen(
            [micropython.interpreter(), str(UNIX / "table.py"), uid, f"/proc/self/fd/{hands}", str(look_us)],
            env=micropython.environment(UNIX),
            stdin=near,
            stdout=near,
            stderr=subprocess.PIPE,
            pass_fds=(hands,),
        )
        os.close(near)
        os.close(hands)
        assert self.process.stderr is not None
        self.reports = self.process.stderr
        os.set_blocking(self.reports.fileno(), False)
        self._rest = b""

    def receive(self, data: bytes, at_us: int) -> None:
        incoming = self._board.incoming
        incoming += data
        if data[-1] == 0 and self._filter is not None and self._filter.dropped(at_us):
            return
        if data[-1] == 0 or self._filter is None:
            os.write(self.cable, incoming)
            incoming.clear()

    def step(self, now_us: int) -> None:
        """Runs by itself."""

    def said(self) -> bytes:
        try:
            data = os.read(self.cable, 4096)
        except OSError:  # it has ended
            self.process.wait(DEADLINE_S)
            self.read_reports()
            pytest.fail(f"table {self.uid} has ended: {self.complaints}")
        self._board.said = data
        return data

    def read_reports(self) -> None:
        *lines, self._rest = (self._rest + (self.reports.read() or b"")).split(b"\n")
        for line in lines:
            words = line.decode().split()
            if len(words) != len(Shown._fields):
                self.complaints.append(line.decode())
                continue
            side, kind, *numbers = words
            shown = Shown(int(side), kind, *map(int, numbers))
            self.shown[shown.side].append(shown)

    def touch(self, what: str, side: int) -> None:
        os.write(self._hands, HANDS[what][side : side + 1])

    def close(self) -> None:
        os.close(self._hands)  # which ends the program
        self.process.wait(DEADLINE_S)
        self.reports.close()
        os.close(self.cable)


class RealHall:
    """So many tables in full segments, each with its master, all joined at their boards. The first `listeners` hear everything, the others
    few of the frames to others, so that a small machine has time enough."""

    def __init__(
        self, tables: int, *, look_us: int, listeners: int, deadline_s: float = DEADLINE_S, seed: int = 1
    ) -> None:
        _allow_descriptors(4 * tables + 100)
        self._deadline_s = deadline_s
        self.events: list[BusEvent] = []
        self.tables: list[RealTable] = []
        self.masters: dict[str, SegmentMaster] = {}
        self.segments: dict[str, SimulatedSegment] = {}
        self._poll = select.epoll()
        self._act_on: dict[int, Callable[[], None]] = {}
        places = tuple(Place(uid=_uid(number), board=board_of(number)) for number in range(tables))
        for number, (name, count) in enumerate(virtual_segments(tables).items()):
            first = number * MOST_NODES
            added = [
                RealTable(_uid(number), look_us=look_us, sparing=number >= listeners)
                for number in range(first, first + count)
            ]
            self.tables += added
            self._build(name, added, seed + number)
            self.masters[name].places(places)
            self.run_until(lambda: self._seated() == len(self.tables))

    def _build(self, name: str, tables: Sequence[RealTable], seed: int) -> None:
        cable = Cable(BAUD, len(tables) + 1, seed)
        salts = iter(range(seed * 7919, 1 << 40, 40_503))
        self.masters[name] = SegmentMaster(name=name, epoch=seed, salt=lambda: next(salts) % 65536, baud=BAUD)
        self.segments[name] = SimulatedSegment(cable, tables)  # type: ignore[arg-type]
        for end, table in enumerate(tables, start=1):
            self._watch(table.cable, lambda end=end, table=table: cable.talk(end, table.said(), now_us()))
            self._watch(table.reports.fileno(), table.read_reports)

    def _watch(self, descriptor: int, act: Callable[[], object]) -> None:
        self._poll.register(descriptor, select.EPOLLIN)
        self._act_on[descriptor] = act  # type: ignore[assignment]

    def run_until(self, condition: Callable[[], bool]) -> None:
        """Serves everything until then; fails after the deadline, or when a table has ended."""
        until_us = now_us() + round(self._deadline_s * 1e6)
        while not condition():
            assert now_us() < until_us, "it did not happen in time"
            self._turn()

    def run_for(self, seconds: float) -> None:
        until_us = now_us() + round(seconds * 1e6)
        self.run_until(lambda: now_us() >= until_us)

    def _seated(self) -> int:
        """Nodes that have joined and know their board."""
        snapshots = [master.snapshot(now_us()) for master in self.masters.values()]
        return sum(
            node.good > 0 and node.board is not None for snapshot in snapshots for node in snapshot.nodes
        )

    def memory_mb(self) -> int:
        """Of all tables' processes together."""
        pages = [
            int(Path(f"/proc/{table.process.pid}/statm").read_text().split()[1]) for table in self.tables
        ]
        return sum(pages) * resource.getpagesize() // 1_000_000

    def complaints(self) -> list[str]:
        return [f"{table.uid}: {line}" for table in self.tables for line in table.complaints]

    def close(self) -> None:
        for table in self.tables:
            table.close()
        self._poll.close()

    def _turn(self) -> None:
        rests = [self._act(name) for name in self.masters]
        wait_s = max(0, min(rests) - now_us()) / 1e6
        for descriptor, _ in self._poll.poll(min(wait_s, 0.05)):
            self._act_on[descriptor]()
        for name, master in self.masters.items():
            at_us = now_us()
            self.events += master.received(self.segments[name].advance(at_us), at_us)

    def _act(self, name: str) -> int:
        """Until when nothing is to be done on this segment."""
        segment = self.segments[name]
        while isinstance(step := self.masters[name].next(now_us()), Send):
            segment.cable.talk(MASTER, step.data, now_us())
        return min(step.until_us, segment.next_us())


def board_of(number: int) -> str:
    """The board of this table, counted from 0."""
    return f"T{number}"


def _uid(number: int) -> str:
    return f"7274{number:012x}"


def now_us() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000


def _allow_descriptors(count: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))
