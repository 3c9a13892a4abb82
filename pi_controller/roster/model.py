"""The hall's boards: rows, boards and the node at each board, as plain values. Shapes only; see `checks`.
And the one error of this package."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from pi_controller.bus.values import Uid
from pi_controller.game.claims import board_key
from pi_controller.language.words import all_words
from pi_controller.sentence import Sentence


class RosterFault(ValueError):  # noqa: N818 - an answer to who brought the roster
    """The roster cannot be used or changed so; `problems` holds one sentence for each mistake. Its text are
    all of them in English, one a line."""

    def __init__(self, problems: tuple[Sentence, ...]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(all_words(self.problems))


MOST_BOARDS = 256
"""8 segments of 32 nodes, one node a board."""

Shape = Literal["straight", "angled", "ring"]
BoardName = Annotated[str, Meta(pattern="^[A-Za-z0-9-]{1,6}$")]
"""What fits on the wire and is read from a display at 1.5 m."""


class Board(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One board of the hall; `node` is the unique id of the node that stands there."""

    name: BoardName
    node: Uid | None = None
    swapped: bool = False
    """The node stands the other way round: its first button and display are on the Moon side."""


class Row(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Boards joined in this order. `angle` is between neighbours of an angled row, in degrees."""

    name: BoardName
    shape: Shape = "straight"
    angle: Annotated[int, Meta(ge=0, le=90)] = 0
    boards: tuple[Board, ...] = ()


class Roster(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All rows of the hall, in the order in which they are walked."""

    version: Literal[1] = 1
    rows: tuple[Row, ...] = ()

    @property
    def boards(self) -> tuple[Board, ...]:
        """All boards, row by row."""
        return tuple(board for row in self.rows for board in row.boards)

    def board(self, name: str) -> Board | None:
        """However the name is spelled (`board_key`)."""
        key = board_key(name)
        return next((board for board in self.boards if board_key(board.name) == key), None)

    def board_of(self, uid: str) -> Board | None:
        """The board at which this node stands."""
        return next((board for board in self.boards if board.node == uid), None)

    def name_of(self, uid: str) -> str:
        """The name under which this node claims."""
        board = self.board_of(uid)
        return f"node {uid[-4:]}" if board is None else board.name

    def row(self, name: str) -> Row | None:
        """The same for rows."""
        key = board_key(name)
        return next((row for row in self.rows if board_key(row.name) == key), None)
