from typing import Any

import pytest

from pi_controller.core.panel.outputs import PATTERNS, Outputs, TimedTone, next_count, tone_between
from pi_controller.core.panel.view import PanelView, view_of
from tests.core.hand import MS, HandBuzzer, HandLamp, HandTimers, S, room

T = 1000 * S


def view(**changes: Any) -> PanelView:
    return view_of(room(as_of_ms=T // MS, **changes), offset_ns=0, before=None)


def name(before: PanelView | None, after: PanelView) -> str | None:
    tone = tone_between(before, after)
    return tone.name if tone else None


PAUSED = {"paused": True, "running": False}


def test_each_change_has_its_sound() -> None:
    assert name(view(), view(round=4)) == "round_start"
    assert name(view(), view(phase="robber", side=None)) == "robber"
    assert name(view(), view(**PAUSED)) == "pause"
    assert name(view(**PAUSED, resume_in_ms=900), view(**PAUSED)) == "pause"
    assert name(view(**PAUSED, resume_in_ms=1), view()) == "resume"
    assert name(view(), view(phase="ended", running=False, side=None)) == "end"
    collecting = view(phase="collecting", running=False, side=None)
    assert name(view(), collecting) == "end"
    assert name(collecting, view(phase="ended", running=False, side=None)) is None


def test_what_makes_no_sound() -> None:
    assert name(None, view(**PAUSED)) is None, "a restart"
    assert name(view(), view(game_id="g2", **PAUSED)) is None, "a new game"
    assert name(view(), view(remaining_ms=25_000)) is None, "more time"
    assert name(view(**PAUSED), view(**PAUSED, pause_reasons=["claim"])) is None
    assert name(view(**PAUSED), view(**PAUSED, round=4)) is None, "skipped while paused"


def test_a_phase_that_began_a_while_ago_sounds_at_its_beginning() -> None:
    late = view(round=4, duration_ms=35_000, remaining_ms=34_700, rate=2)
    assert tone_between(view(), late) == TimedTone("round_start", T - 150 * MS)


def counts(seen: PanelView, after: int) -> list[tuple[str, int]]:
    found = []
    while (tone := next_count(seen, after)) is not None:
        found.append((tone.name, (tone.at_ns - T) // MS))
        after = tone.at_ns
    return found


def test_the_last_five_seconds_tick() -> None:
    seconds = [("last_second", ms) for ms in (15_000, 16_000, 17_000, 18_000, 19_000)]
    assert counts(view(), T) == seconds


def test_the_whole_321_sounds_also_its_first_number() -> None:
    assert counts(view(**PAUSED, resume_in_ms=3_000), T - 1) == [
        ("count", 0),
        ("count", 1_000),
        ("count", 2_000),
    ]


def test_a_pause_has_no_ticks() -> None:
    assert counts(view(**PAUSED), T) == []


@pytest.mark.parametrize(("late_ms", "sounds"), [(0, True), (500, True), (501, False)])
def test_a_late_sound_expires(late_ms: int, sounds: bool) -> None:
    timers, buzzer = HandTimers(), HandBuzzer()
    outputs = Outputs(timers=timers, sun=HandLamp(), moon=HandLamp(), pause_lamp=HandLamp(), buzzer=buzzer)
    now_ns = timers.boot_ns()
    outputs.play(TimedTone("robber", now_ns - late_ms * MS), now_ns)
    assert buzzer.on is sounds


def test_no_pattern_sounds_without_end() -> None:
    for pattern in PATTERNS.values():
        assert all(0 < on_ms <= 1000 and 0 <= off_ms <= 1000 for on_ms, off_ms in pattern)
