"""Pictures of the tables' displays, drawn by the firmware: each half of one is kept once, and a board's name
is kept beside the pictures in which it stands."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from pi_controller.virtual_hall.display import HEIGHT, ROW, VirtualDisplay
from table_node.face import Face, standing
from table_node.layout_parts import says
from table_node.view import FOUNDING

HALF_ROW = ROW // 2
NAMELESS = -1
LONGEST_FLUSH_US = 1_000_000


class Glass(NamedTuple):
    """A display's picture: its halves, and where in it the board's name stands: an index of
    `Pictures.names`."""

    left: int
    right: int
    names: int = NAMELESS


class Pictures:
    """`halves` are 64 × 64 pixels, a bit each in rows from the top, the leftmost first: left ones from column
    0, right ones from column 64. `names` has the boards' names for each way in which they are written: the
    halves by which the picture without a name then differs, bit by bit."""

    def __init__(self, boards: Sequence[str]) -> None:
        self.halves: list[bytes] = []
        self.names: list[dict[str, tuple[int, int]]] = []
        self._boards = boards
        self._known: dict[bytes, int] = {}
        self._drawn: dict[tuple[object, ...], Glass] = {}
        self._ways: dict[tuple[object, ...], int] = {}
        self._display = VirtualDisplay()
        self._face: Any = Face(self._display)
        self._look = 0

    def of(self, view: Any) -> Glass:
        """What stands on a display with this view of the firmware's, in which the board has no name."""
        key = (*standing(view), view.seconds, view.hold)
        if key not in self._drawn:
            left, right = halved(self._draw(view))
            self._drawn[key] = Glass(self._kept(left), self._kept(right), self._names_in(view, left, right))
        return self._drawn[key]

    def _draw(self, view: Any) -> bytes:
        """Every step of it, until it is on the glass."""
        self._look += 1
        view.look = self._look
        while self._face.draw(view) is not True:
            pass
        self._display.flush(LONGEST_FLUSH_US)
        return self._display.rows()

    def _kept(self, half: bytes) -> int:
        place = self._known.setdefault(half, len(self.halves))
        if place == len(self.halves):
            self.halves.append(half)
        return place

    def _names_in(self, view: Any, left: bytes, right: bytes) -> int:
        """A name is written alike whatever else stands in that kind of picture."""
        if not _has_name(view) or not self._boards:
            return NAMELESS
        way = (view.kind, says(view), view.words)
        if way not in self._ways:
            self._ways[way] = len(self.names)
            self.names.append({board: self._name(view, board, left, right) for board in self._boards})
        return self._ways[way]

    def _name(self, view: Any, board: str, left: bytes, right: bytes) -> tuple[int, int]:
        view.board = board
        named_left, named_right = halved(self._draw(view))
        view.board = ""
        return self._kept(_differing(named_left, left)), self._kept(_differing(named_right, right))


def halved(rows: bytes) -> tuple[bytes, bytes]:
    """A display's rows as its left and its right half."""
    starts = range(0, HEIGHT * ROW, ROW)
    return (
        b"".join(rows[start : start + HALF_ROW] for start in starts),
        b"".join(rows[start + HALF_ROW : start + ROW] for start in starts),
    )


def _has_name(view: Any) -> bool:
    return view.kind == "ready" or (view.kind == "round" and view.phase == FOUNDING and not says(view))


def _differing(one: bytes, other: bytes) -> bytes:
    return bytes(left ^ right for left, right in zip(one, other, strict=True))
