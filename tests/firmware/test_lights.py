"""Lamps: what they say, and that none flashes at 3 Hz or more."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from table_node import view as v
from table_node.lights import FULL, Lamp, claim_lamp, side_lamp
from tests.firmware.hand_board import HandBoard

SECOND = 1_000_000
MOST_REVERSALS = 6
"""In any second: 3 Hz would be six; fewer is below it, and a second holds both ends."""


def look(**fields: object) -> v.View:
    view = v.View()
    for name, value in fields.items():
        assert hasattr(view, name)
        setattr(view, name, value)
    return view


def in_round(left_tenths: int, **fields: object) -> v.View:
    seconds = (left_tenths + 9) // 10
    return look(kind="round", active=v.SUN, next_side=v.MOON, duration=350, seconds=seconds,
                tenths_left=left_tenths, **fields)  # fmt: skip


def reversals(changes: list[tuple[int, int]]) -> list[int]:
    """Times at which a lamp turns from brighter to darker or back."""
    times, level, rising = [], 0, False
    for at, wanted in changes:
        if wanted != level and (wanted > level) != rising:
            rising = wanted > level
            times.append(at)
        level = wanted
    return times


def fastest(changes: list[tuple[int, int]]) -> int:
    """Most reversals in any second."""
    times = reversals(changes)
    return max((sum(0 <= other - at < 1_000_000 for other in times) for at in times), default=0)


def test_only_the_active_side_is_lit() -> None:
    assert side_lamp(in_round(200), v.SUN, 0) == FULL
    assert side_lamp(in_round(200), v.MOON, 0) == 0


def test_a_change_of_side_is_two_flashes() -> None:
    levels = [side_lamp(in_round(350 - tenth), v.SUN, 0) for tenth in range(14)]
    assert levels == [FULL] * 3 + [0] * 2 + [FULL] * 3 + [0] * 2 + [FULL] * 4


def test_the_last_five_seconds_pulse_and_the_next_side_glows() -> None:
    one_second = [side_lamp(in_round(tenths), v.SUN, 0) for tenths in range(50, 40, -1)]
    assert one_second == [FULL] * 6 + [40] * 4
    assert side_lamp(in_round(50), v.MOON, 0) == 40
    assert side_lamp(in_round(51), v.MOON, 0) == 0


def test_pause_breathes_and_robber_alternates() -> None:
    breath = {side_lamp(look(kind="paused"), side, ms) for side in (0, 1) for ms in range(0, 2000, 10)}
    assert min(breath) == 40
    assert max(breath) == 140
    for ms in range(0, 3000, 100):
        both = [side_lamp(look(kind="robber"), side, ms) for side in (0, 1)]
        assert sorted(both) == [0, FULL]


def test_without_link_all_is_dark() -> None:
    assert [side_lamp(look(kind="no_link", active=v.SUN), side, 0) for side in (0, 1)] == [0, 0]


def test_the_claim_lamp_fills_while_held() -> None:
    assert [claim_lamp(in_round(200, hold=hold, claim=v.HOLDING), 0) for hold in (1, 100, 255)] == [
        1,
        100,
        255,
    ]


def test_the_claim_lamp_is_steady_only_when_acknowledged() -> None:
    def levels(claim: int) -> set[int]:
        return {claim_lamp(in_round(200, claim=claim), ms) for ms in range(0, 4000, 10)}

    assert levels(v.SENT) == {0, FULL}
    for claim in (v.RECEIVED, v.OPEN, v.CONFIRMED):
        assert levels(claim) == {FULL}
    for claim in (v.NO_CLAIM, v.REJECTED, v.WITHDRAWN, v.WAIT_FOR_YOUR_SIDE):
        assert levels(claim) == {0}
    assert len(levels(v.JUDGE_COMES)) > 50
    assert {claim_lamp(look(claim=v.OPEN, withdrawing=True), ms) for ms in range(0, 1000, 10)} == {0, FULL}


def test_a_lamp_writes_only_what_differs() -> None:
    board = HandBoard()
    lamp = Lamp(board, 1)
    board.now_us = 500_000
    for _ in range(5):
        lamp.show(80, board.ticks_us())
    assert board.changes[1] == [(0, 0), (500_000, 80)]


@given(st.lists(st.tuples(st.integers(1, 200_000), st.integers(0, 255)), max_size=200))
def test_no_lamp_flashes_at_3_hz_whatever_is_wanted(wanted: list[tuple[int, int]]) -> None:
    board = HandBoard()
    lamp = Lamp(board, 0)
    for wait, level in wanted:
        board.now_us += wait
        lamp.show(level, board.ticks_us())
    assert fastest(board.changes[0]) <= MOST_REVERSALS


def test_a_lamp_that_is_wanted_otherwise_every_millisecond_stays_below_3_hz() -> None:
    board = HandBoard()
    lamp = Lamp(board, 0)
    for ms in range(5000):
        board.now_us += 1000
        lamp.show(255 * (ms % 2), board.ticks_us())
    assert fastest(board.changes[0]) == MOST_REVERSALS
    turned = reversals(board.changes[0])
    assert min(later - earlier for earlier, later in itertools.pairwise(turned)) > SECOND // 6


VIEWS = st.builds(
    look,
    kind=st.sampled_from(v.KINDS),
    active=st.sampled_from([v.NOBODY, v.SUN, v.MOON]),
    next_side=st.sampled_from([v.NOBODY, v.SUN, v.MOON]),
    seconds=st.integers(-1, 40),
    tenths_left=st.integers(0, 400),
    duration=st.sampled_from([0, 120, 350]),
    claim=st.integers(0, 9),
    hold=st.integers(0, 255),
    withdrawing=st.booleans(),
)


@given(st.lists(st.tuples(VIEWS, st.integers(1, 60)), max_size=20))
def test_no_lamp_flashes_at_3_hz_whatever_is_shown(views: list[tuple[v.View, int]]) -> None:
    board = HandBoard()
    side, claim = Lamp(board, 0), Lamp(board, 2)
    for view, passes in views:
        for _ in range(passes):
            board.now_us += 20_000
            ms = board.now_us // 1000
            side.show(side_lamp(view, v.SUN, ms), board.ticks_us())
            claim.show(claim_lamp(view, ms), board.ticks_us())
    assert fastest(board.changes[0]) <= MOST_REVERSALS
    assert fastest(board.changes[2]) <= MOST_REVERSALS


def test_the_measure_of_flashing_itself() -> None:
    at_4_hz = [(at, 255 if at // 125_000 % 2 else 0) for at in range(0, 3_000_000, 5000)]
    assert fastest(at_4_hz) == 8
