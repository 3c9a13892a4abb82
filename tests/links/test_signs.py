"""What proves that a leader's core lives."""

import pytest

from pi_controller.links.follower import ClockEstimate, SignsOfLife
from pi_controller.links.payloads import LIVES_US

NOW_US = 50_000_000
AHEAD_US = 700_000_000
"""The leader's clock."""
ERROR_US = 3_000


def clock() -> ClockEstimate:
    known = ClockEstimate()
    there_us = NOW_US + AHEAD_US - ERROR_US
    known.add(sent_us=NOW_US - 2 * ERROR_US, received_us=there_us, answered_us=there_us, now_us=NOW_US)
    return known


def made(age_us: int) -> int:
    return NOW_US + AHEAD_US - age_us


@pytest.mark.parametrize(
    ("age_us", "lives"),
    [
        (0, True),
        (LIVES_US - 1, True),
        (LIVES_US, False),
        (-ERROR_US, True),
        (-1_000_000, False),
        (10**11, False),
    ],
)
def test_a_picture_counts_by_when_it_was_made(age_us: int, lives: bool) -> None:
    signs = SignsOfLife()
    signs.picture(made(age_us))
    signs.compare(ClockEstimate(), NOW_US)
    assert not signs.lives(NOW_US)
    signs.compare(clock(), NOW_US)
    assert signs.lives(NOW_US) is lives


def test_it_is_over_after_two_seconds_and_an_old_picture_takes_nothing_back() -> None:
    signs = SignsOfLife()
    signs.sign(NOW_US)
    signs.picture(made(10**9))
    signs.compare(clock(), NOW_US)
    assert signs.lives(NOW_US + LIVES_US - 1)
    assert not signs.lives(NOW_US + LIVES_US)
