"""Seat codes as they come over the control socket."""

from msgspec import Struct

from pi_controller.vocabulary import Side


class SeatCodeView(Struct, kw_only=True, frozen=True):
    """What is printed for a side of a board, and lets one device claim for it."""

    board: str
    side: Side
    code: str
