"""Time on the wire, and 32-bit microseconds across their wrap."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.bus.wire_time import near, past, to_u32, wire_us

HALF = 2**31


@pytest.mark.parametrize(
    ("wire_bytes", "baud", "us"),
    [(39, 250_000, 1560), (17, 250_000, 680), (39, 115_200, 3385), (0, 250_000, 0)],
)
def test_bytes_take_ten_bits_each(wire_bytes: int, baud: int, us: int) -> None:
    assert wire_us(wire_bytes, baud) == us


@given(st.integers(HALF, 2**63), st.integers(-HALF, HALF - 1))
def test_a_time_comes_back_over_the_wrap(now: int, away: int) -> None:
    assert near(to_u32(now + away), now) == now + away


@given(st.integers(0, 2**63))
def test_only_the_lowest_bits_travel(us: int) -> None:
    assert to_u32(us) == us & 0xFFFFFFFF
    assert near(to_u32(us), us) == us


@given(st.integers(0, 2**63), st.integers(0, 2**32 - 1_000_001))
def test_what_a_node_did_up_to_70_minutes_ago_keeps_its_moment(at: int, ago: int) -> None:
    assert past(to_u32(at), at + ago) == at


@pytest.mark.parametrize(("ahead", "now"), [(1, 5), (999_999, 2**33), (0, 0)])
def test_what_a_node_takes_for_the_future_is_now(ahead: int, now: int) -> None:
    assert past(to_u32(now + ahead), now) == now


def test_a_moment_before_the_clock_began_is_its_beginning() -> None:
    assert past(to_u32(-5), 3_000_000) == 0
