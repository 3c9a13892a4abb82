"""The figures that depend on the node's own firmware: it runs on simulated boards and cables in virtual time."""

from typing import NamedTuple

from pi_controller.bus.frame import OVERHEAD, near
from pi_controller.bus.messages import Ping, Pong
from pi_controller.bus.values import BusJob, ClaimHeard, ClaimOutcome, JobResult, PingAsked, SilenceAsked
from pi_controller.virtual_hall.hall import VirtualHall
from pi_controller.virtual_hall.table import start_firmware
from tests.bus.hall import state
from tests.virtual_hall.virtual_time import BEGAN_US, Drive

SECOND = 1_000_000
HOLD_US = 600_000


def joined(tables: int, *, seed: int = 1, sparing: bool = False) -> tuple[VirtualHall, Drive]:
    """A hall in a round in which Sun is active; all tables have their addresses and a sense of time."""
    hall = VirtualHall(tables, start_firmware, seed=seed, sparing=sparing)
    drive = Drive(hall.segments["A"])
    drive.master.show(state(drive.master_us(), left_us=3_000 * SECOND))
    drive.run_for(7 * SECOND)
    assert sum(node.state == "good" for node in drive.master.snapshot(drive.master_us()).nodes) == tables
    return hall, drive


def claims(tables: int, rounds: int) -> tuple[list[float], list[float]]:
    """Milliseconds from the end of a hold until the node knows that its claim is taken in, and by how much the
    time of the first contact is wrong."""
    hall, drive = joined(tables, sparing=True)
    waits: list[float] = []
    errors: list[float] = []
    judged: list[ClaimOutcome] = []
    for number in range(rounds):
        pressed = _press(hall, drive, number)
        waits += _wait(hall, drive, pressed)
        heard = drive.of(ClaimHeard)[-len(pressed) :]
        assert {event.claim.uid for event in heard} == set(pressed)
        errors += [(event.at_us - BEGAN_US - pressed[event.claim.uid]) / 1000 for event in heard]
        judged += [ClaimOutcome(claim=one.claim, at_us=one.at_us, status="rejected") for one in heard]
        drive.master.outcomes(tuple(judged))
        drive.run_for(5 * SECOND)
    return waits, errors


def _press(hall: VirtualHall, drive: Drive, number: int) -> dict[str, int]:
    """Every fourth table's Sun button, 37 ms apart; when each was touched."""
    pressed = {}
    for uid in list(hall.tables)[number % 4 :: 4]:
        drive.run_for(37_000)
        hall.tables[uid].hold(0, drive.now_us + 800_000, drive.now_us)
        pressed[uid] = drive.now_us
    return pressed


def _wait(hall: VirtualHall, drive: Drive, pressed: dict[str, int]) -> list[float]:
    known: dict[str, float] = {}
    while len(known) < len(pressed):
        drive.run_for(1_000)
        for uid in pressed.keys() - known.keys():
            if hall.tables[uid].program.claims[0].status > 2:  # type: ignore[union-attr]
                known[uid] = (drive.now_us - pressed[uid] - HOLD_US) / 1000
    return list(known.values())


PING_BITS = 8 * (Ping.layout.size + Pong.layout.size + 2 * OVERHEAD)
"""Of a PING and its answer on the wire, without start and stop bits."""


class Pinged(NamedTuple):
    seconds: float
    lost: int


def pings(tables: int, *, frames: int) -> Pinged:
    """So many PINGs to each of these tables; segments are measured side by side, so the longest one counts."""
    took = []
    hall = VirtualHall(tables, start_firmware, sparing=True)
    for name, segment in hall.segments.items():
        drive = Drive(segment, name=name)
        drive.master.show(state(drive.master_us(), left_us=3_000 * SECOND))
        drive.run_for(7 * SECOND)
        found = _measured(drive, PingAsked(frames=frames))
        assert len(found.nodes) == len(segment.tables)
        took.append(Pinged(found.seconds, sum(node.sent - node.answered for node in found.nodes)))
    return Pinged(max(one.seconds for one in took), sum(one.lost for one in took))


def clocks(tables: int, *, silence_s: float) -> tuple[float, float]:
    """By how many microseconds, at most, what a table tells of its clock is wrong; and by how many its clock is
    after a silence."""
    hall, drive = joined(tables, sparing=True)
    drive.run_for(40 * SECOND)
    wrong = []
    for node in _measured(drive, PingAsked(frames=5)).nodes:
        table = hall.tables[node.uid]
        table.board.now_us = drive.now_us
        clock = table.program.time.master(table.board.ticks_us())  # type: ignore[union-attr]
        true_us = near(clock, drive.master_us()) - drive.master_us()
        assert node.clock_offset_us is not None
        wrong.append(abs(node.clock_offset_us - true_us))
    after = [node.clock_offset_us for node in _measured(drive, SilenceAsked(seconds=silence_s)).nodes]
    return max(wrong), max(abs(offset) for offset in after if offset is not None)


def _measured(drive: Drive, job: BusJob) -> JobResult:
    drive.master.measure(job)
    for _ in range(1200):
        drive.run_for(SECOND // 10)
        if results := drive.master.taken_results():
            return results[0]
    raise AssertionError("no result has come")
