"""When the leader's core was last known to live. Pure.

A broker goes on telling the last picture of a core that is dead, and over a bridge that looks like a new one.
What proves that a core lives: a beat, an answer that says when it told something, and a picture that was made
just now by its own clock.
"""

from pi_controller.links.clock import ClockEstimate
from pi_controller.links.payloads import LIVES_US

SLACK_US = 1_000
"""A picture that was made later than now by more than this and the clock's error is one of another clock."""


class SignsOfLife:
    """Of one leader. Times are microseconds of this computer's clock."""

    def __init__(self) -> None:
        self.heard_us: int | None = None
        """None: it is not known to have lived since it is followed."""
        self._made_us: int | None = None
        """When the newest picture was made, on the leader's clock; None once it has been compared."""

    def lives(self, now_us: int) -> bool:
        return self.heard_us is not None and now_us - self.heard_us < LIVES_US

    def sign(self, at_us: int) -> None:
        """It lived then."""
        self.heard_us = max(self.heard_us or 0, at_us)

    def picture(self, as_of_us: int) -> None:
        """A picture has come that was made then, on the leader's clock."""
        self._made_us = as_of_us

    def compare(self, clock: ClockEstimate, now_us: int) -> None:
        """The newest picture is a sign of life where it is new; that can be said once the clock is known."""
        estimate = clock.at(now_us)
        if estimate is None or self._made_us is None:
            return
        offset_us, error_us = estimate
        age_us = now_us + offset_us - self._made_us
        self._made_us = None
        if -error_us - SLACK_US <= age_us < LIVES_US:
            self.sign(now_us - max(0, age_us))
