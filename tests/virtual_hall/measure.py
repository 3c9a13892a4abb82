"""What the whole firmware shows on the glass of many tables, behind one cable, in virtual time."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple
from zlib import crc32

from pi_controller.bus.frame import near
from pi_controller.bus.values import SegmentChanged, TableState
from pi_controller.virtual_hall.board import VirtualBoard
from pi_controller.virtual_hall.hall import SimulatedSegment, VirtualHall
from pi_controller.virtual_hall.table import Program, Table, VirtualDisplay, start_firmware
from tests.virtual_hall.virtual_time import Drive

SECOND_US = 1_000_000
SETTLED_US = 12 * SECOND_US
"""After so long all tables have joined and know how fast their crystals run."""
JOINED_US = 7 * SECOND_US
"""After so long they have joined."""


class Glass(NamedTuple):
    """A picture that has come onto a display, in the hall's time; `seconds` -1: no countdown."""

    at_us: int
    side: int
    kind: str
    round: int
    seconds: int


class Watched:
    """The firmware, with an eye on its displays."""

    def __init__(self, program: Any, board: VirtualBoard, displays: Sequence[VirtualDisplay]) -> None:
        self.node = program
        self.seen: list[Glass] = []
        self._board = board
        self._displays = displays
        self._shown = [display.shown for display in displays]

    def step(self) -> int:
        wait_us: int = self.node.step()
        at_us = self._board.now_us
        for side, display in enumerate(self._displays):
            at_us += display.spent_us
            if display.shown is not self._shown[side]:
                self._shown[side] = display.shown
                view = self.node.views[side]
                self.seen.append(Glass(at_us, side, view.kind, view.round, view.seconds))
        return wait_us


def start(board: VirtualBoard, displays: Sequence[VirtualDisplay]) -> Program:
    chance = crc32(board.uid + board.now_us.to_bytes(8)).to_bytes(4)[:3]
    return Watched(start_firmware(board, displays, chance=chance), board, displays)


def watched(table: Table) -> Watched:
    assert isinstance(table.program, Watched)
    return table.program


def state(drive: Drive, *, number: int = 1, left_us: int = 35 * SECOND_US, **more: Any) -> TableState:
    """A round that began when it has so much left of 35 s."""
    seat = 0 if number % 2 else 1
    return TableState(
        as_of_us=drive.master_us(),
        phase="round",
        running=True,
        seat=seat,
        next_seat=1 - seat,
        left_us=left_us,
        duration_ms=35_000,
        round=number,
        dice=(2, 3),
        **more,
    )


def joined(tables: int, *, seed: int = 1, after_us: int = SETTLED_US) -> tuple[VirtualHall, Drive]:
    """A segment in play; a new round has just begun."""
    hall = VirtualHall(tables, start, seed=seed)
    drive = Drive(hall.segments["A"])
    drive.master.show(state(drive))
    drive.run(after_us)
    drive.master.show(state(drive, number=2))
    drive.run_for(SECOND_US)
    return hall, drive


def flips_ms(tables: int, *, seconds: int, seed: int = 1) -> list[float]:
    """How far apart any two displays change to the same second."""
    hall, drive = joined(tables, seed=seed)
    drive.run_for(seconds * SECOND_US)
    flips: dict[int, dict[tuple[int, int], int]] = {}
    for number, table in enumerate(hall.tables.values()):
        seen = [glass for glass in watched(table).seen if glass.round == 2]
        for glass in seen:
            flips.setdefault(glass.seconds, {}).setdefault((number, glass.side), glass.at_us)
    whole = [list(moments.values()) for moments in flips.values() if len(moments) == 2 * tables]
    assert len(whole) >= seconds - 1, "not everybody showed every second"
    return [abs(one - other) / 1000 for moments in whole[1:] for one, other in combinations(moments, 2)]


class Silence(NamedTuple):
    """What the tables did when the master fell silent with `left_us` left."""

    no_link_s: list[float]
    """From the last STATE until "no link" was on the glass."""
    fewest_seconds: int
    """That any display showed."""


def silence(tables: int, *, left_us: int, seed: int = 1) -> Silence:
    hall, drive = joined(tables, seed=seed)
    drive.master.show(state(drive, number=3, left_us=left_us))
    drive.run_for(SECOND_US // 2)
    last_us = _last_state_us(drive)
    drive.silent = True
    drive.run_for(10 * SECOND_US)
    waits, shown = [], []
    for table in hall.tables.values():
        for side in (0, 1):
            own = [glass for glass in watched(table).seen if (glass.side, glass.round) == (side, 3)]
            waits.append(next(glass.at_us for glass in own if glass.kind == "no_link") - last_us)
            assert own[-1].kind == "no_link"
            shown += [glass.seconds for glass in own if glass.kind == "round"]
    return Silence([wait_us / 1e6 for wait_us in waits], min(shown))


def _last_state_us(drive: Drive) -> int:
    """Run until the master has just said a STATE that everybody has heard."""
    tables = drive.segment.tables
    before = [watched(table).node.link._heard for table in tables]
    while any(watched(table).node.link._heard == old for table, old in zip(tables, before, strict=True)):
        drive.run_for(1_000)
    return drive.now_us


def ages_ms(tables: int, *, loss: float, seconds: int, seed: int = 1) -> list[float]:
    """How old the newest STATE of any table is, looked at every 25 ms, with this part of all frames lost."""
    hall, drive = joined(tables, seed=seed)
    lose(hall.segments["A"], loss)
    drive.run_for(2 * SECOND_US)
    ages = []
    for _ in range(seconds * 40):
        drive.run_for(25_000)
        now_us = drive.master_us()
        stamps = [watched(table).node.state.master_us for table in hall.tables.values()]
        ages += [(now_us - near(stamp, now_us)) / 1000 for stamp in stamps]
    return ages


def lose(segment: SimulatedSegment, part: float) -> None:
    """At each end for itself."""
    for end in range(len(segment.tables) + 1):
        segment.cable.hearing(end).loss.part = part


def right_after_boot_s(tables: int, *, boots: int) -> list[float]:
    """A table is switched off and on every two seconds: from the firmware's start to the right picture."""
    hall, drive = joined(tables, after_us=JOINED_US)
    table = hall.tables[list(hall.tables)[tables // 2]]
    waits = []
    for number in range(boots):
        drive.master.show(state(drive, number=10 + number))
        table.reboot(drive.now_us)
        began_us = table.due_us
        drive.run_for(2 * SECOND_US)
        seen = watched(table).seen
        waits += [
            next(glass.at_us for glass in seen if glass[1:4] == (side, "round", 10 + number)) - began_us
            for side in (0, 1)
        ]
    return [wait_us / 1e6 for wait_us in waits]


def back_after_hang_s() -> tuple[float, float]:
    """The firmware of a table hangs: until its watchdog has bitten, and from then until its picture is right."""
    hall, drive = joined(4, after_us=JOINED_US)
    table = next(iter(hall.tables.values()))
    hung = table.program
    table.hang()
    hung_us = drive.now_us
    while table.program is hung:
        drive.run_for(1_000)
    bitten_us = drive.now_us
    drive.run_for(3 * SECOND_US)
    back_us = max(
        next(glass.at_us for glass in watched(table).seen if glass[1:4] == (side, "round", 2))
        for side in (0, 1)
    )
    return (bitten_us - hung_us) / 1e6, (back_us - bitten_us) / 1e6


def told_of_held_line_s(tables: int, *, stuck: bool) -> tuple[float, float]:
    """A node babbles, or holds the line low: until the master says so; and after it stops, until all tables show
    the newest state again."""
    hall, drive = joined(tables, after_us=JOINED_US)
    cable = hall.segments["A"].cable
    began_us = drive.now_us
    if stuck:
        cable.stick(3)
    else:
        cable.babble(3)
    while not [event for event in drive.of(SegmentChanged) if event.sentence is not None]:
        drive.run_for(10_000)
        assert drive.now_us - began_us < 10 * SECOND_US
    told_us = drive.now_us - began_us
    drive.master.show(state(drive, number=3))
    drive.run_for(3 * SECOND_US)
    cable.hush(3)
    began_us = drive.now_us
    while any(watched(table).node.views[0].round != 3 for table in hall.tables.values()):
        drive.run_for(10_000)
        assert drive.now_us - began_us < 10 * SECOND_US
    return told_us / 1e6, (drive.now_us - began_us) / 1e6
