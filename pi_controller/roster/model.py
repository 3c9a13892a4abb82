"""The hall's boards: rows, boards and the node at each board, as plain values. Shapes only; see `checks`.
And the one error of this package.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from pi_controller.bus.values import UID_PATTERN, Uid
from pi_controller.game.claims import board_key
from pi_controller.language.words import all_words
from pi_controller.sentence import Sentence, listed


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


# From plain JSON values to a roster, or to the full list of what is wrong with them.


MOST_PROBLEMS = 100
"""More than anybody reads."""
LONGEST_EXCERPT = 40
SHAPES: tuple[str, ...] = get_args(Shape)
NAME = re.compile(r"[A-Za-z0-9-]{1,6}")
NODE = re.compile(UID_PATTERN)


msgspec.json.Decoder(Roster)  # made known before there are threads: docs/decisions/0072


def read(value: object) -> Roster:
    """The roster in this JSON value; RosterFault with every mistake there is, up to MOST_PROBLEMS."""
    problems = list(_problems(value))
    if len(problems) > MOST_PROBLEMS:
        more = Sentence("settings.more_mistakes", count=len(problems) - MOST_PROBLEMS)
        problems = [*problems[:MOST_PROBLEMS], more]
    if problems:
        raise RosterFault(tuple(problems))
    return msgspec.convert(value, Roster)


def said(value: object) -> str | Sentence:
    """A value as it may stand in a sentence."""
    if isinstance(value, dict):
        return Sentence("roster.an_object")
    if isinstance(value, list | tuple):
        return Sentence("roster.a_list")
    text = json.dumps(value, default=str)
    return text if len(text) <= LONGEST_EXCERPT else text[: LONGEST_EXCERPT - 1] + "…"


def _problems(value: object) -> Iterator[Sentence]:
    if not isinstance(value, dict):
        yield Sentence("roster.form_of_a_roster", value=said(value))
        return
    yield from _unknown(value, ("version", "rows"), Sentence("roster.the_roster"))
    version = value.get("version", 1)
    if not isinstance(version, int) or isinstance(version, bool) or version != 1:
        yield Sentence("roster.version_not_known", version=said(version))
    rows = value.get("rows", [])
    if not isinstance(rows, list | tuple):
        yield Sentence("roster.form_of_rows", value=said(rows))
        return
    for number, row in enumerate(rows, 1):
        yield from _row_problems(row, number)
    yield from _together([row for row in rows if isinstance(row, dict)])


def _row_problems(row: object, number: int) -> Iterator[Sentence]:
    if not isinstance(row, dict):
        yield Sentence("roster.form_of_a_row", number=number, value=said(row))
        return
    where = Sentence("roster.row", row=row["name"] if _is_name(row.get("name")) else number)
    yield from _unknown(row, ("name", "shape", "angle", "boards"), where)
    yield from _name_problems(row, where)
    if row.get("shape", "straight") not in SHAPES:
        yield Sentence("roster.no_shape", where=where, shape=said(row["shape"]), known=", ".join(SHAPES))
    angle = row.get("angle", 0)
    if isinstance(angle, bool) or not isinstance(angle, int) or not 0 <= angle <= 90:
        yield Sentence("roster.no_angle", where=where, angle=said(angle))
    boards = row.get("boards", [])
    if not isinstance(boards, list | tuple):
        yield Sentence("roster.form_of_boards", where=where, value=said(boards))
        return
    for place, board in enumerate(boards, 1):
        yield from _board_problems(board, Sentence("roster.board_of_row", row=where, place=place))


def _board_problems(board: object, where: Sentence) -> Iterator[Sentence]:
    if not isinstance(board, dict):
        yield Sentence("roster.form_of_a_board", where=where, value=said(board))
        return
    if _is_name(board.get("name")):
        where = Sentence("roster.board", board=board["name"])
    yield from _unknown(board, ("name", "node", "swapped"), where)
    yield from _name_problems(board, where)
    node = board.get("node")
    if node is not None and not is_node_id(node):
        yield Sentence("roster.form_of_a_node", where=where, node=said(node))
    if not isinstance(board.get("swapped", False), bool):
        yield Sentence("roster.form_of_swapped", where=where, swapped=said(board["swapped"]))


def _name_problems(thing: dict[str, Any], where: Sentence) -> Iterator[Sentence]:
    if "name" not in thing:
        yield Sentence("roster.has_no_name", where=where)
    elif not _is_name(thing["name"]):
        yield Sentence("roster.cannot_be_its_name", where=where, name=said(thing["name"]))


def _together(rows: list[dict[str, Any]]) -> Iterator[Sentence]:
    """What is right for itself and wrong beside the others."""
    boards = [
        board
        for row in rows
        if isinstance(row.get("boards"), list | tuple)
        for board in row["boards"]
        if isinstance(board, dict)
    ]
    if len(boards) > MOST_BOARDS:
        yield Sentence("roster.too_many_boards", count=len(boards), most=MOST_BOARDS)
    for name in _named_twice(rows):
        yield Sentence("roster.row_is_there_twice", row=name)
    for name in _named_twice(boards):
        yield Sentence("roster.board_is_there_twice", board=name)
    for node in _twice(board.get("node") for board in boards if is_node_id(board.get("node"))):
        names = [str(board.get("name")) for board in boards if board.get("node") == node]
        yield Sentence("roster.node_is_there_twice", node=node, boards=listed(names))


def _named_twice(things: list[dict[str, Any]]) -> list[str]:
    """The names that are there twice, in whatever spelling, as it stands there first."""
    names = [thing["name"] for thing in things if _is_name(thing.get("name"))]
    first = {board_key(name): name for name in reversed(names)}
    return [first[key] for key in _twice(map(board_key, names))]


def _twice(found: Iterable[Any]) -> list[str]:
    return [name for name, times in Counter(found).items() if times > 1]


def _unknown(thing: dict[str, Any], known: tuple[str, ...], where: Sentence) -> Iterator[Sentence]:
    for key in thing:
        if key not in known:
            yield Sentence("roster.not_known", where=where, key=said(key), known=", ".join(known))


def _is_name(value: object) -> bool:
    return isinstance(value, str) and NAME.fullmatch(value) is not None


def is_node_id(value: object) -> bool:
    return isinstance(value, str) and NODE.fullmatch(value) is not None


# Changes of a roster. Each gives the changed roster or raises RosterFault.


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
