"""Whatever arrives whenever: the master neither fails nor talks into its own bytes."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_controller.bus.frame import MASTER, UNASSIGNED, encode, wire_us
from pi_controller.bus.master import SegmentMaster
from pi_controller.bus.messages import ClaimReport, HealthMessage, Info, Pong, to_frame
from pi_controller.bus.requests import Rest, Tune
from pi_controller.bus.values import (
    BusJob,
    ClaimOutcome,
    LoopbackAsked,
    MarginAsked,
    NodeClaim,
    PingAsked,
    Place,
    SilenceAsked,
)
from tests.bus.hall import state

BAUD = 250_000
UIDS = [f"e6614c311b{number:06x}" for number in range(4)]
reports = st.builds(ClaimReport, st.integers(0, 255), st.integers(0, 2**32 - 1))
healths = st.builds(
    HealthMessage,
    epoch=st.integers(0, 65_535),
    state_seq=st.integers(0, 65_535),
    sun=reports,
    moon=reports,
    sun_withdraws=st.booleans(),
    moon_button=st.booleans(),
    crc_errors=st.integers(0, 255),
    uptime=st.integers(0, 3),
)
pongs = st.builds(Pong, data=st.binary(min_size=24, max_size=24), master_us=st.integers(0, 2**32 - 1))
jobs = st.sampled_from(
    [PingAsked(frames=3), PingAsked(frames=9, seconds=0.05), LoopbackAsked(frames=30), SilenceAsked(seconds=0.1),
     MarginAsked(frames=2)]
)  # fmt: skip
infos = st.builds(
    Info,
    uid=st.sampled_from(UIDS),
    hardware=st.just(1),
    firmware=st.just((1, 0)),
    proto_min=st.integers(1, 2),
    proto_max=st.integers(2, 5),
    boots=st.integers(0, 255),
)
answers = st.builds(
    lambda message, src: (message, src),
    healths | infos | pongs,
    st.sampled_from([MASTER, 1, 2, 3, 4, 32, UNASSIGNED]),
)
steps = st.lists(
    st.tuples(
        st.integers(0, 30_000),
        st.binary(max_size=60) | answers | jobs | st.sampled_from(["show", "places", "outcomes"]),
    ),
    max_size=120,
)


@given(steps)
@settings(max_examples=60, deadline=None)
def test_it_goes_on(what: list[tuple[int, object]]) -> None:
    """Answers carry the number of the last request, so that many of them are taken for good."""
    master = SegmentMaster(name="A", epoch=5, salt=lambda: 7, baud=BAUD)
    now = 1_000_000
    free_us = seq = asked = told = 0
    baud = BAUD
    for later, thing in what:
        until = now + later
        while now < until:
            step = master.next(now)
            if isinstance(step, Rest):
                assert step.until_us > now
                now = min(until, step.until_us)
                continue
            assert now >= free_us
            if isinstance(step, Tune):
                assert step.baud != baud
                baud = step.baud
                continue
            free_us = now + wire_us(len(step.data), baud)
            seq = (seq + 1) % 256
        for event in act(master, thing, seq, now):
            assert event is not None
        asked += isinstance(thing, BusJob)
        told += len(master.taken_results())
    master.give_up("gone", now)
    assert told + len(master.taken_results()) == asked, "one result of each job"
    snapshot = master.snapshot(now)
    assert len(snapshot.nodes) <= len(UIDS)
    assert len({node.address for node in snapshot.nodes}) == len(snapshot.nodes)


def act(master: SegmentMaster, thing: object, seq: int, now: int) -> tuple[object, ...]:
    if isinstance(thing, bytes):
        return master.received(thing, now)
    if isinstance(thing, BusJob):
        master.measure(thing)
        return ()
    if isinstance(thing, tuple):
        message, src = thing
        return master.received(encode(to_frame(message, dst=MASTER, src=src, seq=seq)), now)
    if thing == "show":
        master.show(state(now, paused=now % 2 == 0))
    elif thing == "places":
        master.places((Place(uid=UIDS[now % 4], board=f"B{now % 9}"),))
    else:
        claim = NodeClaim(uid=UIDS[0], boots=now % 256, side="sun", number=1 + now % 255)
        master.outcomes((ClaimOutcome(claim=claim, at_us=now, status="open"),))
        master.ask_again()
    return master.events(now)
