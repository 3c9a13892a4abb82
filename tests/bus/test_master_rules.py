"""Rules of PROTOCOL.md that could be read in two ways, as the master keeps them; the figures stand here once more."""

from itertools import pairwise

import pytest
from msgspec.structs import replace

from pi_controller.bus.frame import EVERYBODY, decode
from pi_controller.bus.master import SegmentMaster
from pi_controller.bus.messages import (
    MESSAGES,
    ClaimReport,
    HealthMessage,
    Poll,
    StateMessage,
    from_frame,
    to_frame,
)
from pi_controller.bus.values import ClaimHeard, PingAsked, TableSeat
from tests.bus.hall import SECOND, Hall, state
from tests.bus.tables import Table
from tests.bus.wire import Drive, Wire, frames, run
from tests.matrix import further

BY_DST = {"STATE": {0xFF}, "DISCOVER": {0xF0}, "ASSIGN": {0xF0}, "IDENTIFY": {0xFF}}


def test_each_message_goes_to_the_addresses_that_count_for_it() -> None:
    """Also with lost frames, a table that falls silent, tests and orders."""
    hall = Hall(8, loss=0.05)
    hall.wire.keep = True
    hall.run(3 * SECOND)
    hall.master.measure(PingAsked(frames=20))
    hall.master.identify(None, what="name", seconds=2, number=0)
    hall.master.order(hall.tables[3].uid, "swap", 1)
    hall.tables[5].alive = False
    hall.run(10 * SECOND)
    said: dict[str, set[int]] = {}
    for _, data, speaker, whole in hall.wire.on_wire:
        frame = decode(data[1:-1])
        if speaker is hall.master and whole and frame is not None:
            said.setdefault(from_frame(frame).layout.name, set()).add(frame.dst)
    assert {name: said.pop(name) for name in BY_DST} == BY_DST
    assert said.keys() == {"POLL", "ORDER", "PING"}
    for name, addresses in said.items():
        assert addresses <= set(range(1, 33)), name


def test_the_first_state_is_said_three_times_because_one_alone_does_not_count() -> None:
    wire = Wire()
    wire.keep = True
    drive = Drive(wire, SegmentMaster(name="A", epoch=3, salt=lambda: 5, baud=250_000))
    drive.master.show(state(wire.now))
    begun = wire.now
    run(wire, begun + 100_000, drive)
    frames = [(end, decode(data[1:-1])) for end, data, _, _ in wire.on_wire]
    states = [end for end, frame in frames if frame and isinstance(from_frame(frame), StateMessage)]
    assert [round((end - states[0]) / 1000) for end in states] == [0, 15, 40]
    assert states[0] - begun < 2_000


def test_seats_are_said_to_all_only_where_nodes_do_not_know_them() -> None:
    """Nothing of protocol 2 is on the line in a game of Sun and Moon."""
    hall = Hall(4)
    for table in hall.tables:
        table.protocols = (1, 2)
    hall.wire.keep = True
    hall.run(3 * SECOND)
    assert {frame.version for _, frame, _ in frames(hall.wire)} == {1}
    hall.wire.on_wire.clear()
    seats = tuple(TableSeat(name=name, sign=None) for name in ("Red", "Green", "Blue", "Black"))
    hall.master.show(replace(state(hall.now), seats=seats, seat=3))
    hall.run(3 * SECOND)
    said = [(end, frame) for end, frame, _ in frames(hall.wire)]
    assert {frame.type: frame.version for _, frame in said} == {1: 2, 2: 1, 3: 1, 4: 1, 11: 2}
    assert {(frame.dst, frame.src) for _, frame in said if frame.type == 11} == {(0xFF, 0)}
    names = [from_frame(frame).name for _, frame in said if frame.type == 11]
    assert names[:8] == ["Red", "Green", "Blue", "Black"] * 2
    assert 12 <= len(names) <= 14
    states = [end for end, frame in said if frame.type == 1]
    assert max(later - sooner for sooner, later in pairwise(states)) < 215_000


def test_no_table_waits_ten_seconds_for_a_poll_of_the_new_epoch() -> None:
    hall = Hall(32)
    hall.run(4 * SECOND)
    hall.drive.stop()
    begun = hall.now
    hall.new_master(epoch=77)
    hall.run(10 * SECOND)
    for table in hall.tables:
        times = [begun, *(at for at in table.polled_us if at > begun)]
        assert len(times) > 5
        assert max(later - sooner for sooner, later in pairwise(times)) < 5 * SECOND


def test_a_master_without_nodes_listens_before_it_asks() -> None:
    wire = Wire()
    wire.keep = True
    drive = Drive(wire, SegmentMaster(name="A", epoch=3, salt=lambda: 5, baud=250_000))
    drive.master.show(state(wire.now))
    begun = wire.now
    run(wire, begun + SECOND, drive)
    asked = [end for end, data, _, _ in wire.on_wire if (one := decode(data[1:-1])) and one.dst != 0xFF]
    assert 250_000 <= asked[0] - begun < 260_000


class Elsewhere(Table):
    """Still in the time of another master: its epoch and its moments are that one's."""

    theirs = True

    def _health(self, seq: int, src: int) -> object:  # type: ignore[override]
        frame = super()._health(seq, src)
        if not self.theirs:
            return frame
        health = from_frame(frame)
        assert isinstance(health, HealthMessage)
        old = HealthMessage(
            **{name: getattr(health, name) for name in health.__slots__}
            | {"epoch": 9, "sun": ClaimReport(health.sun.number, (health.sun.at_us + 99_000_000) % 2**32)}
        )
        return to_frame(old, dst=frame.dst, src=frame.src, seq=frame.seq)


def test_a_claim_in_another_masters_time_waits_until_the_node_has_changed_over() -> None:
    hall = Hall(2)
    table = Elsewhere(hall.wire, 900)
    hall.tables.append(table)
    hall.join()
    touched = hall.now
    table.hold("sun")
    hall.run(2 * SECOND)
    assert hall.drive.of(ClaimHeard) == []
    table.theirs = False
    hall.run(SECOND)
    (heard,) = hall.drive.of(ClaimHeard)
    assert heard.at_us == touched


@pytest.mark.parametrize("minutes", [0, 70, *further(20, 40)])
def test_a_claim_that_stands_for_long_keeps_its_moment(minutes: int) -> None:
    """Times on the wire come round after 71.6 minutes; a new master hears of a claim that is up to 70 old."""
    hall = Hall(1)
    hall.join()
    touched = hall.now
    hall.tables[0].hold("sun")
    hall.run(SECOND)
    hall.drive.stop()
    hall.wire.now += minutes * 60 * SECOND
    hall.new_master(epoch=77)
    hall.run(4 * SECOND)
    (heard,) = hall.drive.of(ClaimHeard)
    assert heard.at_us == touched


def test_a_poll_says_no_more_of_a_claim_that_is_over_for_its_node() -> None:
    """Lest the claim of that number after a start of the node takes the old verdict for its own."""
    hall = Hall(2)
    hall.join()
    table = hall.tables[0]
    table.hold("sun")
    hall.run(SECOND)
    (heard,) = hall.drive.of(ClaimHeard)
    hall.wire.keep = True
    hall.publish("rejected", heard.claim)
    hall.run(2 * SECOND)
    frames = [decode(data[1:-1]) for _, data, speaker, _ in hall.wire.on_wire if speaker is hall.master]
    polls = [from_frame(frame) for frame in frames if frame is not None and frame.dst == table.address]
    said = [(poll.sun.number, poll.sun.status) for poll in polls if isinstance(poll, Poll)]
    assert said[0] == (1, "rejected")
    assert said[-1] == (0, None)
    assert said.index((0, None)) <= 3
    table.reboot()
    table.boots = heard.claim.boots
    hall.run(4 * SECOND)
    table.hold("sun")
    hall.run(SECOND, settling=True)
    again = hall.drive.of(ClaimHeard)[-1]
    assert again.claim == heard.claim, "the same bytes have been drawn"
    assert again.at_us > heard.at_us
    assert table.sides["sun"].status == "open"


def kinds(hall: Hall) -> list[str]:
    """What the master has said to everybody since this was asked last."""
    said = [MESSAGES[frame.type].layout.name for _, frame, _ in frames(hall.wire) if frame.dst == EVERYBODY]
    hall.wire.on_wire.clear()
    return said


def test_a_pause_is_said_in_short_first_where_every_node_knows_that() -> None:
    hall = Hall(3)
    for table in hall.tables:
        table.protocols = (1, 5)
    hall.join()
    hall.wire.keep = True
    start = hall.now
    hall.show(paused=True, running=False)
    hall.run(100_000)
    assert all(len(table.frozen) == 1 and table.frozen[0][0] - start < 5_000 for table in hall.tables)
    said = kinds(hall)
    assert said[: said.index("STATE")] in (["PAUSE"], ["PAUSE"] * 3)
    assert said.count("STATE") >= 2
    hall.show()
    hall.run(100_000)
    assert "PAUSE" not in kinds(hall)
    hall.tables[1].protocols = (1, 4)
    hall.tables[1].reboot()
    hall.run(3 * SECOND)
    kinds(hall)
    hall.show(paused=True, running=False)
    hall.run(100_000)
    assert set(kinds(hall)) == {"STATE"}
    assert all(len(table.frozen) == 3 for table in hall.tables if table is not hall.tables[1])
