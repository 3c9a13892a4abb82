"""Drives lamps, buzzer and local display from views of the game. Besides this only a hardware test sets them,
while no game runs."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from pi_controller.core.panel.view import OVER, PanelLevels, PanelView, panel_at, seconds_shown
from pi_controller.core.runtime import Alarm, Timers
from pi_controller.defects import run_catching
from pi_controller.hal.roles import Buzzer, Lamp, LocalDisplay, StatusFace
from pi_controller.language.languages import ENGLISH
from pi_controller.language.system_errors import cause
from pi_controller.language.words import words
from pi_controller.sentence import Sentence

# PIN: on the local display, large in a quiet moment, small below a countdown. Pure.


PIN_SHOWN_NS = 60_000_000_000


@dataclass(frozen=True, slots=True)
class PinCover:
    """Puts the PIN on the display's face."""

    pin: str = field(repr=False)
    language: str = ENGLISH

    def over(self, face: StatusFace) -> StatusFace:
        """What the display shows in place of this face."""
        if face.big:
            return replace(face, footer=words(Sentence("display.pin", pin=self.pin), self.language))
        digits = f"{self.pin[:3]} {self.pin[3:]}"
        headline, footer = Sentence("display.pin_to_log_in"), Sentence("display.shown_for_a_minute")
        return StatusFace(
            headline=words(headline, self.language), big=digits, footer=words(footer, self.language)
        )


# Limit of tones: ends tones that last too long, on one thread, since starting a thread for each would delay a
# freeze.


@dataclass(slots=True)
class _Call:
    at_s: float
    act: Callable[[], None] | None

    def cancel(self) -> None:
        self.act = None


class ToneLimit:
    """A timer for one call. `start` has the signature of `GpioBuzzer(start_timer=…)`; a new call replaces an
    earlier one."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._call: _Call | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._wait, name="tone limit", daemon=True)
        self._thread.start()

    def start(self, after_s: float, act: Callable[[], None]) -> _Call:
        """Call `act` after `after_s` seconds, even if the loop hangs, unless cancelled before."""
        call = _Call(time.monotonic() + after_s, act)
        with self._news:
            self._call = call
            self._news.notify()
        return call

    def close(self) -> None:
        with self._news:
            self._closing = True
            self._news.notify()
        self._thread.join(1.0)

    def _wait(self) -> None:
        while not self._closing:
            with self._news:
                call = self._call
                left_s = None if call is None else call.at_s - time.monotonic()
                if left_s is None or left_s > 0:
                    self._news.wait(left_s)
                    continue
                self._call = None
            if call is not None and call.act is not None:
                call.act()


# Address of the staff's pages: on the local display in quiet moments, in turn with the game's face. Pure.


TURN_NS = 6_000_000_000
"""How long each face is shown."""
DIGITS_SHOWN = 16
"""Digits of the fingerprint that are shown, of 64: 8 bytes are too many to forge within years, and few enough
for a person to compare."""


@dataclass(frozen=True, slots=True)
class StaffAddress:
    """`fingerprint` of their certificate as pairs of hexadecimal digits; empty if they are not encrypted."""

    address: str
    fingerprint: str
    since_ns: int
    """CLOCK_BOOTTIME from which on they are shown; the address comes first."""
    language: str = ENGLISH

    def over(self, face: StatusFace, now_ns: int) -> StatusFace:
        """The face at this moment: address, certificate or this face."""
        faces = (self._address(), *([self._certificate()] if self.fingerprint else []), face)
        return faces[self._turns(now_ns) % len(faces)]

    def next_turn_ns(self, now_ns: int) -> int:
        """When the next face comes."""
        return self.since_ns + (self._turns(now_ns) + 1) * TURN_NS

    def _turns(self, now_ns: int) -> int:
        return (now_ns - self.since_ns) // TURN_NS

    def _address(self) -> StatusFace:
        scheme, _, place = self.address.partition("//")
        host, _, port = place.rpartition(":")
        headline = words(Sentence("display.staff_pages"), self.language)
        return StatusFace(headline=headline, lines=(f"{scheme}//", host, f":{port}"))

    def _certificate(self) -> StatusFace:
        shown = self.fingerprint.replace(":", "")[:DIGITS_SHOWN]
        groups = [shown[place : place + 4] for place in range(0, DIGITS_SHOWN, 4)]
        return StatusFace(
            headline=words(Sentence("display.certificate_begins"), self.language),
            lines=(" ".join(groups[:2]), " ".join(groups[2:])),
            footer=words(Sentence("display.compare_in_browser"), self.language),
        )


# Tones: which sound belongs to which moment. Pure. A tone is found by comparing two views, so that nothing
# sounds after a restart; it expires, so that a late one is left out.


EXPIRES_NS = 500_000_000
LAST_SECONDS = 5

ToneName = Literal["round_start", "last_second", "robber", "pause", "count", "resume", "end"]

PATTERNS: dict[ToneName, tuple[tuple[int, int], ...]] = {
    "round_start": ((400, 0),),
    "last_second": ((60, 0),),
    "robber": ((150, 100), (150, 100), (150, 0)),
    "pause": ((250, 100), (250, 0)),
    "count": ((120, 0),),
    "resume": ((500, 0),),
    "end": ((500, 200), (500, 200), (900, 0)),
}
"""Milliseconds of tone and of silence after it."""


@dataclass(frozen=True, slots=True)
class TimedTone:
    """A tone and its CLOCK_BOOTTIME."""

    name: ToneName
    at_ns: int


def tone_between(before: PanelView | None, after: PanelView) -> TimedTone | None:
    """The tone for the change from one view to the next, or None."""
    if before is None or before.game_id != after.game_id:
        return None
    name: ToneName | None = None
    at_ns = after.as_of_ns
    turned = (before.phase, before.round, before.seat) != (after.phase, after.round, after.seat)
    if after.phase in OVER and before.phase not in OVER:
        name = "end"
    elif after.paused and (
        not before.paused or (before.resume_in_ms is not None and after.resume_in_ms is None)
    ):
        name = "pause"
    elif turned and after.running:
        name = "robber" if after.phase == "robber" else "round_start"
        at_ns = after.moment_of(after.remaining_us * 1_000, after.duration_ms * 1_000_000)
    elif before.paused and after.running:
        name = "resume"
    return TimedTone(name, at_ns) if name else None


def next_count(view: PanelView, after_ns: int) -> TimedTone | None:
    """The next tick of a countdown after `after_ns`: of the 3-2-1, or of the last seconds of a phase."""
    if view.resume_in_ms is not None:
        name: ToneName = "count"
        countdown = view.resume_in_ms * 1_000_000
        highest = seconds_shown(countdown)
    elif view.running:
        name, countdown = "last_second", view.remaining_us * 1_000
        highest = LAST_SECONDS
    else:
        return None
    for seconds in range(highest, 0, -1):
        moment = view.moment_of(countdown, seconds * 1_000_000_000)
        if moment > after_ns:
            return TimedTone(name, moment)
    return None


log = logging.getLogger(__name__)

ACKNOWLEDGE_NS = 400_000_000

NAMES = {
    "sun lamp": Sentence("panel.sun_lamp"),
    "moon lamp": Sentence("panel.moon_lamp"),
    "pause lamp": Sentence("panel.pause_lamp"),
    "buzzer": Sentence("panel.buzzer"),
    "display": Sentence("panel.display"),
}
"""Names of the parts for people."""


@dataclass
class Outputs:
    """Shows views on the panel. A part that fails is reported by `trouble()`; the others still show."""

    timers: Timers
    sun: Lamp
    moon: Lamp
    pause_lamp: Lamp
    buzzer: Buzzer | None = None
    display: LocalDisplay | None = None
    longest_tone_ms: int = 1000
    language: str = ENGLISH
    """Language of the display."""
    _view: PanelView | None = None
    _picture: PanelLevels | None = None
    _forced: PanelLevels | None = None
    _levels: dict[str, bool] = field(default_factory=dict)
    _face: StatusFace | None = None
    _failures: dict[str, Sentence] = field(default_factory=dict)
    _redraw: Alarm | None = None
    _count: Alarm | None = None
    _tone: Alarm | None = None
    _flash: Alarm | None = None
    _cover: PinCover | None = None
    _uncover: Alarm | None = None
    _staff_pages: StaffAddress | None = None
    _closed: bool = False

    def speak(self, language: str) -> None:
        """What the display says is in this language from now on."""
        self.language = language

    def show(self, view: PanelView, now_ns: int, tone: TimedTone | None = None) -> None:
        """Set what differs, and schedule the changes that follow from this view by themselves."""
        self.show_at_once(view, now_ns, tone)
        self.follow_up(now_ns, tone)

    def show_at_once(self, view: PanelView, now_ns: int, tone: TimedTone | None = None) -> None:
        """The urgent part of `show`: lamps and buzzer. `follow_up` does the rest."""
        self._view = view
        self._picture = self._forced or panel_at(view, now_ns)
        self._light_up(self._picture)
        if tone is not None and self._forced is None:
            self.play(tone, now_ns)

    def follow_up(self, now_ns: int, tone: TimedTone | None = None) -> None:
        """The rest of `show`: the display, whose thread competes for the processor, and the next scheduled
        change."""
        if self._picture is not None:
            self._draw(self._picture)
        self._arrange_count(now_ns if tone is not None and tone.name == "pause" else now_ns - 1)

    def play(self, tone: TimedTone, now_ns: int) -> None:
        """Play this tone in place of the current one; an expired tone is left out."""
        if self.buzzer is None or now_ns - tone.at_ns > EXPIRES_NS:
            return
        # Switch off first: each tone gets the driver's full time limit, and a tone that the driver has cut
        # off would swallow this one.
        if self._levels.get("buzzer"):
            self._silence()
        _cancel(self._tone)
        self._sound_steps(
            [step for on_ms, off_ms in PATTERNS[tone.name] for step in (on_ms, off_ms)], on=True
        )

    def force(self, picture: PanelLevels) -> None:
        """Show this in place of the game's views until `let_go`; no tones but `buzz`."""
        if self._forced is None:
            self._silence()
            _cancel(self._count)
        self._forced = self._picture = picture
        self._light_up(picture)
        self._draw(picture)

    def let_go(self) -> None:
        """Show the game's view again."""
        if self._forced is None:
            return
        self._forced = None
        self._silence()
        self._again()
        self._arrange_count(self.timers.boot_ns())

    def buzz(self, ms: int) -> int:
        """Sound for this time, at most the longest tone; returns the duration in ms. Only while forced."""
        self._silence()
        length_ms = min(ms, self.longest_tone_ms)
        self._sound_steps([length_ms], on=True)
        return length_ms

    def game_face(self) -> StatusFace:
        """The display's face by the game's view."""
        return StatusFace() if self._view is None else panel_at(self._view, self.timers.boot_ns()).face

    def failure(self, name: str) -> Sentence | None:
        """The sentence about this lamp or the buzzer if its driver failed last time."""
        return self._failures.get(name)

    def acknowledge(self, now_ns: int) -> bool:
        """Light the pause lamp briefly for a press that changes nothing. Returns whether it is lit."""
        self._light("pause lamp", self.pause_lamp, lit=True)
        _cancel(self._flash)
        if not self._closed:
            self._flash = self.timers.call_at(now_ns + ACKNOWLEDGE_NS, self._again)
        return self._levels.get("pause lamp", False)

    def show_pin(self, pin: str) -> Sentence | None:
        """Show the PIN on the display for a minute. Returns a sentence if it could not be read there."""
        if self.display is None:
            return Sentence("pin.without_display")
        trouble = self.display.trouble()
        if trouble is not None:
            return Sentence("pin.not_shown", trouble=trouble)
        self._cover = PinCover(pin, self.language)
        _cancel(self._uncover)
        self._uncover = self.timers.call_at(self.timers.boot_ns() + PIN_SHOWN_NS, self._hide_pin)
        self._again()
        return None

    def show_staff_pages(self, address: str, fingerprint: str) -> None:
        """Show address and certificate fingerprint (if not empty) in turn with the game's face in quiet
        moments."""
        self._staff_pages = StaffAddress(address, fingerprint, self.timers.boot_ns(), self.language)
        self._again()

    def trouble(self) -> tuple[Sentence, ...]:
        """One sentence for each lamp or buzzer whose driver failed last time."""
        return tuple(self._failures.values())

    def replace_display(self, display: LocalDisplay) -> None:
        """Use this display, the first one or in place of one that failed."""
        if self._closed:
            display.close()
            return
        self.display = display
        self._face = None
        if self._picture is not None:
            self._draw(self._picture)

    def darken(self) -> None:
        """Switch lamps and buzzer off for good. May be called from any thread, while the loop hangs, and
        twice."""
        self._closed = True
        parts = (("buzzer", self.buzzer), ("sun lamp", self.sun), ("moon lamp", self.moon))
        for name, part in (*parts, ("pause lamp", self.pause_lamp)):
            if part is not None:
                self._try(name, part.close)

    def close(self) -> None:
        """Switch everything off; later calls have no effect."""
        for alarm in (self._redraw, self._count, self._tone, self._flash, self._uncover):
            _cancel(alarm)
        self.darken()
        if self.display is not None:
            self._try("display", self.display.close)

    def _light_up(self, picture: PanelLevels) -> None:
        self._light("pause lamp", self.pause_lamp, lit=picture.pause_lamp)
        self._light("sun lamp", self.sun, lit=picture.sun)
        self._light("moon lamp", self.moon, lit=picture.moon)

    def _draw(self, picture: PanelLevels) -> None:
        face, next_change_ns = picture.face, picture.next_change_ns
        pages, now_ns = self._staff_pages, self.timers.boot_ns()
        if self._cover is not None and face.pattern is None:
            face = self._cover.over(face)
        elif pages is not None and self._forced is None and self._view is not None and self._view.quiet:
            face, turn_ns = pages.over(face, now_ns), pages.next_turn_ns(now_ns)
            next_change_ns = turn_ns if next_change_ns is None else min(turn_ns, next_change_ns)
        display = self.display
        if display is not None and face != self._face and self._try("display", lambda: display.draw(face)):
            self._face = face
        _cancel(self._redraw)
        self._redraw = None
        if next_change_ns is not None and not self._closed:
            self._redraw = self.timers.call_at(next_change_ns, self._again)

    def _again(self) -> None:
        if self._view is not None:
            self._picture = self._forced or panel_at(self._view, self.timers.boot_ns())
            self._light_up(self._picture)
            self._draw(self._picture)

    def _hide_pin(self) -> None:
        self._cover = None
        self._again()

    def _light(self, name: str, lamp: Lamp, *, lit: bool) -> None:
        if (
            not self._closed
            and self._levels.get(name) is not lit
            and self._try(name, partial(lamp.show, lit=lit))
        ):
            self._levels[name] = lit

    def _arrange_count(self, after_ns: int) -> None:
        _cancel(self._count)
        self._count = None
        if self._view is None or self.buzzer is None or self._forced is not None:
            return
        tone = next_count(self._view, after_ns)
        if tone is not None and not self._closed:
            self._count = self.timers.call_at(tone.at_ns, lambda: self._count_now(tone))

    def _count_now(self, tone: TimedTone) -> None:
        self.play(tone, self.timers.boot_ns())
        self._arrange_count(tone.at_ns)

    def _sound_steps(self, steps: list[int], *, on: bool) -> None:
        self._sound(on=on and bool(steps))
        if not steps or self._closed:
            return
        length_ms = min(steps[0], self.longest_tone_ms) if on else steps[0]
        self._tone = self.timers.call_at(
            self.timers.boot_ns() + length_ms * 1_000_000, lambda: self._sound_steps(steps[1:], on=not on)
        )

    def _silence(self) -> None:
        _cancel(self._tone)
        if self._levels.get("buzzer"):
            self._sound(on=False)

    def _sound(self, *, on: bool) -> None:
        buzzer = self.buzzer
        if buzzer is None or self._closed or self._levels.get("buzzer") is on:
            return
        if self._try("buzzer", lambda: buzzer.sound(on=on)):
            self._levels["buzzer"] = on

    def _try(self, name: str, act: Callable[[], None]) -> bool:
        error = run_catching(act)
        if error is None:
            self._failures.pop(name, None)
        else:
            if name not in self._failures:
                log.warning("the %s does not answer", name, exc_info=error)
            self._failures[name] = Sentence("panel.no_answer", part=NAMES[name], why=cause(error))
        return error is None


def _cancel(alarm: Alarm | None) -> None:
    if alarm is not None:
        alarm.cancel()
