"""Jobs on a line with scripted tables: what they find out, and that the game does not wait for them."""

from itertools import pairwise

import pytest

from pi_controller.bus import jobs
from pi_controller.bus.frame import EVERYBODY
from pi_controller.bus.jobs import CannotMeasure, check
from pi_controller.bus.messages import StateMessage
from pi_controller.bus.values import BusJob, JobResult, LoopbackAsked, MarginAsked, PingAsked, SilenceAsked
from pi_controller.sentence import as_told
from tests.bus.hall import SECOND, Hall, joined
from tests.bus.wire import frames
from tests.told import told


def done(hall: Hall, job: BusJob, *, within_s: float = 60) -> JobResult:
    hall.master.measure(job)
    return result(hall, within_s=within_s)


def result(hall: Hall, *, within_s: float = 60) -> JobResult:
    until = hall.now + round(within_s * SECOND)
    while hall.now < until:
        hall.run(10_000)
        if results := hall.master.taken_results():
            (only,) = results
            return only
    raise AssertionError("no result has come")


def states_us(hall: Hall) -> list[int]:
    """When STATEs ended, of what was kept of the wire."""
    said = [(end, frame) for end, frame, _ in frames(hall.wire)]
    return [end for end, frame in said if frame.type == StateMessage.layout.type and frame.dst == EVERYBODY]


def test_each_node_answers_each_ping() -> None:
    hall = joined(4)
    found = done(hall, PingAsked(frames=50))
    assert (found.segment, found.sentence, found.loopback) == ("A", None, None)
    assert [node.uid for node in found.nodes] == [
        node.uid for node in sorted(hall.tables, key=lambda table: table.address or 0)
    ]
    for node in found.nodes:
        assert (node.sent, node.answered, node.bad) == (50, 50, 0)
        assert node.p50_ms is not None
        assert node.worst_ms is not None
        assert 1.5 < node.p50_ms < node.worst_ms < 9
    assert {table.pings for table in hall.tables} == {50}
    assert 0.5 < found.seconds < 4


def test_only_those_asked_for_are_pinged_and_a_dead_one_too() -> None:
    hall = joined(4)
    first, second, third, _ = hall.tables
    third.alive = False
    hall.run(20 * SECOND)
    found = done(hall, PingAsked(frames=5, uids=(third.uid, first.uid, "0" * 16)))
    counts = {node.uid: (node.sent, node.answered, node.bad, node.p50_ms) for node in found.nodes}
    assert counts[third.uid] == (5, 0, 0, None)
    assert counts[first.uid][:3] == (5, 5, 0)
    assert len(counts) == 2
    assert second.pings == 0


def test_without_tables_there_is_nothing_to_ping() -> None:
    hall = Hall(0)
    assert done(hall, PingAsked(frames=5)).nodes == ()


def test_polls_and_states_go_on() -> None:
    hall = joined(8)
    before = [table.polls for table in hall.tables]
    hall.run(5 * SECOND)
    usual = sum(table.polls for table in hall.tables) - sum(before)
    hall.master.measure(PingAsked(frames=10_000, seconds=20))
    before = [table.polls for table in hall.tables]
    hall.wire.keep = True
    hall.run(5 * SECOND)
    assert sum(table.polls for table in hall.tables) - sum(before) > 0.95 * usual
    assert 24 <= len(states_us(hall)) <= 26
    assert min(table.pings for table in hall.tables) > 50
    assert {node.state for node in hall.master.snapshot(hall.now).nodes} == {"good"}


def test_other_bytes_are_bad_and_no_answer_is_none() -> None:
    hall = joined(3)
    hall.tables[0].mangles = True
    hall.tables[1].knows_ping = False
    found = {node.uid: node for node in done(hall, PingAsked(frames=20)).nodes}
    tables = [found[table.uid] for table in hall.tables]
    assert [(node.sent, node.answered, node.bad) for node in tables] == [(20, 0, 20), (20, 0, 0), (20, 20, 0)]
    assert {node.state for node in hall.master.snapshot(hall.now).nodes} == {"good"}, "an older firmware"


def test_damaged_answers_are_bad_and_lost_requests_unanswered() -> None:
    hall = joined(2, loss=0.1)
    nodes = done(hall, PingAsked(frames=300)).nodes
    for node in nodes:
        assert node.sent == 300
        assert 15 < node.bad < 50
        assert 15 < node.sent - node.answered - node.bad < 50


@pytest.mark.parametrize("ahead_us", [-1500, 0, 1500])
def test_the_offset_of_a_nodes_clock(ahead_us: int) -> None:
    hall = joined(1)
    hall.tables[0].ahead_us = ahead_us
    (node,) = done(hall, PingAsked(frames=3)).nodes
    assert node.clock_offset_us == pytest.approx(ahead_us, abs=1)
    hall.tables[0].knows_time = False
    (node,) = done(hall, PingAsked(frames=3)).nodes
    assert node.clock_offset_us is None


def test_a_job_ends_with_its_time() -> None:
    hall = joined(2)
    found = done(hall, PingAsked(frames=100_000, seconds=1.5))
    assert found.sentence is None
    assert found.seconds == pytest.approx(1.5, abs=0.1)
    assert min(node.sent for node in found.nodes) > 50


def test_a_job_that_takes_too_long_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "LONGEST_JOB_S", 3.0)
    hall = joined(1)
    found = done(hall, PingAsked(frames=100_000))
    assert (
        told(found.sentence) == "Segment A: the time for the measurement ran out before all frames were sent"
    )
    assert found.nodes[0].answered > 100


def test_a_new_job_ends_the_one_before() -> None:
    hall = joined(2)
    hall.master.measure(PingAsked(frames=10_000))
    hall.run(SECOND)
    hall.master.measure(PingAsked(frames=3))
    first = result(hall)
    assert told(first.sentence) == "Segment A: another measurement has begun"
    assert first.nodes[0].answered > 20
    second = result(hall)
    assert (second.sentence, second.nodes[0].answered) == (None, 3)


def test_jobs_that_come_at_once_are_each_answered_in_their_order() -> None:
    hall = joined(1)
    for frames_ in (1000, 2000, 4):
        hall.master.measure(PingAsked(frames=frames_))
    hall.run(2 * SECOND)
    sentences = [found.sentence is None for found in hall.master.taken_results()]
    assert sentences == [False, False, True]


def test_a_lost_port_ends_all_jobs_and_later_ones_work() -> None:
    hall = joined(1)
    hall.master.measure(PingAsked(frames=10_000))
    hall.run(SECOND // 2)
    hall.master.measure(LoopbackAsked(frames=5))
    hall.master.give_up(as_told("Segment A: gone"), hall.now)
    first, second = hall.master.taken_results()
    assert (first.sentence, second.sentence) == (as_told("Segment A: gone"), as_told("Segment A: gone"))
    assert first.nodes[0].answered > 10
    hall.master.reopened(hall.now)
    assert done(hall, PingAsked(frames=4)).nodes[0].answered == 4


def test_a_pause_does_not_wait_for_a_job() -> None:
    """The frame of a PING or of its answer, 1.6 ms, at most; what is asked then is asked again."""
    hall = joined(4)
    hall.wire.keep = True
    hall.master.measure(PingAsked(frames=200))
    waits = []
    for number in range(60):
        hall.run(7_300 + number * 57)
        asked = hall.now
        hall.show(paused=number % 2 == 0, running=number % 2 == 1)
        hall.run(6_000)
        shown = [end for end in states_us(hall) if end > asked]
        waits.append(shown[0] - asked)
        hall.wire.on_wire.clear()
    assert max(waits) <= 5_000
    nodes = result(hall).nodes
    assert [(node.sent, node.answered) for node in nodes] == [(200, 200)] * 4


def test_an_echo_is_counted_whether_there_are_tables_or_not() -> None:
    for tables in (0, 3):
        hall = Hall(tables, echo=True)
        hall.run(2 * SECOND)
        found = done(hall, LoopbackAsked(frames=200))
        assert found.sentence is None
        assert found.loopback is not None
        assert (found.loopback.sent, found.loopback.echoed, found.loopback.damaged) == (200, 200, 0)
        assert found.nodes == ()


def test_a_damaged_echo_is_counted() -> None:
    hall = Hall(0, echo=True, loss=0.1)
    loopback = done(hall, LoopbackAsked(frames=300)).loopback
    assert loopback is not None
    assert loopback.echoed + loopback.damaged == 300
    assert 10 < loopback.damaged < 60


def test_an_adapter_without_echo_is_told_after_a_few_frames() -> None:
    found = done(joined(2), LoopbackAsked(frames=1000))
    assert told(found.sentence) == (
        "Segment A: the adapter returns nothing of what is sent, so there is no echo to count"
    )
    assert found.loopback is not None
    assert (found.loopback.sent, found.loopback.echoed) == (20, 0)
    assert found.seconds < 1


def test_a_table_at_an_address_that_none_can_have_is_told() -> None:
    """It answers what is said to nobody."""
    hall = Hall(1, echo=False)
    hall.join()
    hall.tables[0].address = 0xFE
    found = done(hall, LoopbackAsked(frames=50))
    assert (
        told(found.sentence) == "Segment A: a table answers to an address that no table can have: replace it"
    )


def test_a_pause_does_not_wait_for_an_echo() -> None:
    hall = Hall(0, echo=True)
    hall.run(SECOND)
    hall.master.measure(LoopbackAsked(frames=400))
    for number in range(40):
        hall.run(3_100 + number * 37)
        hall.show(paused=number % 2 == 0, running=number % 2 == 1)
    loopback = result(hall).loopback
    assert loopback is not None
    assert (loopback.sent, loopback.echoed + loopback.damaged) == (400, 400), "broken off is not sent"


def test_in_a_silence_polls_go_on_and_drift_is_seen() -> None:
    hall = joined(3)
    hall.tables[1].ahead_us = -200
    hall.wire.keep = True
    hall.master.measure(SilenceAsked(seconds=10))
    hall.run(5 * SECOND)
    polls = hall.tables[1].polls
    hall.tables[1].ahead_us = 400
    found = result(hall)
    assert found.sentence is None
    assert found.seconds == pytest.approx(10, abs=0.5)
    drifts = {node.uid: (node.clock_offset_us, node.drift_us) for node in found.nodes}
    assert drifts[hall.tables[0].uid] == pytest.approx((0, 0), abs=1)
    assert drifts[hall.tables[1].uid] == pytest.approx((400, 600), abs=2)
    assert hall.tables[1].polls > polls + 100
    hall.run(SECOND)
    ends = states_us(hall)
    assert max(later - earlier for earlier, later in pairwise(ends)) > 9 * SECOND
    assert hall.now - ends[-1] < 250_000


def test_another_picture_ends_a_silence() -> None:
    hall = joined(2)
    hall.master.measure(SilenceAsked(seconds=60))
    hall.run(5 * SECOND)
    hall.wire.keep = True
    asked = hall.now
    hall.show(paused=True, running=False)
    found = result(hall)
    assert told(found.sentence) == "Segment A: another picture had to be shown during the silence"
    assert [node.drift_us for node in found.nodes] == [None, None]
    assert states_us(hall)[0] - asked < 5_000


def test_a_silence_waits_until_a_change_is_said_three_times() -> None:
    hall = joined(1)
    hall.wire.keep = True
    hall.show(paused=True, running=False)
    hall.master.measure(SilenceAsked(seconds=2))
    hall.run(SECOND)
    assert len(states_us(hall)) >= 3


@pytest.mark.parametrize(
    ("job", "sentence"),
    [
        (PingAsked(frames=0), "A measurement takes 1 to 1000000 frames, not 0."),
        (LoopbackAsked(frames=-1), "A measurement takes 1 to 1000000 frames, not -1."),
        (PingAsked(frames=1, seconds=111), "PINGs can last up to 110 s, not 111."),
        (SilenceAsked(seconds=0), "A silence can last up to 100 s, not 0."),
        (SilenceAsked(seconds=101), "A silence can last up to 100 s, not 101."),
        (MarginAsked(frames=1, baud=1_000_000), "Tables know 500000 Bd as the other rate, not 1000000."),
    ],
)
def test_a_job_that_cannot_be_is_refused(job: BusJob, sentence: str) -> None:
    with pytest.raises(CannotMeasure) as refusal:
        check(job)
    assert told(refusal.value.sentence) == sentence
