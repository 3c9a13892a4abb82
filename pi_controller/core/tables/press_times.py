"""When a claim was made, on the clock of a game that may have stood still since."""

from dataclasses import dataclass

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.runtime.timers import Timers
from pi_controller.core.tables.claim_status import BEFORE_GAME, UNKNOWN_TIME
from pi_controller.game.commands import Start
from pi_controller.sentence import Sentence

FUTURE_NS = 1_000_000_000
"""A first contact further ahead than this is no time of this evening (the wire's clock wraps)."""


@dataclass(frozen=True, slots=True)
class StoodStill:
    """While core was away, for this long before the anchor of this game's clock, no time passed in it."""

    game_id: str
    down_ns: int | None
    """None: the machine was away too, and earlier times mean nothing."""


class PressTimes:
    """All times are CLOCK_BOOTTIME."""

    def __init__(self, *, loop: GameLoop, timers: Timers, stood_still: StoodStill | None) -> None:
        self._loop = loop
        self._timers = timers
        self._stood_still = stood_still

    def standing(self, at_ns: int) -> int:
        """The first contact on the clock that stood still while core was away."""
        stood, anchor_ns = self._stood_still, self._loop.time.anchor_boot_ns
        if stood is None or stood.game_id != self._loop.game.game_id or at_ns >= anchor_ns:
            return at_ns
        return anchor_ns if stood.down_ns is None else min(anchor_ns, at_ns + stood.down_ns)

    def never(self, at_ns: int) -> Sentence | None:
        """Why a claim of this moment is not even put to the game."""
        if at_ns > self._timers.boot_ns() + FUTURE_NS:
            return UNKNOWN_TIME
        began_ns = next(
            (action.seen_ns for action in self._loop.game.actions if isinstance(action.command, Start)), 0
        )
        return BEFORE_GAME if self._loop.time.game_ns(at_ns) < began_ns else None
