"""A PAUSE, which comes sooner than the STATE of a pause: what it freezes, and when it counts for nothing."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.bus.messages import PauseMessage, StateMessage, to_frame
from table_node import messages as m
from table_node.link import STALE, Link
from tests.firmware.hall import ADDRESS, Hall, playing
from tests.firmware.hand_board import HandBoard

SECOND = 1_000_000


def shown(hall: Hall) -> list[tuple[str, int, int]]:
    return [(view.kind, view.seconds, view.reasons) for view in hall.node.views]


@pytest.mark.parametrize("later_us", [0, 137_001, 3_999_999])
def test_both_sides_freeze_at_the_time_that_the_state_behind_it_says(later_us: int) -> None:
    hall = playing()
    hall.run(later_us)
    node = hall.node
    before = (node.time.stamps, node.link.missed, node.state.round, node.state.dice)
    hall.freeze(m.CLAIM)
    paused = [("paused", -(-hall.game.left_us // SECOND), m.CLAIM)] * 2
    assert shown(hall) == paused
    assert node.countdown.left(node.time.master(hall.board.ticks_us())) == hall.game.left_us
    assert (node.time.stamps, node.link.missed, node.state.round, node.state.dice) == before
    heard = dict(node.state.__dict__)
    hall.hear(hall.game.state(hall.board.now_us))
    assert shown(hall) == paused
    later = node.state.__dict__
    assert {name for name in later if later[name] != heard[name]} == {"master_us"}


def test_a_counting_in_ends_with_it() -> None:
    hall = playing()
    hall.game.pause(hall.board.now_us)
    hall.game.flags |= m.COUNTING_IN
    hall.game.resume_at = hall.board.now_us + 3 * SECOND
    hall.game.changed()
    hall.run(SECOND)
    assert hall.view.kind == "counting"
    hall.game.flags &= ~m.COUNTING_IN
    hall.freeze()
    assert (hall.view.kind, hall.view.resume) == ("paused", 0)


@pytest.mark.parametrize(
    "how",
    [
        {"epoch": 501},
        {"version": 4},
        {"version": 6},
        {"dst": ADDRESS},
        {"seq": 2},
        {"seq": 4},
        {"seq": 3 + 0x8000},
    ],
    ids=str,
)
def test_of_another_master_number_version_or_addressee_it_counts_for_nothing(how: dict[str, int]) -> None:
    hall = playing()
    assert hall.game.seq == 2
    hall.freeze(**how)
    assert [kind for kind, _, _ in shown(hall)] == ["round"] * 2
    assert hall.node.link.state_seq == 2


def test_one_that_was_held_up_or_is_repeated_stops_nothing_that_goes_on_again() -> None:
    hall = playing()
    hall.freeze()
    held_up = hall.game.short()
    hall.hear(held_up)
    assert hall.view.kind == "paused"
    hall.game.begin(hall.board.now_us)
    hall.hear(hall.game.state(hall.board.now_us))
    hall.hear(held_up)
    assert hall.view.kind == "round"


def test_a_damaged_one_is_counted_and_the_state_pauses() -> None:
    hall = playing()
    hall.game.pause(hall.board.now_us)
    damaged = bytearray(hall.game.short())
    damaged[8] ^= 4
    hall.hear(bytes(damaged))
    assert (hall.view.kind, hall.node.line.receiver.damaged) == ("round", 1)
    hall.hear(hall.game.state(hall.board.now_us))
    assert hall.view.kind == "paused"


def test_it_keeps_no_link_and_makes_none() -> None:
    hall = playing()
    hall.silent = True
    hall.run(1_500_000)
    hall.freeze()
    assert hall.view.kind == "paused"
    hall.run(700_000)
    assert hall.view.kind == "no_link"
    hall.hear(hall.game.short(seq=hall.game.seq + 1))
    assert hall.view.kind == "no_link"
    hall.boot()
    hall.hear(hall.game.short())
    assert not hall.node.link.alive


def test_a_claim_that_is_held_meanwhile_keeps_its_moment() -> None:
    hall = playing()
    hall.board.pressed[0] = True
    touched_us = hall.board.now_us
    hall.run(300_000)
    hall.freeze()
    hall.silent = False
    hall.run(700_000)
    health = hall.poll()
    assert health is not None
    assert health["sun"] != 0
    assert abs(health["sun_us"] - (hall.game.clock + touched_us)) < 5_000


PICTURES = 12
EVENTS = st.lists(st.tuples(st.sampled_from(("STATE", "PAUSE")), st.integers(1, PICTURES)), max_size=60)


def picture(number: int) -> StateMessage:
    """Every third one is the one before it, paused."""
    paused = number % 3 == 0
    base = number - 1 if paused else number
    return StateMessage(
        epoch=7, state_seq=number + 0xFFFA & 0xFFFF, master_us=number * 1000, phase="round", running=not paused,
        paused=paused, round=base, left_us=number * 77, reasons=frozenset({"button"} if paused else ()),
    )  # fmt: skip


def on_wire(message: StateMessage | PauseMessage) -> Any:
    frame = to_frame(message, dst=0xFF, src=0, seq=0)
    return SimpleNamespace(version=frame.version, size=len(frame.payload), payload=frame.payload)


@given(EVENTS)
def test_whatever_is_lost_doubled_or_late_the_node_shows_what_was_said_under_its_number(
    events: list[tuple[str, int]],
) -> None:
    """Also where numbers begin anew behind 65535. Nothing goes back while there is a link."""
    link, state, incoming = Link(HandBoard()), m.State(), m.State()
    newest = 0
    for kind, number in [("STATE", 1), ("STATE", 2), *events]:
        said = picture(number)
        if kind == "STATE":
            incoming.read(on_wire(said).payload)
            if link.judge(incoming, 0) != STALE:
                state, incoming = incoming, state
        elif said.paused:
            pause = PauseMessage(
                epoch=7, state_seq=said.state_seq, left_us=said.left_us, reasons=said.reasons
            )
            link.freezes(on_wire(pause), state)
        if link.alive:
            now = state.state_seq - 0xFFFA & 0xFFFF
            right = m.State()
            right.read(on_wire(picture(now)).payload)
            right.master_us = state.master_us
            assert state.__dict__ == right.__dict__
            assert now >= newest
            newest = now
