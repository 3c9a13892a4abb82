import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.core.game_loop.picture import GameTime

MOMENTS = st.integers(min_value=0, max_value=10**17)


def test_in_production_a_game_nanosecond_is_a_nanosecond() -> None:
    time = GameTime(anchor_boot_ns=5_000, anchor_game_ns=5_000)
    assert time.game_ns(123_456_789) == 123_456_789
    assert time.boot_ns(123_456_789) == 123_456_789


def test_after_a_restart_the_game_goes_on_where_it_was_last_seen() -> None:
    time = GameTime(anchor_boot_ns=7_000, anchor_game_ns=1_000_000)
    assert time.game_ns(7_000) == 1_000_000
    assert time.game_ns(8_000) == 1_001_000


def test_a_fast_game() -> None:
    time = GameTime(anchor_boot_ns=0, anchor_game_ns=0, rate=60)
    assert time.game_ns(1_000_000_000) == 60_000_000_000
    assert time.boot_ns(60_000_000_000) == 1_000_000_000


@given(MOMENTS, MOMENTS, MOMENTS, st.sampled_from([1, 60, 0.5, 7, 0.1]))
def test_the_moment_of_a_game_time_is_the_first_at_which_it_is_reached(
    boot: int, game: int, moment: int, rate: float
) -> None:
    time = GameTime(anchor_boot_ns=boot, anchor_game_ns=game, rate=rate)
    reached = time.boot_ns(moment)
    assert time.game_ns(reached) >= moment
    assert time.game_ns(reached - 1) < moment


@pytest.mark.parametrize("rate", [0, -1, 1001, float("nan")])
def test_impossible_speeds_are_refused(rate: float) -> None:
    with pytest.raises(ValueError, match="the speed must be from"):
        GameTime(anchor_boot_ns=0, anchor_game_ns=0, rate=rate)
