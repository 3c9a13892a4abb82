"""Somebody guesses the PIN: the director is told as long as it goes on."""

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.sentence import Sentence

MISTYPED = 9
"""So many wrong PINs an hour are none that guesses."""
SHOWN_NS = 3_600_000_000_000
PART = "pin"


class PinGuesses:
    """Called on the loop only."""

    def __init__(self, *, loop: GameLoop, timers: Timers) -> None:
        self._loop = loop
        self._timers = timers
        self._alarm: Alarm | None = None

    def told(self, wrong: int) -> None:
        """So many within the last hour. The warning goes an hour after the last of them."""
        if wrong <= MISTYPED:
            return
        if self._alarm is None:
            self._loop.note({"pin_guesses": wrong})
        else:
            self._alarm.cancel()
        self._loop.report(PART, "warning", Sentence("pin.guessed", wrong=wrong))
        self._alarm = self._timers.call_at(self._timers.boot_ns() + SHOWN_NS, self._over)

    def _over(self) -> None:
        self._alarm = None
        self._loop.report(PART, "warning", None)
