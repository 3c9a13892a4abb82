"""A roster as text, to be kept, read and written by people: JSON or TOML."""

import json
import tomllib
from pathlib import Path

import msgspec

from pi_controller.roster.checks import read
from pi_controller.roster.fault import RosterFault
from pi_controller.roster.model import Board, Roster

LARGEST_FILE = 1024 * 1024
"""Bytes; 256 boards need 20 KB."""


def to_json(roster: Roster) -> str:
    return json.dumps(msgspec.to_builtins(roster), indent=1) + "\n"


def to_toml(roster: Roster) -> str:
    """One line a board, so that people find theirs."""
    lines = ["version = 1"]
    for row in roster.rows:
        lines += ["", "[[rows]]", f'name = "{row.name}"', f'shape = "{row.shape}"', f"angle = {row.angle}"]
        lines += ["boards = [", *(f"    {_inline(board)}," for board in row.boards), "]"]
    return "\n".join(lines) + "\n"


def from_text(text: str, *, toml: bool) -> Roster:
    """RosterFault says all that is wrong with the text."""
    try:
        value = tomllib.loads(text) if toml else json.loads(text)
    except RecursionError:
        raise RosterFault(("It is nested too deeply: a roster has rows, and rows have boards.",)) from None
    except ValueError as error:  # a TOMLDecodeError, a JSONDecodeError, or a number that no integer takes
        kind = "TOML" if toml else "JSON"
        raise RosterFault((f"It is not {kind}: {error}; correct it there.",)) from None
    return read(value)


def from_file(path: Path) -> Roster:
    """A file whose name ends in .json is JSON, any other TOML. RosterFault names the file."""
    try:
        if path.exists() and not path.is_file():
            raise RosterFault(("It is no file: name the roster's file itself.",))
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise RosterFault((f"It is larger than {LARGEST_FILE} bytes: name the roster's file itself.",))
        return from_text(data.decode("utf-8"), toml=path.suffix != ".json")
    except UnicodeDecodeError:
        raise RosterFault((f"{path}: It is not UTF-8: save it as UTF-8.",)) from None
    except (OSError, ValueError) as error:
        if isinstance(error, RosterFault):
            raise RosterFault(tuple(f"{path}: {problem}" for problem in error.problems)) from None
        reason = getattr(error, "strerror", None) or str(error)
        raise RosterFault((f"{path} cannot be read ({reason}): check its name.",)) from None


def _inline(board: Board) -> str:
    node = "" if board.node is None else f', node = "{board.node}"'
    swapped = ", swapped = true" if board.swapped else ""
    return f'{{ name = "{board.name}"{node}{swapped} }}'
