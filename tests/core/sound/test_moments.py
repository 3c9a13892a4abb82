from typing import Any

from pi_controller.core.sound.phrases import moments
from tests.core.hand import MS, S, room

T = 1000 * S
PAUSED = {"paused": True, "running": False}


def heard(early_ms: int = 0, **changes: Any) -> list[tuple[str, float]]:
    """What sounds so many milliseconds after the picture."""
    picture = room(as_of_ms=T // MS, **changes)
    return [
        (one.what if isinstance(one.what, str) else one.what.phrases[0].name, (one.at_ns - T) / MS)
        for one in moments(picture, name_side_early_ns=early_ms * MS)
    ]


TICKS = [("last_three", 17_000), ("last_three", 18_000), ("last_three", 19_000)]


def test_the_last_ten_and_the_last_three_seconds() -> None:
    assert heard() == [("last_ten", 10_000), *TICKS]


def test_what_is_over_is_left_out() -> None:
    assert heard(remaining_ms=2_500) == [("last_three", 500), ("last_three", 1_500)]


def test_a_robber_phase_has_its_last_three_seconds_only() -> None:
    assert heard(phase="robber", side=None, remaining_ms=12_000) == [
        ("last_three", 9_000),
        ("last_three", 10_000),
        ("last_three", 11_000),
    ]


def test_the_321_is_spoken_and_ends_with_a_tone() -> None:
    counts = [("count_3", 0), ("count_2", 1_000), ("count_1", 2_000)]
    assert heard(**PAUSED, resume_in_ms=3_000) == [*counts, ("go", 3_000)]
    assert heard(phase="ready", **PAUSED, resume_in_ms=3_000) == counts, "the first round is called out then"


def test_nothing_sounds_in_a_pause() -> None:
    assert heard(**PAUSED) == []


def test_the_next_side_is_named_early() -> None:
    assert heard(4_000) == [("last_ten", 10_000), ("next_moon", 16_000), *TICKS]
    assert heard(4_000, last_round=3) == heard(), "no round comes any more"
    assert heard(4_000, phase="robber", side=None) == heard(phase="robber", side=None)


def test_game_time_may_pass_faster() -> None:
    assert heard(rate=10) == [
        ("last_ten", 1_000),
        ("last_three", 1_700),
        ("last_three", 1_800),
        ("last_three", 1_900),
    ]
