import hashlib
import threading
from itertools import combinations
from typing import Any

import pytest
from PIL import ImageChops

from pi_controller.core.panel.outputs import (
    TURN_NS,
    Outputs,
    PinCover,
    StaffAddress,
    TimedTone,
    ToneLimit,
    next_count,
    tone_between,
)
from pi_controller.core.panel.view import PanelLevels, PanelView, view_of
from pi_controller.hal.oled.display import draw_face
from pi_controller.hal.roles import StatusFace
from pi_controller.language.words import all_words, words
from pi_controller.sentence import as_told
from tests.core.hall import Hall
from tests.core.hand import MS, HandBuzzer, HandDisplay, HandLamp, HandTimers, S, room
from tests.patience import DEADLINE_S


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
    panel, fresh = Panel(), HandDisplay()
    panel.outputs.replace_display(fresh)
    assert fresh.faces == [], "there is none yet"
    panel.outputs.replace_display(panel.display)
    panel.show()
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


def test_the_last_seconds_do_not_tick_while_something_is_forced_and_tick_again_afterwards() -> None:
    panel = Panel()
    panel.show()
    panel.outputs.force(forced())
    panel.timers.move(16 * S)
    assert panel.sounds_ms() == []
    panel.outputs.let_go()
    panel.timers.move(1 * S)
    assert [at for at, on in panel.sounds_ms() if on] == [17_000]


# The PIN on the local display: large in a quiet moment, small below a countdown, gone after a minute.


PIN = "493027"


def test_it_is_large_before_the_start_and_gone_after_a_minute() -> None:
    hall = Hall()
    hall.loop.begin()
    before = hall.display.faces[-1]
    assert hall.outputs.show_pin(PIN) is None
    assert (hall.display.faces[-1].headline, hall.display.faces[-1].big) == ("PIN to log in", "493 027")
    hall.timers.move(59 * S)
    assert hall.display.faces[-1].big == "493 027"
    hall.timers.move(1 * S)
    assert hall.display.faces[-1] == before
    assert PIN not in repr(PinCover(PIN))
    assert not any(PIN in str(picture) for picture in hall.pictures)
    assert not any(PIN in str(entry) for entry in hall.log.lines)


def test_a_countdown_stays_above_it() -> None:
    panel = Panel()
    panel.show(remaining_ms=90_000)
    assert panel.outputs.show_pin(PIN) is None
    panel.timers.move(1 * S)
    assert (panel.display.faces[-1].big, panel.display.faces[-1].footer) == ("89", f"PIN {PIN}")
    panel.show(**PAUSED, remaining_ms=89_000)
    assert (panel.display.faces[-1].big, panel.display.faces[-1].footer) == ("89", f"PIN {PIN}")


def test_a_second_pin_has_its_own_minute() -> None:
    hall = Hall()
    hall.loop.begin()
    hall.outputs.show_pin(PIN)
    hall.timers.move(40 * S)
    hall.outputs.show_pin("111222")
    hall.timers.move(40 * S)
    assert hall.display.faces[-1].big == "111 222"


def test_nobody_could_read_it() -> None:
    hall = Hall()
    hall.loop.begin()
    hall.display.said = as_told("The local display does not answer (errno 121); check its wiring.")
    said = hall.outputs.show_pin(PIN)
    assert (
        words(said)
        == "The local display does not answer (errno 121); check its wiring. The PIN cannot be shown on it."
    )
    hall.outputs.display = None
    assert (
        words(hall.outputs.show_pin(PIN)) == "There is no local display here: the PIN cannot be shown on it."
    )


# The staff's address and the certificate's beginning on the local display, in turn with the game's face.


DIGEST = hashlib.sha256(b"a certificate").hexdigest().upper()
FINGERPRINT = ":".join(DIGEST[place : place + 2] for place in range(0, 64, 2))
ADDRESS = "https://192.168.178.20:8443"
READY = {"phase": "ready", "side": None, "running": False, "dice": None, "sum": None}


def certificate() -> StatusFace:
    return StaffAddress(ADDRESS, FINGERPRINT, since_ns=0).over(StatusFace(), TURN_NS)


def shown_over(panel: Panel, seconds: int) -> list[StatusFace]:
    """Each face of these seconds, once."""
    first = len(panel.display.faces)
    panel.timers.move(seconds * S)
    return panel.display.faces[first:]


def test_before_a_game_the_three_turn() -> None:
    panel = Panel()
    panel.show(**READY)
    ready = panel.display.faces[-1]
    panel.outputs.show_staff_pages(ADDRESS, FINGERPRINT)
    shown = [panel.display.faces[-1], *shown_over(panel, 17)]
    assert [face.headline for face in shown] == ["Staff pages", "Certificate begins with", "Ready"]
    assert shown[0].lines == ("https://", "192.168.178.20", ":8443")
    assert shown[1:] == [certificate(), ready]
    digits = "".join(certificate().lines).replace(" ", "")
    assert digits == DIGEST[:16], "as a browser shows them first"


def test_where_nothing_is_encrypted_only_the_address_turns() -> None:
    panel = Panel()
    panel.show(**READY)
    panel.outputs.show_staff_pages("http://192.168.178.20:8080", "")
    assert [face.headline for face in shown_over(panel, 13)] == ["Ready", "Staff pages"]


@pytest.mark.parametrize("changes", [{}, PAUSED, {**READY, "resume_in_ms": 3000}, {**READY, **PAUSED}])
def test_nothing_covers_a_clock_or_a_pause(changes: dict[str, object]) -> None:
    panel = Panel()
    panel.outputs.show_staff_pages(ADDRESS, FINGERPRINT)
    panel.show(**changes)
    assert not any(face.lines for face in [panel.display.faces[-1], *shown_over(panel, 2)])


def test_the_pin_goes_first() -> None:
    panel = Panel()
    panel.show(**READY)
    panel.outputs.show_staff_pages(ADDRESS, FINGERPRINT)
    panel.outputs.show_pin("493027")
    assert panel.display.faces[-1].big == "493 027"
    assert not any(face.lines for face in shown_over(panel, 59))
    assert any(face.lines for face in shown_over(panel, 19))


def test_no_digit_is_taken_for_another() -> None:
    """Side by side in the same place they differ in a tenth of their pixels at least."""
    pictures = {
        digit: draw_face(StatusFace(lines=(digit * 4 + " " + digit * 4,) * 2, footer="x"))
        for digit in "0123456789ABCDEF"
    }
    for one, other in combinations(pictures, 2):
        differing = ImageChops.logical_xor(pictures[one], pictures[other]).histogram()[255]
        assert differing > pictures[one].histogram()[255] // 10, f"{one} and {other}"


def test_a_tone_that_lasts_too_long_is_ended() -> None:
    limit, ended = ToneLimit(), threading.Event()
    limit.start(0.0, ended.set)
    assert ended.wait(DEADLINE_S)
    again = threading.Event()
    limit.start(0.001, again.set)
    assert again.wait(DEADLINE_S)
    limit.close()


def test_a_cancelled_or_replaced_call_is_not_made() -> None:
    limit, wrong, right = ToneLimit(), threading.Event(), threading.Event()
    limit.start(60.0, wrong.set)
    limit.start(60.0, wrong.set).cancel()
    limit.start(0.0, right.set)
    assert right.wait(DEADLINE_S)
    limit.close()
    assert not wrong.is_set()


T = 1000 * S


def view(**changes: Any) -> PanelView:
    return view_of(room(as_of_ms=T // MS, **changes), offset_ns=0, before=None)


def name(before: PanelView | None, after: PanelView) -> str | None:
    tone = tone_between(before, after)
    return tone.name if tone else None


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


def test_the_whole_321_sounds_also_its_first_number() -> None:
    assert counts(view(**PAUSED, resume_in_ms=3_000), T - 1) == [
        ("count", 0),
        ("count", 1_000),
        ("count", 2_000),
    ]


@pytest.mark.parametrize(("late_ms", "sounds"), [(0, True), (500, True), (501, False)])
def test_a_late_sound_expires(late_ms: int, sounds: bool) -> None:
    timers, buzzer = HandTimers(), HandBuzzer()
    outputs = Outputs(timers=timers, sun=HandLamp(), moon=HandLamp(), pause_lamp=HandLamp(), buzzer=buzzer)
    now_ns = timers.boot_ns()
    outputs.play(TimedTone("robber", now_ns - late_ms * MS), now_ns)
    assert buzzer.on is sounds
