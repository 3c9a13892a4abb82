"""How far another computer's clock is ahead of this one's, by round trips (RFC 5905, section 8). Pure."""

import math
from collections import deque
from dataclasses import dataclass

KEPT = 32
DRIFT = 200e-6
"""Two crystals of 100 ppm part by so much of the time that has passed since they were compared."""


@dataclass(frozen=True, slots=True)
class _Sample:
    offset_us: float
    error_us: float
    at_us: int

    @property
    def standing_us(self) -> float:
        """Its error but for what has grown since this computer's start, which is the same for all samples."""
        return self.error_us - self.at_us * DRIFT


class ClockEstimate:
    """Goes by the shortest round trip of the last ones: whatever is slow on the way makes a trip longer, and
    its error is at most half of that."""

    def __init__(self) -> None:
        self._samples: deque[_Sample] = deque(maxlen=KEPT)
        self._best: _Sample | None = None
        """Chosen when a sample comes: each picture asks for it, and the hall waits for the picture."""

    def add(self, *, sent_us: int, received_us: int, answered_us: int, now_us: int) -> None:
        """A round trip: sent and back by this clock, received and answered by the other. One that ends
        before it began, or lasted less than the other says to have had it, is none."""
        trip_us = (now_us - sent_us) - (answered_us - received_us)
        if trip_us < 0 or now_us < sent_us or answered_us < received_us:
            return
        offset_us = ((received_us - sent_us) + (answered_us - now_us)) / 2
        self._samples.append(_Sample(offset_us, trip_us / 2, now_us))
        self._best = min(self._samples, key=lambda sample: sample.standing_us)

    @property
    def trips(self) -> int:
        """How many round trips it goes by, KEPT at most."""
        return len(self._samples)

    def forget(self) -> None:
        """The other is another one, or has been started anew."""
        self._samples.clear()
        self._best = None

    def at(self, now_us: int) -> tuple[int, int] | None:
        """Offset and its largest error in microseconds as of now; None before the first round trip."""
        best = self._best
        if best is None:
            return None
        error_us = best.error_us + (now_us - best.at_us) * DRIFT
        return round(best.offset_us), math.ceil(error_us)
