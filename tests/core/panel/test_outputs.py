from typing import Any

from msgspec.structs import replace

from pi_controller.core.panel.outputs import Outputs, TimedTone, tone_between
from pi_controller.core.panel.view import PanelLevels, PanelView, view_of
from pi_controller.hal.roles import StatusFace
from pi_controller.language.words import all_words, words
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

    def show(self, **changes: Any) -> None:
        before, now = self.view, self.timers.boot_ns()
        self.view = view_of(room(as_of_ms=now // MS, **changes), offset_ns=0, before=before)
        self.outputs.show(self.view, now, tone_between(before, self.view))

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
    panel.show(phase="robber", side=None, duration_ms=12_000, remaining_ms=12_000)
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
    panel.show(round=4, duration_ms=20_000)
    panel.timers.move(S)
    assert panel.sounds_ms() == [(0, True), (100, False)]


def test_a_tone_that_follows_another_begins_anew() -> None:
    """Its driver's limit counts from its own beginning; a tone that was cut already swallows nothing."""
    panel = Panel()
    panel.show()
    panel.show(round=4, duration_ms=20_000)
    panel.timers.move(200 * MS)
    panel.show(**PAUSED, round=4)
    assert panel.sounds_ms() == [(0, True), (200, False), (200, True)]


def test_sounds_that_came_too_late_are_left_out() -> None:
    panel = Panel()
    panel.show()
    panel.timers.jump(16 * S + 700 * MS)
    assert panel.sounds_ms() == [], "both ticks were more than half a second ago"
    panel.outputs.play(TimedTone("robber", panel.timers.boot_ns() - 501 * MS), panel.timers.boot_ns())
    assert panel.sounds_ms() == []


def test_a_lamp_that_fails_is_reported_and_keeps_nothing_else_dark() -> None:
    panel = Panel()
    panel.pause_lamp.error = OSError("no such chip")
    panel.show()
    assert panel.sun.lit
    assert all_words(panel.outputs.trouble()) == [
        "The pause lamp does not answer (no such chip); check its wiring."
    ]
    panel.pause_lamp.error = None
    panel.show(side="moon")
    assert panel.pause_lamp.lit
    assert panel.outputs.trouble() == ()


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
    panel.show(round=4, duration_ms=20_000)
    assert panel.buzzer.on
    panel.outputs.close()
    panel.outputs.close()
    panel.timers.move(60 * S)
    panel.show(side="moon")
    assert not any((panel.sun.lit, panel.moon.lit, panel.pause_lamp.lit, panel.buzzer.on))
    assert panel.buzzer.closed
    assert panel.display.closed


def test_a_display_that_opens_late_shows_what_is_on() -> None:
    panel = Panel()
    late, panel.outputs.display = panel.display, None
    panel.show(running=False, phase="ready", side=None)
    panel.outputs.replace_display(late)
    assert [face.headline for face in late.faces] == ["Ready"]
    fresh = HandDisplay()
    panel.outputs.replace_display(fresh)
    assert fresh.faces == late.faces


def forced(**lit: bool) -> PanelLevels:
    levels = {"sun": False, "moon": False, "pause_lamp": False} | lit
    return PanelLevels(**levels, face=StatusFace("Test"), next_change_ns=None)


def test_what_is_forced_stands_until_it_is_let_go() -> None:
    panel = Panel()
    panel.show()
    panel.outputs.force(forced(moon=True))
    panel.show(**PAUSED)
    panel.timers.move(3 * S)
    assert (panel.sun.lit, panel.moon.lit, panel.pause_lamp.lit) == (False, True, False)
    assert panel.display.faces[-1].headline == "Test"
    assert panel.sounds_ms() == [], "not even the tone of the pause"
    panel.outputs.let_go()
    assert (panel.sun.lit, panel.moon.lit) == (True, False)
    assert panel.display.faces[-1].headline.startswith("Pause")
    panel.timers.move(500 * MS)
    assert panel.outputs.game_face() == panel.display.faces[-1]


def test_a_forced_lamp_comes_back_after_an_acknowledgement() -> None:
    panel = Panel()
    panel.show(phase="ready", side=None, running=False)
    panel.outputs.force(forced())
    assert panel.outputs.acknowledge(panel.timers.boot_ns())
    assert panel.pause_lamp.lit
    panel.timers.move(400 * MS)
    assert not panel.pause_lamp.lit


def test_the_last_seconds_do_not_tick_while_something_is_forced_and_tick_again_afterwards() -> None:
    panel = Panel()
    panel.show()
    panel.outputs.force(forced())
    panel.timers.move(16 * S)
    assert panel.sounds_ms() == []
    panel.outputs.let_go()
    panel.timers.move(1 * S)
    assert [at for at, on in panel.sounds_ms() if on] == [17_000]


def test_a_forced_tone_is_cut_at_the_longest_one_and_by_letting_go() -> None:
    panel = Panel(longest_tone_ms=300)
    panel.outputs.force(forced())
    assert panel.outputs.buzz(1000) == 300
    panel.timers.move(1 * S)
    assert panel.outputs.buzz(200) == 200
    panel.timers.move(50 * MS)
    panel.outputs.let_go()
    panel.outputs.let_go()
    assert panel.sounds_ms() == [(0, True), (300, False), (1000, True), (1050, False)]


def test_a_failing_part_is_named() -> None:
    panel = Panel()
    panel.sun.error = OSError("pin gone")
    panel.outputs.force(forced(sun=True))
    told = "The sun lamp does not answer (pin gone); check its wiring."
    assert words(panel.outputs.failure("sun lamp")) == told
    assert panel.outputs.failure("moon lamp") is None
    assert panel.outputs.game_face() == StatusFace(), "no game has shown anything yet"


def test_the_end_of_the_program_darkens_what_is_forced() -> None:
    panel = Panel()
    panel.show()
    panel.outputs.force(forced(sun=True, moon=True))
    panel.outputs.darken()
    panel.outputs.let_go()
    assert (panel.sun.lit, panel.moon.lit, panel.sun.closed) == (False, False, True)


def test_a_pattern_shows_over_a_pin() -> None:
    panel = Panel()
    panel.show()
    assert panel.outputs.show_pin("123456") is None
    panel.outputs.force(replace(forced(), face=StatusFace(pattern="white")))
    assert panel.display.faces[-1].pattern == "white"
