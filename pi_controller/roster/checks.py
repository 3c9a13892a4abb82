"""From plain JSON values to a roster, or to the full list of what is wrong with them."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, get_args

import msgspec

from pi_controller.bus.values import UID_PATTERN
from pi_controller.game.claims import board_key
from pi_controller.roster.model import MOST_BOARDS, Roster, RosterFault, Shape
from pi_controller.sentence import Sentence, both

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
        yield Sentence("roster.node_is_there_twice", node=node, boards=both(names))


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
