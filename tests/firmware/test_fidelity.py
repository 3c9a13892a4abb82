"""One conversation of both codecs over a good, a chopped, a lossy and a late cable says the same on each."""

import random

import pytest

from tests.firmware.talk import Cable, Talk, script


def talk(seed: int = 0, *, chopped: bool = False, loss: float = 0.0, late_us: int = 0) -> Talk:
    rng = random.Random(seed)
    there, back = (Cable(rng, chopped=chopped, loss=loss, late_us=late_us) for _ in range(2))
    return Talk(there, back)


GOOD = talk()
ANSWERS = GOOD.hold(script())
AGAIN = GOOD.hold(script())
"""The node remembers the order and the name of the first time."""


def test_a_good_cable_needs_one_attempt_each() -> None:
    assert (GOOD.attempts, GOOD.stale) == (2 * len(ANSWERS), 0)
    assert len(ANSWERS) == len(script()) == 8


def test_a_chopped_cable_makes_no_difference() -> None:
    """Twenty times over, so that every message is cut at many places, into pieces of 1 to 40 bytes."""
    chopped = talk(chopped=True)
    assert chopped.hold(script()) == ANSWERS
    for _ in range(20):
        assert chopped.hold(script()) == AGAIN
    assert chopped.attempts == 21 * len(ANSWERS)
    assert (chopped.ears.damaged, chopped.node.receiver.damaged, chopped.stale) == (0, 0, 0)


@pytest.mark.parametrize("seed", range(20))
def test_a_lossy_cable_only_costs_attempts(seed: int) -> None:
    lossy = talk(seed, loss=0.2)
    assert lossy.hold(script()) == ANSWERS
    assert lossy.attempts >= len(ANSWERS)


def test_the_lossy_cable_loses_a_fifth() -> None:
    lossy = talk(1, loss=0.2)
    for _ in range(100):
        lossy.hold(script())
    assert lossy.attempts > 1.2 * 100 * len(ANSWERS)


@pytest.mark.parametrize("seed", range(20))
def test_a_late_cable_brings_no_old_answer_for_a_new_question(seed: int) -> None:
    """A way takes up to 10 ms, so that many answers come after the 12 ms and into the next attempt."""
    late = talk(seed, late_us=10_000)
    assert late.hold(script()) == ANSWERS
    assert late.stale > 0


@pytest.mark.parametrize("seed", range(5))
def test_all_of_it_at_once(seed: int) -> None:
    worst = talk(seed, chopped=True, loss=0.2, late_us=10_000)
    assert worst.hold(script()) == ANSWERS
