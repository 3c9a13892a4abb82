"""Whether the line is free: own bytes by their time on the wire, others' bytes by what arrives."""

from typing import Final

BITS_OF_A_BYTE: Final = 10
LONGEST_FRAME: Final = 40
"""Bytes of the longest frame on the wire (PROTOCOL.md), rounded up."""
QUIET_US: Final = 2_500
"""So long after the last byte a half frame is given up: more than one USB latency period of 1 ms."""
TURN_US: Final = 300
"""A node needs so long to let go of the line after its last byte (PROTOCOL.md, timing)."""
GAP_US: Final = 3_000
"""After what is said to everybody nobody is asked for so long: all are busy with it (PROTOCOL.md, timing)."""


class Line:
    """One half-duplex line as the master sees it; all times in µs of one clock."""

    def __init__(self, *, baud: int) -> None:
        self.tune(baud)
        self.sending_until_us = 0
        self._hearing = False
        self._first_us = 0
        self._last_us = 0
        self._clear_us = 0
        self._gap_us = 0

    def tune(self, baud: int) -> None:
        """From now on bytes take as long as at this rate."""
        self._byte_us = BITS_OF_A_BYTE * 1_000_000 / baud
        self._patience_us = int(LONGEST_FRAME * self._byte_us) + QUIET_US

    def sent(self, count: int, now_us: int) -> None:
        """Own bytes begin now."""
        self.sending_until_us = now_us + int(count * self._byte_us) + 1
        self._hearing = False

    def said_to_everybody(self) -> None:
        """That is what the bytes are that were sent last."""
        self._gap_us = self.sending_until_us + GAP_US

    def gap_until(self, now_us: int) -> int | None:
        """When somebody may be asked again; None: now."""
        return self._gap_us if now_us < self._gap_us else None

    def heard(self, now_us: int, *, whole: bool) -> None:
        """Bytes have arrived; `whole`: they end with the end of a frame."""
        if whole:
            self._hearing = False
            self._clear_us = now_us + TURN_US
            return
        if not self._hearing:
            self._hearing = True
            self._first_us = now_us
        self._last_us = now_us

    def forget(self) -> None:
        """The port is new: nothing is under way."""
        self.sending_until_us = 0
        self._hearing = False
        self._clear_us = 0
        self._gap_us = 0

    def free_at(self, now_us: int) -> int:
        """When the master may speak; not after `now_us`: at once. A line that is never quiet counts as free
        after the time of a longest frame, so that a babbling node delays a pause by no more than that."""
        if now_us < self.sending_until_us:
            return self.sending_until_us
        if self._hearing:
            until = min(self._last_us + QUIET_US, self._first_us + self._patience_us)
            if now_us < until:
                return until
            self._hearing = False
        return self._clear_us
