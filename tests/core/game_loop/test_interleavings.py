"""A sample of `make interleavings`."""

from collections import Counter

from tests.core.game_loop.interleavings import run_evening


def test_each_command_counts_once_on_what_its_sender_saw_and_none_is_lost() -> None:
    told: Counter[str] = Counter()
    for number in range(1, 35):
        broken, more = run_evening(number)
        assert broken is None
        told += more
    assert min(told["done"], told["unseen"], told["watched"], told["refused"]) > 15
