"""What is left: rounded up, never negative, never zero unless a STATE says so."""

from hypothesis import given
from hypothesis import strategies as st

from table_node.countdown import Countdown
from table_node.messages import NO_RESUME, State


def of(
    left_us: int, *, running: bool = True, resume_in: int = NO_RESUME, rate: int = 256, at: int = 0
) -> Countdown:
    state = State()
    state.master_us, state.left_us, state.rate, state.resume_in = at, left_us, rate, resume_in
    countdown = Countdown()
    countdown.take(state, running=running, counting_in=resume_in != NO_RESUME)
    return countdown


def test_a_second_that_has_begun_is_shown() -> None:
    countdown = of(35_000_000)
    assert [countdown.seconds(us) for us in (0, 1, 999_999, 1_000_000, 1_000_001)] == [35, 35, 35, 34, 34]


def test_the_masters_time_may_wrap() -> None:
    countdown = of(10_000_000, at=0xFFFFFFFF - 1_000_000)
    assert countdown.left(2_000_000) == 10_000_000 - 3_000_001


@given(st.integers(0, 0xFFFFFFFF), st.integers(0, 2_000_000_000), st.integers(0, 0xFFFF), st.booleans())
def test_never_zero_by_itself_and_never_negative(left: int, later: int, rate: int, running: bool) -> None:
    countdown = of(left, running=running, rate=rate)
    seconds = countdown.seconds(later)
    assert (seconds == 0) == (left == 0)
    assert 0 <= seconds <= (left + 999_999) // 1_000_000
    assert 1 <= countdown.to_flip(later) <= 1_000_000


@given(st.integers(1, 100_000_000), st.integers(1, 4096), st.integers(0, 1_000_000))
def test_the_next_flip_is_where_it_is_said_to_be(left: int, rate: int, later: int) -> None:
    countdown = of(left, rate=rate)
    before = countdown.seconds(later)
    flip = countdown.to_flip(later)
    if flip < 1_000_000 and before > 1:
        assert countdown.seconds(later + flip) < before


def test_three_two_one_and_then_it_waits_for_the_state() -> None:
    countdown = of(20_000_000, running=False, resume_in=3000)
    assert [countdown.resume(us) for us in (0, 999_999, 1_000_001, 2_500_000, 3_500_000)] == [3, 3, 2, 1, 1]
    assert countdown.seconds(2_000_000) == 20
    assert of(20_000_000).resume(0) == 0


def test_a_state_a_little_off_does_not_make_a_second_flicker() -> None:
    countdown = of(10_000_000)
    assert countdown.seconds(1_000_001) == 9
    state = State()
    state.left_us, state.master_us = 9_000_900, 1_000_001
    countdown.take(state, running=True, counting_in=False)
    assert countdown.seconds(1_000_001) == 9
    state.left_us = 9_500_000
    countdown.take(state, running=True, counting_in=False)
    assert countdown.seconds(1_000_001) == 10
