"""The master with scripted tables on a line with a virtual clock."""

from itertools import pairwise

import pytest
from msgspec.structs import replace

from pi_controller.bus.diagnosis import diagnose
from pi_controller.bus.frame import MASTER
from pi_controller.bus.master import SegmentMaster
from pi_controller.bus.messages import StateMessage
from pi_controller.bus.requests import Rest, Send
from pi_controller.bus.values import (
    ClaimHeard,
    NodeChanged,
    NodeClaim,
    NodeClaimStatus,
    OrderName,
    Place,
    WithdrawalHeard,
)
from tests.bus.hall import SECOND, Hall, joined
from tests.bus.tables import HOLD_US, Table
from tests.bus.wire import frames
from tests.matrix import further
from tests.told import told


def changes(hall: Hall, table: Table) -> list[str]:
    return [event.state for event in hall.drive.of(NodeChanged) if event.uid == table.uid]


def hold(hall: Hall, table: Table, side: str = "sun") -> NodeClaim:
    """Until the claim has been heard."""
    table.hold(side)
    hall.run(HOLD_US + SECOND)
    claim: NodeClaim = hall.drive.of(ClaimHeard)[-1].claim
    assert (claim.uid, claim.side) == (table.uid, side)
    return claim


def test_everybody_gets_an_address_a_name_and_the_state() -> None:
    hall = joined(32)
    assert sorted(table.address or 0 for table in hall.tables) == list(range(1, 33))
    assert [table.board for table in hall.tables] == [place.board for place in hall.places]
    assert all(table.state == hall.tables[0].state for table in hall.tables)
    assert {event.state for event in hall.drive.of(NodeChanged)} == {"good"}
    assert len(hall.drive.of(NodeChanged)) == 32


def test_frames_of_the_master_never_overlap_and_never_meet_an_answer() -> None:
    """Half duplex: nothing is sent into the own bytes, nor into an answer that is being heard."""
    hall = joined(12)
    hall.wire.keep = True
    hall.run(10 * SECOND)
    assert hall.wire.overlaps == 0 or all(good for *_, good in hall.wire.on_wire)


def test_a_change_reaches_everybody_at_once() -> None:
    hall = joined()
    hall.wire.keep = True
    start = hall.now
    hall.show(paused=True, running=False)
    hall.run(5_000)
    assert all(table.state is not None and table.state.paused for table in hall.tables)
    hall.run(95_000)
    said = [end - start for end, frame, _ in frames(hall.wire) if frame.type == StateMessage.layout.type]
    assert len(said) >= 3
    assert said[0] < 5_000


def test_no_request_follows_a_state_within_3_ms() -> None:
    hall = joined(3)
    hall.wire.keep = True
    hall.run(SECOND)
    said = [(end, frame.type) for end, frame, _ in frames(hall.wire) if frame.src == MASTER]
    behind = [
        next_end - end for (end, kind), (next_end, _) in pairwise(said) if kind == StateMessage.layout.type
    ]
    assert len(behind) >= 4
    assert min(behind) > 3_000


def test_a_new_place_is_told_and_one_that_stays_is_not() -> None:
    hall = joined(3)
    places = (hall.places[0], replace(hall.places[1], board="B7", swapped=True))
    hall.master.places((*places, Place(uid="ffffffffffffffff", board="Z9")))
    hall.run(SECOND)
    assert [table.board for table in hall.tables] == ["A1", "B7", ""]
    assert [table.swap for table in hall.tables] == [False, True, False]
    snapshot = hall.master.snapshot(hall.now)
    assert {node.uid: node.board for node in snapshot.nodes} == {
        hall.tables[0].uid: "A1",
        hall.tables[1].uid: "B7",
        hall.tables[2].uid: None,
    }


def test_a_claim_is_heard_once_with_its_moment_and_its_board() -> None:
    hall = joined()
    table = hall.tables[2]
    start = hall.now
    claim = hold(hall, table, "moon")
    hall.run(5 * SECOND)
    assert hall.drive.of(ClaimHeard) == [ClaimHeard(claim=claim, board="A3", at_us=start)]
    assert claim == NodeClaim(uid=table.uid, boots=1, side="moon", number=1)
    assert table.sides["moon"].status == "received"


@pytest.mark.parametrize("status", ["judge_comes", *further("open", "rejected", "confirmed", "wait")])
def test_what_became_of_it_is_told_at_once(status: NodeClaimStatus) -> None:
    hall = joined(8)
    table = hall.tables[5]
    claim = hold(hall, table)
    hall.publish(status, claim)
    hall.run(30_000)
    assert table.sides["sun"].status == status


def test_a_claim_is_taken_back() -> None:
    hall = joined()
    table = hall.tables[0]
    claim = hold(hall, table)
    hall.publish("open", claim)
    hall.run(SECOND)
    table.hold("sun")
    hall.run(2 * SECOND)
    assert hall.drive.of(WithdrawalHeard) == [WithdrawalHeard(claim=claim, board="A1")]
    hall.publish("withdrawn", claim)
    hall.run(SECOND)
    assert table.sides["sun"].status == "withdrawn"
    assert hold(hall, table).number == 2


def test_a_restart_of_the_master_loses_no_claim_and_invents_none() -> None:
    hall = joined()
    standing, judged = hold(hall, hall.tables[0]), hold(hall, hall.tables[1], "moon")
    hall.publish("rejected", judged)
    hall.run(SECOND)
    hall.drive.stop()
    table = hall.tables[2]
    table.hold("sun")
    hall.new_master(epoch=2)
    hall.join()
    heard = {event.claim for event in hall.drive.of(ClaimHeard)}
    assert heard == {standing, NodeClaim(uid=table.uid, boots=1, side="sun", number=1)}
    assert len(hall.drive.of(ClaimHeard)) == 2
    assert hall.tables[0].sides["sun"].status == "received"


def test_what_core_has_published_before_it_is_heard_is_not_told_to_it() -> None:
    hall = joined()
    known = hold(hall, hall.tables[0])
    hall.drive.stop()
    hall.new_master(epoch=2)
    hall.publish("judge_comes", known)
    hall.join()
    assert hall.drive.of(ClaimHeard) == []
    assert hall.tables[0].sides["sun"].status == "judge_comes"


def test_one_table_or_all_show_who_they_are() -> None:
    hall = joined(3)
    hall.master.identify(hall.tables[1].uid, what="name", seconds=9, number=0)
    hall.run(SECOND)
    assert [table.identified is not None for table in hall.tables] == [False, True, False]
    hall.master.identify(None, what="enrol", seconds=0, number=12)
    hall.run(SECOND)
    assert {getattr(table.identified, "number", None) for table in hall.tables} == {12}


def test_what_is_meant_for_another_segment_is_ignored() -> None:
    hall = joined(2)
    hall.wire.keep = True
    hall.master.identify("ffffffffffffffff", what="name", seconds=9, number=0)
    hall.master.order("ffffffffffffffff", "blank")
    hall.publish("open", NodeClaim(uid="ffffffffffffffff", boots=1, side="sun", number=1))
    hall.run(SECOND)
    assert {frame.type for _, frame, _ in frames(hall.wire)} <= {1, 2, 3, 4}


@pytest.mark.parametrize("what", ["swap", *further("blank", "leave_safe_mode")])
def test_an_order_is_carried_out_once(what: OrderName) -> None:
    hall = joined(3)
    hall.master.order(hall.tables[1].uid, what, 1)
    hall.run(SECOND)
    assert [(order.what, order.argument) for order in hall.tables[1].orders] == [(what, 1)]
    assert hall.tables[0].orders == hall.tables[2].orders == []


def test_an_order_that_nobody_answers_is_given_up() -> None:
    hall = joined(2)
    hall.tables[1].alive = False
    hall.wire.keep = True
    hall.master.order(hall.tables[1].uid, "blank")
    hall.run(2 * SECOND)
    assert sum(frame.type == 8 for _, frame, _ in frames(hall.wire)) == 3


def test_a_forgotten_table_is_found_again() -> None:
    hall = joined(3)
    hall.master.order(hall.tables[1].uid, "forget")
    hall.run(100_000)
    assert hall.tables[1].address is None
    hall.run(4 * SECOND)
    assert hall.tables[1].address is not None
    assert hall.state_of(hall.tables[1]) == "good"


def test_a_new_port_forgets_half_frames_and_looks_for_everybody() -> None:
    hall = joined(2)
    spare = Table(hall.wire, 999)
    hall.master.received(b"\0\x05half", hall.now)
    hall.master.reopened(hall.now)
    hall.run(300_000)
    assert spare.address == 3
    assert all(table.polls for table in (*hall.tables, spare))


def test_a_spare_takes_the_place_of_a_dead_table() -> None:
    hall = joined(4)
    hall.tables[1].alive = False
    hall.run(12 * SECOND)
    assert changes(hall, hall.tables[1]) == ["good", "suspect", "lost"]
    spare = Table(hall.wire, 999)
    hall.run(3 * SECOND)
    assert spare.address == 5
    assert hall.master.snapshot(hall.now).nodes[-1].board is None
    hall.master.places((*hall.places[:1], Place(uid=spare.uid, board="A2"), *hall.places[2:]))
    hall.run(SECOND)
    assert spare.board == "A2"


def test_a_full_segment_takes_the_address_of_the_one_lost_longest() -> None:
    hall = joined(32)
    hall.tables[7].alive = False
    hall.run(12 * SECOND)
    address = hall.tables[7].address
    spare = Table(hall.wire, 999)
    hall.run(4 * SECOND)
    assert spare.address == address
    assert len(hall.master.snapshot(hall.now).nodes) == 32


def test_one_too_many_is_told_in_a_sentence() -> None:
    hall = Hall(33)
    hall.run(4 * SECOND)
    assert sum(table.address is None for table in hall.tables) == 1
    assert told(hall.master.snapshot(hall.now).sentence) == (
        "Segment A: more than 32 tables answer, the others get no address: move tables to another segment"
    )


def test_tables_that_changed_places_are_not_taken_for_one_another() -> None:
    """Two cables were exchanged: the same address, another table behind it."""
    hall = joined(2)
    here, away = hall.tables
    stranger = Table(hall.wire, 777)
    stranger.alive = False
    hall.tables[0].alive = False
    hall.run(5 * SECOND)
    stranger.address, stranger.alive = here.address, True
    stranger.hold("sun")
    hall.run(8 * SECOND)
    assert stranger.address not in (None, here.address)
    assert {event.claim.uid for event in hall.drive.of(ClaimHeard)} == {stranger.uid}
    assert hall.state_of(away) == "good"


def test_nothing_is_said_against_a_table_before_its_first_report() -> None:
    """Started again or newly told its address, it has not been polled yet: nothing is known of it."""
    hall = joined(3)
    table = hall.tables[1]
    table.reboot()
    while not (came := [node for node in hall.master.snapshot(hall.now).nodes if not node.reported]):
        hall.run(1_000)
    assert [(node.uid, node.state) for node in came] == [(table.uid, "good")]
    assert diagnose([hall.master.snapshot(hall.now)], [hall.places]) == []
    hall.run(SECOND)
    assert all(node.reported for node in hall.master.snapshot(hall.now).nodes)


def test_the_census_knows_what_the_tables_report() -> None:
    hall = joined(3)
    hall.tables[0].errors = 3
    hall.run(SECOND)
    hall.tables[0].errors = 9
    hall.run(SECOND)
    snapshot = hall.master.snapshot(hall.now)
    assert (snapshot.name, snapshot.port, snapshot.link, snapshot.baud, snapshot.sentence) == (
        "A",
        "",
        "open",
        250_000,
        None,
    )
    assert 0.05 < snapshot.busy < 0.3
    assert snapshot.round_trip is not None
    assert 1 < snapshot.round_trip.p50 < 7
    node = next(node for node in snapshot.nodes if node.uid == hall.tables[0].uid)
    assert (node.crc_errors, node.supply_v, node.temperature_c, node.firmware, node.boots) == (
        9,
        24.0,
        31,
        "1.2",
        1,
    )
    assert node.good > 50
    assert node.age_ms < 200


def test_it_rests_no_longer_than_a_tenth_of_a_second() -> None:
    """Whoever drives it asks again then, so that what happens by time alone is noticed."""
    master = SegmentMaster(name="A", epoch=1, salt=lambda: 1, baud=250_000)
    now = 1_000_000
    for _ in range(200):
        step = master.next(now)
        if isinstance(step, Send):
            assert step.data[0] == step.data[-1] == 0
            continue
        assert isinstance(step, Rest)
        assert now < step.until_us <= now + 200_000
        now = step.until_us


def test_standing_claims_are_told_again_when_asked_for() -> None:
    hall = joined()
    first, second = hold(hall, hall.tables[0]), hold(hall, hall.tables[1])
    hall.publish("rejected", first)
    hall.run(SECOND)
    hall.drive.events.clear()
    hall.master.ask_again()
    hall.run(2 * SECOND)
    assert [event.claim for event in hall.drive.of(ClaimHeard)] == [second]
