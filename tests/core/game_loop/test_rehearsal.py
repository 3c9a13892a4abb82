"""A press is gone through shortly before it counts, and nothing of that shows."""

import asyncio

import pytest

from pi_controller.core.inputs.button import REHEARSAL_NS
from pi_controller.core.runtime.timers import LoopTimers
from tests.core.hall import Hall
from tests.core.hand import MS, S
from tests.core.inputs.test_button import bench


def rehearsals(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    moments: list[int] = []
    monkeypatch.setattr(hall.loop, "rehearse", lambda: moments.append(hall.timers.boot_ns()))
    return moments


def test_a_rehearsal_changes_nothing() -> None:
    hall = Hall().play()
    hall.move(3 * S)
    game, seq, pictures = hall.loop.game, hall.loop.seq, len(hall.pictures)
    lines, lit = len(hall.log.lines), hall.outputs.sun.lit
    hall.loop.rehearse()
    assert (hall.loop.game, hall.loop.seq, len(hall.pictures)) == (game, seq, pictures)
    assert (len(hall.log.lines), hall.outputs.sun.lit) == (lines, lit)
    assert not hall.outputs.buzzer.on


def test_the_press_after_a_rehearsal_is_as_any_other() -> None:
    hall = Hall().play()
    hall.move(3 * S)
    hall.loop.rehearse()
    hall.press()
    assert hall.picture.paused
    assert [action.source for action in hall.loop.game.actions] == ["cli", "button"]


def test_nothing_is_rehearsed_when_the_clock_should_have_turned(monkeypatch: pytest.MonkeyPatch) -> None:
    hall = Hall().play()
    hall.timers.now_ns += 40 * S
    monkeypatch.setattr(hall.outputs, "rehearse", lambda *_: pytest.fail("rehearsed"))
    hall.loop.rehearse()


def test_a_press_is_rehearsed_just_before_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    at = bench()
    moments = rehearsals(at.hall, monkeypatch)
    at.hall.move(10 * S)
    edge_ns = at.hall.timers.boot_ns()
    at.button.set(pressed=True)
    at.hall.move(1 * MS)
    assert moments == [edge_ns + 1 * MS - REHEARSAL_NS]
    assert at.hall.picture.paused


def test_a_bouncing_contact_is_rehearsed_now_and_then_only(monkeypatch: pytest.MonkeyPatch) -> None:
    at = bench()
    moments = rehearsals(at.hall, monkeypatch)
    at.hall.move(10 * S)
    for _ in range(250):
        at.button.set(pressed=True)
        at.hall.move(100_000)
        at.button.set(pressed=False)
        at.hall.move(100_000)
    assert len(moments) <= 10


def test_waiting_awake_ends_at_the_moment() -> None:
    class Clock:
        now_ns = 0
        looks = 0
        boot_id = "b"

        def boot_ns(self) -> int:
            self.now_ns += 1000
            self.looks += 1
            return self.now_ns

        def wall(self) -> str:
            return ""

    clock = Clock()
    loop = asyncio.new_event_loop()
    try:
        timers = LoopTimers(loop, clock)
        timers.stay_awake(100_000, 500_000)
        assert clock.now_ns == 100_000
        timers.stay_awake(900_000, 500_000)
        assert clock.now_ns == 101_000, "too far off: does not wait"
    finally:
        loop.close()
