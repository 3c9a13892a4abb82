"""Own frames that come back from the adapter, told from those of a second master."""

from collections import deque
from typing import Final

from pi_controller.bus.frame import Frame

REMEMBERED: Final = 64
"""Own frames that may still come back: half a second of them, as adapters may hand over late."""
FOREIGN_US: Final = 5_000_000
"""So long after its last frame the other master is reported."""


class Echo:
    """Compares whole frames: an adapter may return all, part or none of the own bytes."""

    def __init__(self) -> None:
        self.echoes = 0
        self.collisions = 0
        """Own frames that came back damaged."""
        self.foreigners = 0
        """Frames of another master."""
        self._sent: deque[Frame] = deque(maxlen=REMEMBERED)
        self._returning = False
        self._foreign_us: int | None = None

    def sent(self, frame: Frame) -> None:
        self._sent.append(frame)

    def foreign(self, frame: Frame, now_us: int) -> bool:
        """A frame that says it comes from the master; True when it is another master's."""
        if frame in self._sent:
            self._sent.remove(frame)
            self._returning = True
            self.echoes += 1
            return False
        self._foreign_us = now_us
        self.foreigners += 1
        return True

    def has_returned(self, frame: Frame) -> bool:
        """Whether this frame, one of the last 64 that were sent, has come back."""
        return frame not in self._sent

    def damaged(self, count: int) -> None:
        """So many damaged frames arrived while own bytes were on the line."""
        if self._returning:
            self.collisions += count

    def other_master(self, now_us: int) -> bool:
        return self._foreign_us is not None and now_us - self._foreign_us < FOREIGN_US
