"""Jobs with the node's own firmware on simulated boards and cables, in virtual time."""

import pytest

from pi_controller.bus.values import (
    BusJob,
    ClaimHeard,
    JobResult,
    MarginAsked,
    PingAsked,
    SilenceAsked,
    TableState,
)
from pi_controller.protocol.simulated import Do
from pi_controller.sentence import as_told
from pi_controller.virtual_hall.hall import VirtualHall, virtual_uid
from pi_controller.virtual_hall.table import start_sparing
from tests.told import told
from tests.virtual_hall.virtual_time import BEGAN_US, Drive

SECOND = 1_000_000
UID = virtual_uid(2)


class Tables:
    """Three of them, and nothing is played."""

    def __init__(self, tables: int = 3, *, seconds: int = 16, ideal: bool = False) -> None:
        self.hall = VirtualHall(tables, start_sparing, sparing=True, ideal=ideal)
        self.drive = Drive(self.hall.segments["A"])
        self.drive.master.show(TableState(as_of_us=self.drive.master_us(), phase="ready"))
        self.drive.run(seconds * SECOND)

    def do(self, action: str, **more: object) -> None:
        self.hall.do(Do(version=1, id=7, do=action, uid=UID, **more), self.drive.now_us)  # type: ignore[arg-type]

    def result(self, job: BusJob | None = None, *, within_s: float = 60) -> JobResult:
        if job is not None:
            self.drive.master.measure(job)
        until = self.drive.now_us + within_s * SECOND
        while self.drive.now_us < until:
            self.drive.run_for(5_000)
            if results := self.drive.master.taken_results():
                (only,) = results
                return only
        raise AssertionError("no result has come")

    def states(self) -> set[str]:
        return {node.state for node in self.drive.master.snapshot(self.drive.master_us()).nodes}

    def bauds(self) -> set[int]:
        return {table.program.line.baud for table in self.hall.tables.values()}  # type: ignore[union-attr]


@pytest.fixture(scope="module")
def joined() -> Tables:
    return Tables()


def test_the_time_that_a_node_tells_is_right_to_a_tenth_of_a_millisecond(joined: Tables) -> None:
    """With crystals of up to ±50 ppm, half a minute after the start."""
    found = joined.result(PingAsked(frames=20))
    assert [(node.sent, node.answered) for node in found.nodes] == [(20, 20)] * 3
    for node in found.nodes:
        assert node.clock_offset_us is not None
        assert abs(node.clock_offset_us) < 100


def test_at_the_other_rate_all_is_answered_and_then_everything_is_as_before(joined: Tables) -> None:
    damaged = [node.crc_errors for node in joined.drive.master.snapshot(joined.drive.master_us()).nodes]
    joined.drive.master.measure(MarginAsked(frames=50))
    joined.drive.run_for(SECOND // 5)
    assert joined.bauds() == {500_000}
    found = joined.result()
    assert found.sentence is None
    assert [(node.sent, node.answered) for node in found.nodes] == [(50, 50)] * 3
    assert found.seconds < 4
    assert (joined.bauds(), joined.states()) == ({250_000}, {"good"})
    joined.drive.run_for(2 * SECOND)
    assert joined.states() == {"good"}
    snapshot = joined.drive.master.snapshot(joined.drive.master_us())
    assert [node.crc_errors for node in snapshot.nodes] == damaged
    assert {table.program.link.alive for table in joined.hall.tables.values()} == {True}  # type: ignore[union-attr]


def test_when_the_port_goes_at_the_other_rate_all_find_back(joined: Tables) -> None:
    joined.drive.master.measure(MarginAsked(frames=1000))
    joined.drive.run_for(SECOND)
    joined.drive.master.give_up(as_told("Segment A: gone"), joined.drive.master_us())
    joined.hall.segments["A"].cable.set_baud(0, 250_000)
    joined.drive.master.reopened(joined.drive.master_us())
    (found,) = joined.drive.master.taken_results()
    assert told(found.sentence) == "Segment A: gone"
    joined.drive.run_for(4 * SECOND)
    assert (joined.bauds(), joined.states()) == ({250_000}, {"good"})


def test_a_press_in_a_walk_is_heard_once_and_shown_as_heard(joined: Tables) -> None:
    master, drive = joined.drive.master, joined.drive
    drive.events.clear()
    master.identify(None, what="walk", seconds=60, number=0)
    drive.run_for(SECOND)
    for number, uid in enumerate(joined.hall.tables):
        table = joined.hall.tables[uid]
        for side in (0, 1):
            pressed_us = drive.now_us
            table.hold(side, pressed_us + 100_000, pressed_us)
            drive.run_for(500_000)
            heard = drive.of(ClaimHeard)
            assert len(heard) == 2 * number + side + 1
            assert (heard[-1].claim.uid, heard[-1].claim.side) == (uid, ("sun", "moon")[side])
            assert abs(heard[-1].at_us - BEGAN_US - pressed_us) < 2_000
            view = table.program.views[side]  # type: ignore[union-attr]
            assert (view.kind, view.number) == ("walk", heard[-1].claim.number)
            assert view.claim == 3, "received"
    master.identify(None, what="off", seconds=0, number=0)
    drive.run_for(2 * SECOND)
    master.ask_again()
    drive.run_for(SECOND)
    assert len(drive.of(ClaimHeard)) == 6, "no press of the walk stands any more"


def test_a_crystal_that_no_estimate_can_follow_shows_in_a_silence(joined: Tables) -> None:
    joined.drive.run_for(20 * SECOND)  # one has started again in a test before
    well = joined.result(SilenceAsked(seconds=8))
    assert all(node.drift_us is not None and abs(node.drift_us) < 200 for node in well.nodes)
    joined.do("drift", value=450)
    joined.drive.run_for(40 * SECOND)
    found = {node.uid: node.drift_us for node in joined.result(SilenceAsked(seconds=8)).nodes}
    assert found[UID] == pytest.approx(8 * 250, rel=0.15)
    assert abs(found[virtual_uid(1)] or 0) < 200
    joined.do("mended")
    joined.drive.run_for(40 * SECOND)


def test_noise_shows_as_bad_and_missing_answers(joined: Tables) -> None:
    joined.do("noise", value=0.0005)
    found = {node.uid: node for node in joined.result(PingAsked(frames=200)).nodes}
    joined.do("mended")
    noisy, still = found[UID], found[virtual_uid(1)]
    assert noisy.bad > 5
    assert noisy.sent - noisy.answered - noisy.bad > 5
    assert (still.answered, still.bad) == (200, 0)


def test_a_new_job_at_the_other_rate_waits_until_all_are_back(joined: Tables) -> None:
    joined.drive.master.measure(MarginAsked(frames=1000))
    joined.drive.run_for(SECOND)
    assert joined.bauds() == {500_000}
    first = joined.result(PingAsked(frames=10))
    assert told(first.sentence) == "Segment A: another measurement has begun"
    assert first.nodes[0].answered > 10
    second = joined.result()
    assert [(node.sent, node.answered) for node in second.nodes] == [(10, 10)] * 3
    assert joined.bauds() == {250_000}
    assert joined.states() == {"good"}
