"""The leader's clock as a follower reckons it."""

from math import ceil
from random import Random

import pytest

from pi_controller.links.follower import DRIFT, ClockEstimate


def trip(
    clock: ClockEstimate, *, at_us: int, there_us: int, back_us: int, ahead_us: int, thinks_us: int = 200
) -> int:
    """A round trip to a clock that is so far ahead, and when it was back."""
    received_us = at_us + there_us + ahead_us
    now_us = at_us + there_us + thinks_us + back_us
    clock.add(sent_us=at_us, received_us=received_us, answered_us=received_us + thinks_us, now_us=now_us)
    return now_us


def test_nothing_is_known_before_the_first_round_trip() -> None:
    assert ClockEstimate().at(5) is None


def test_an_even_trip_gives_the_offset_and_half_its_length_as_the_error() -> None:
    clock = ClockEstimate()
    now_us = trip(clock, at_us=1_000, there_us=400, back_us=400, ahead_us=7_000_000)
    assert clock.at(now_us) == (7_000_000, 400)


def test_the_shortest_trip_counts_until_it_is_too_old() -> None:
    clock = ClockEstimate()
    early_us = trip(clock, at_us=0, there_us=100, back_us=100, ahead_us=500)
    trip(clock, at_us=1_000_000, there_us=9_000, back_us=200, ahead_us=500)
    assert clock.at(1_100_000) == (500, 100 + ceil((1_100_000 - early_us) * DRIFT))
    late_us = 60_000_000
    trip(clock, at_us=late_us, there_us=3_000, back_us=3_000, ahead_us=2_500)
    assert clock.at(late_us + 7_000) == (2_500, 3_001)


@pytest.mark.parametrize("seed", range(20))
def test_the_true_offset_is_always_within_the_error(seed: int) -> None:
    """Two crystals of up to 100 ppm, trips of 0.3 to 30 ms that are uneven as networks are."""
    chance = Random(seed)
    clock, part = ClockEstimate(), chance.uniform(-2, 2) * 100e-6
    for second in range(300):
        at_us = second * 1_000_000
        ahead_us = 5_000_000 + round(at_us * part)
        there_us, back_us = (
            round(chance.choice((1, 1, 1, 10, 100)) * chance.uniform(150, 300)) for _ in "12"
        )
        now_us = trip(clock, at_us=at_us, there_us=there_us, back_us=back_us, ahead_us=ahead_us)
        known = clock.at(now_us)
        assert known is not None
        offset_us, error_us = known
        assert abs(offset_us - (5_000_000 + now_us * part)) <= error_us + 1
        assert second < 3 or error_us < 5_000


def test_what_is_no_round_trip_is_left_out() -> None:
    clock = ClockEstimate()
    clock.add(sent_us=10, received_us=5, answered_us=4, now_us=20)
    clock.add(sent_us=10, received_us=5, answered_us=50, now_us=20)
    clock.add(sent_us=30, received_us=5, answered_us=6, now_us=20)
    assert clock.at(20) is None


def test_another_leader_has_another_clock() -> None:
    clock = ClockEstimate()
    trip(clock, at_us=0, there_us=100, back_us=100, ahead_us=500)
    clock.forget()
    assert clock.at(1_000) is None
