"""Changes of a roster. Each gives the changed roster or raises RosterFault."""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from pi_controller.roster.model import MOST_BOARDS, Board, Roster, RosterFault, Row
from pi_controller.sentence import Sentence

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def new_roster(rows: int, boards: int) -> Roster:
    """Rows A, B, … with boards A1, A2, …; no node stands anywhere yet."""
    if not 1 <= rows <= len(LETTERS) or boards < 1 or rows * boards > MOST_BOARDS:
        raise RosterFault(
            (
                Sentence(
                    "roster.cannot_be_made",
                    rows=rows,
                    boards=boards,
                    most_rows=len(LETTERS),
                    most_boards=MOST_BOARDS,
                ),
            )
        )
    return Roster(
        rows=tuple(
            Row(name=letter, boards=tuple(Board(name=f"{letter}{place}") for place in range(1, boards + 1)))
            for letter in LETTERS[:rows]
        )
    )


def swap(roster: Roster, name: str) -> Roster:
    """The node at this board stands the other way round."""
    return _changed(roster, name, lambda board: replace(board, swapped=not board.swapped))


def clear(roster: Roster, name: str) -> Roster:
    """No node stands at this board."""
    return _changed(roster, name, lambda board: replace(board, node=None, swapped=False))


def place(roster: Roster, name: str, uid: str, *, swapped: bool | None = None) -> Roster:
    """This node stands at this board now, and nowhere else; None keeps the board's orientation."""

    there = _board(roster, name)

    def put(board: Board) -> Board:
        if board is there:
            return replace(board, node=uid, swapped=board.swapped if swapped is None else swapped)
        return replace(board, node=None, swapped=False) if board.node == uid else board

    return _each(roster, put)


def walk(roster: Roster, row_name: str, first: str | None = None) -> Iterator[str]:
    """The names of the row's boards in their order, from `first` on."""
    row = roster.row(row_name)
    if row is None:
        raise RosterFault((_no_row(roster, row_name),))
    names = [board.name for board in row.boards]
    begin = None if first is None else roster.board(first)
    if first is not None and begin not in row.boards:
        raise RosterFault((Sentence("roster.board_not_in_row", board=first, row=row.name),))
    if not names:
        raise RosterFault((Sentence("roster.row_has_no_boards", row=row.name),))
    return iter(names if begin is None else names[names.index(begin.name) :])


def _no_row(roster: Roster, name: str) -> Sentence:
    if not roster.rows:
        return Sentence("roster.no_row_at_all", row=name)
    return Sentence("roster.no_such_row", row=name, known=", ".join(row.name for row in roster.rows))


def _changed(roster: Roster, name: str, change: Callable[[Board], Board]) -> Roster:
    there = _board(roster, name)
    return _each(roster, lambda board: change(board) if board is there else board)


def _each(roster: Roster, change: Callable[[Board], Board]) -> Roster:
    rows = tuple(replace(row, boards=tuple(change(board) for board in row.boards)) for row in roster.rows)
    return replace(roster, rows=rows)


def _board(roster: Roster, name: str) -> Board:
    found = roster.board(name)
    if found is None:
        raise RosterFault((Sentence("roster.no_such_board", board=name),))
    return found
