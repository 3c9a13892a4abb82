"""Keeps frames to others from the firmware of a virtual table, which would only drop them."""

from pi_controller.bus.frame import FIRST_NODE, LAST_NODE, MASTER, decode
from pi_controller.virtual_hall.board import VirtualBoard

KEPT_EVERY_US = 1_000_000
"""One of the frames to others is let through as often as this: the firmware judges the baud rate by them."""


class Sieve:
    """Looks at the end of what the board has received."""

    def __init__(self, board: VirtualBoard) -> None:
        self._board = board
        self._kept_us = -KEPT_EVERY_US
        self._said = b""
        self._own: int | None = None

    def dropped(self, at_us: int) -> bool:
        """A frame has just ended; whether it was for another and has been taken away."""
        incoming = self._board.incoming
        first = incoming.rfind(0, 0, len(incoming) - 1) + 1
        if not self._is_for_another(incoming, first) or at_us - self._kept_us >= KEPT_EVERY_US:
            self._kept_us = at_us
            return False
        del incoming[first:]
        return True

    def knows_address(self) -> bool:
        """Whether it is polled, and not waiting for its slot in a discovery."""
        return self._own_address() is not None

    def _is_for_another(self, incoming: bytearray, first: int) -> bool:
        """By the destination alone, which COBS leaves at its place unless it is 0. What the firmware has read
        the beginning of is left to it."""
        if first == 0 or len(incoming) < first + 3:
            return False
        to = MASTER if incoming[first] == 2 else incoming[first + 2]
        if FIRST_NODE <= to <= LAST_NODE:
            own = self._own_address()
            return own is not None and to != own
        return to == MASTER

    def _own_address(self) -> int | None:
        """The one with which the board talked last; None: it has none."""
        if self._said is not self._board.said:
            self._said = self._board.said
            frame = decode(self._said[1:-1])
            self._own = frame.src if frame is not None and FIRST_NODE <= frame.src <= LAST_NODE else None
        return self._own
