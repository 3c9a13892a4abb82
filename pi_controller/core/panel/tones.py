"""Which sound belongs to which moment. Pure.

A sound is a moment, not a state: it is found by comparing two views, so that nothing sounds after a restart,
and it expires, so that a late one is left out.
"""

from dataclasses import dataclass
from typing import Literal

from pi_controller.core.panel.view import OVER, PanelView, seconds_shown

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
class Tone:
    """A sound and the CLOCK_BOOTTIME at which it belongs."""

    name: ToneName
    at_ns: int

    def expired(self, now_ns: int) -> bool:
        return now_ns - self.at_ns > EXPIRES_NS


def tone_between(before: PanelView | None, after: PanelView) -> Tone | None:
    """The sound of the change from one view to the next, or None."""
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
    return Tone(name, at_ns) if name else None


def next_count(view: PanelView, after_ns: int) -> Tone | None:
    """The next tick of a countdown strictly after `after_ns`: the whole 3-2-1, the last seconds of a
    phase."""
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
            return Tone(name, moment)
    return None
