"""Changes of a roster. Each gives the changed roster or raises RosterFault with a sentence."""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from pi_controller.roster.model import MOST_BOARDS, Board, Roster, RosterFault, Row

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def new_roster(rows: int, boards: int) -> Roster:
    """Rows A, B, … with boards A1, A2, …; no node stands anywhere yet."""
    if not 1 <= rows <= len(LETTERS) or boards < 1 or rows * boards > MOST_BOARDS:
        limits = f"1 to {len(LETTERS)} rows with 1 to {MOST_BOARDS} boards in all"
        raise RosterFault((f"{rows} rows of {boards} boards cannot be made: {limits}.",))
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

    def put(board: Board) -> Board:
        if board.name == name:
            return replace(board, node=uid, swapped=board.swapped if swapped is None else swapped)
        return replace(board, node=None, swapped=False) if board.node == uid else board

    _board(roster, name)
    return _each(roster, put)


def walk(roster: Roster, row_name: str, first: str | None = None) -> Iterator[str]:
    """The names of the row's boards in their order, from `first` on."""
    row = roster.row(row_name)
    if row is None:
        known = ", ".join(row.name for row in roster.rows) or "none"
        raise RosterFault((f"There is no row {row_name}; the rows of the roster: {known}.",))
    names = [board.name for board in row.boards]
    if first is not None and first not in names:
        raise RosterFault((f"Board {first} does not stand in row {row_name}: name one that does.",))
    if not names:
        raise RosterFault((f"Row {row_name} has no boards: add them to the roster first.",))
    return iter(names if first is None else names[names.index(first) :])


def _changed(roster: Roster, name: str, change: Callable[[Board], Board]) -> Roster:
    _board(roster, name)
    return _each(roster, lambda board: change(board) if board.name == name else board)


def _each(roster: Roster, change: Callable[[Board], Board]) -> Roster:
    rows = tuple(replace(row, boards=tuple(change(board) for board in row.boards)) for row in roster.rows)
    return replace(roster, rows=rows)


def _board(roster: Roster, name: str) -> Board:
    found = roster.board(name)
    if found is None:
        raise RosterFault((f"There is no board {name} in the roster: add it there first.",))
    return found
