"""From plain JSON values to a roster, or to the full list of what is wrong with them."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, get_args

import msgspec

from pi_controller.roster.model import MOST_BOARDS, Roster, RosterFault, Shape

MOST_PROBLEMS = 100
"""More than anybody reads."""
LONGEST_EXCERPT = 40
SHAPES: tuple[str, ...] = get_args(Shape)
NAME = re.compile(r"[A-Za-z0-9-]{1,6}")
NODE = re.compile(r"[0-9a-f]{16}")
NAME_RULE = "a name is 1 to 6 letters A-Z and a-z, digits and hyphens"


def read(value: object) -> Roster:
    """The roster in this JSON value; RosterFault with every mistake there is, up to MOST_PROBLEMS."""
    problems = list(_problems(value))
    if len(problems) > MOST_PROBLEMS:
        more = f"There are {len(problems) - MOST_PROBLEMS} more mistakes; mend these first."
        problems = [*problems[:MOST_PROBLEMS], more]
    if problems:
        raise RosterFault(tuple(problems))
    return msgspec.convert(value, Roster)


def said(value: object) -> str:
    """A value as it may stand in a sentence."""
    if isinstance(value, dict | list | tuple):
        return "an object" if isinstance(value, dict) else "a list"
    text = json.dumps(value, default=str)
    return text if len(text) <= LONGEST_EXCERPT else text[: LONGEST_EXCERPT - 1] + "…"


def _problems(value: object) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"A roster is an object with `version` and `rows`, not {said(value)}."
        return
    yield from _unknown(value, ("version", "rows"), "The roster")
    version = value.get("version", 1)
    if not isinstance(version, int) or isinstance(version, bool) or version != 1:
        yield f"Version {said(version)} of the roster is not known here; this is version 1."
    rows = value.get("rows", [])
    if not isinstance(rows, list | tuple):
        yield f"`rows` must be a list of rows, not {said(rows)}."
        return
    for number, row in enumerate(rows, 1):
        yield from _row_problems(row, number)
    yield from _together([row for row in rows if isinstance(row, dict)])


def _row_problems(row: object, number: int) -> Iterator[str]:
    if not isinstance(row, dict):
        yield f"Row {number} must be an object with `name` and `boards`, not {said(row)}."
        return
    where = f"Row {row['name']}" if _is_name(row.get("name")) else f"Row {number}"
    yield from _unknown(row, ("name", "shape", "angle", "boards"), where)
    yield from _name_problems(row, where)
    if row.get("shape", "straight") not in SHAPES:
        yield f"{where}: shape {said(row['shape'])} is not one of {', '.join(SHAPES)}."
    angle = row.get("angle", 0)
    if isinstance(angle, bool) or not isinstance(angle, int) or not 0 <= angle <= 90:
        yield f"{where}: angle {said(angle)} must be a whole number of degrees from 0 to 90."
    boards = row.get("boards", [])
    if not isinstance(boards, list | tuple):
        yield f"{where}: `boards` must be a list of boards, not {said(boards)}."
        return
    for place, board in enumerate(boards, 1):
        yield from _board_problems(board, f"{where}, board {place}")


def _board_problems(board: object, where: str) -> Iterator[str]:
    if not isinstance(board, dict):
        yield f"{where}: a board is an object with `name`, not {said(board)}."
        return
    if _is_name(board.get("name")):
        where = f"Board {board['name']}"
    yield from _unknown(board, ("name", "node", "swapped"), where)
    yield from _name_problems(board, where)
    node = board.get("node")
    if node is not None and not _is_node(node):
        yield f"{where}: node {said(node)} must be the 16 digits 0-9 and a-f of a node's unique id, or null."
    if not isinstance(board.get("swapped", False), bool):
        yield f"{where}: swapped {said(board['swapped'])} must be true or false."


def _name_problems(thing: dict[str, Any], where: str) -> Iterator[str]:
    if "name" not in thing:
        yield f"{where} has no name; {NAME_RULE}."
    elif not _is_name(thing["name"]):
        yield f"{where}: {said(thing['name'])} cannot be its name; {NAME_RULE}."


def _together(rows: list[dict[str, Any]]) -> Iterator[str]:
    """What is right for itself and wrong beside the others."""
    boards = [
        board
        for row in rows
        if isinstance(row.get("boards"), list | tuple)
        for board in row["boards"]
        if isinstance(board, dict)
    ]
    if len(boards) > MOST_BOARDS:
        yield f"The roster has {len(boards)} boards; one controller serves at most {MOST_BOARDS}."
    for name in _twice(row.get("name") for row in rows if _is_name(row.get("name"))):
        yield f"Row {name} is there twice: give each row a name of its own."
    for name in _twice(board.get("name") for board in boards if _is_name(board.get("name"))):
        yield f"Board {name} is there twice: a board's name stands once in the whole hall."
    for node in _twice(board.get("node") for board in boards if _is_node(board.get("node"))):
        names = " and ".join(str(board.get("name")) for board in boards if board.get("node") == node)
        yield f"Node {node} stands at boards {names}: a node stands at one board at most."


def _twice(found: Iterator[Any]) -> list[str]:
    return [name for name, times in Counter(found).items() if times > 1]


def _unknown(thing: dict[str, Any], known: tuple[str, ...], where: str) -> Iterator[str]:
    for key in thing:
        if key not in known:
            yield f"{where}: {said(key)} is not known; known here: {', '.join(known)}."


def _is_name(value: object) -> bool:
    return isinstance(value, str) and NAME.fullmatch(value) is not None


def _is_node(value: object) -> bool:
    return isinstance(value, str) and NODE.fullmatch(value) is not None
