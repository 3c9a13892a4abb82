from typing import Any

from pi_controller.core.outputs import Outputs
from pi_controller.core.panel import PanelView, view_of
from pi_controller.core.tones import Tone, tone_between
from tests.core.hand import MS, HandBuzzer, HandDisplay, HandLamp, HandTimers, S, room


class Panel:
    def __init__(self, longest_tone_ms: int = 1000) -> None:
        self.timers = HandTimers()
        self.sun, self.moon, self.pause_lamp = HandLamp(), HandLamp(), HandLamp()
        self.buzzer = HandBuzzer(clock=self.timers)
        self.display = HandDisplay()
        self.outputs = Outputs(
            timers=self.timers,
            sun=self.sun,
            moon=self.moon,
            pause_lamp=self.pause_lamp,
            buzzer=self.buzzer,
            display=self.display,
            longest_tone_ms=longest_tone_ms,
        )
        self.view: PanelView | None = None

    def show(self, turned: bool = False, **changes: Any) -> None:
        before, now = self.view, self.timers.boot_ns()
        self.view = view_of(room(**changes), now, rate=1, before=before)
        self.outputs.show(self.view, now, tone_between(before, self.view, at_ns=now, turned=turned))

    def sounds_ms(self) -> list[tuple[int, bool]]:
        return [((at - 1000 * S) // MS, on) for at, on in self.buzzer.steps]


PAUSED = {"paused": True, "running": False}


def test_only_differences_reach_the_lamps() -> None:
    panel = Panel()
    panel.show()
    panel.show(remaining_ms=19_000)
    assert (panel.sun.shown, panel.moon.shown, panel.pause_lamp.shown) == (1, 1, 1)
    assert panel.sun.lit
    panel.show(side="moon")
    assert (panel.sun.lit, panel.moon.lit) == (False, True)


def test_the_display_counts_by_itself_and_the_pause_lamp_blinks() -> None:
    panel = Panel()
    panel.show()
    panel.timers.move(3 * S)
    assert [face.big for face in panel.display.faces] == ["20", "19", "18", "17"]
    panel.show(**PAUSED, remaining_ms=17_000)
    assert not panel.pause_lamp.lit
    panel.timers.move(500 * MS)
    assert panel.pause_lamp.lit


def test_a_pattern_sounds_and_ends() -> None:
    panel = Panel()
    panel.show()
    panel.show(turned=True, phase="robber", side=None, remaining_ms=12_000)
    panel.timers.move(5 * S)
    assert panel.sounds_ms() == [
        (0, True),
        (150, False),
        (250, True),
        (400, False),
        (500, True),
        (650, False),
    ]


def test_the_last_seconds_tick_until_the_pause() -> None:
    panel = Panel()
    panel.show()
    panel.timers.move(17 * S + 500 * MS)
    ticks = [
        (15_000, True),
        (15_060, False),
        (16_000, True),
        (16_060, False),
        (17_000, True),
        (17_060, False),
    ]
    assert panel.sounds_ms() == ticks
    panel.show(**PAUSED, remaining_ms=2_500)
    panel.timers.move(10 * S)
    assert panel.sounds_ms()[6:] == [(17_500, True), (17_750, False), (17_850, True), (18_100, False)]


def test_no_tone_is_longer_than_the_limit() -> None:
    panel = Panel(longest_tone_ms=100)
    panel.show()
    panel.show(turned=True, round=4)
    panel.timers.move(S)
    assert panel.sounds_ms() == [(0, True), (100, False)]


def test_a_tone_that_follows_another_begins_anew() -> None:
    """Its driver's limit counts from its own beginning; a tone that was cut already swallows nothing."""
    panel = Panel()
    panel.show()
    panel.show(turned=True, round=4)
    panel.timers.move(200 * MS)
    panel.show(**PAUSED, round=4)
    assert panel.sounds_ms() == [(0, True), (200, False), (200, True)]


def test_sounds_that_came_too_late_are_left_out() -> None:
    panel = Panel()
    panel.show()
    panel.timers.jump(16 * S + 700 * MS)
    assert panel.sounds_ms() == [], "both ticks were more than half a second ago"
    panel.outputs.play(Tone("robber", panel.timers.boot_ns() - 501 * MS), panel.timers.boot_ns())
    assert panel.sounds_ms() == []


def test_a_lamp_that_fails_is_reported_and_keeps_nothing_else_dark() -> None:
    panel = Panel()
    panel.pause_lamp.error = OSError("no such chip")
    panel.show()
    assert panel.sun.lit
    assert panel.outputs.trouble() == ["The pause lamp does not answer (no such chip); check its wiring."]
    panel.pause_lamp.error = None
    panel.show(side="moon")
    assert panel.pause_lamp.lit
    assert panel.outputs.trouble() == []


def test_a_fresh_display_gets_the_present_face() -> None:
    panel = Panel()
    panel.show()
    fresh = HandDisplay()
    panel.outputs.replace_display(fresh)
    assert fresh.faces == [panel.display.faces[-1]]
    panel.timers.move(S)
    assert fresh.faces[-1].big == "19"


def test_closed_outputs_are_dark_and_stay_so() -> None:
    panel = Panel()
    panel.show()
    panel.show(turned=True, round=4)
    assert panel.buzzer.on
    panel.outputs.close()
    panel.outputs.close()
    panel.timers.move(60 * S)
    panel.show(side="moon")
    assert not any((panel.sun.lit, panel.moon.lit, panel.pause_lamp.lit, panel.buzzer.on))
    assert panel.buzzer.closed
    assert panel.display.closed
