"""The roster as text (JSON and TOML), and its file in the state folder: replaced as a whole, so that a power
cut leaves the old or the new one."""

import json
import os
import tomllib
from itertools import count
from pathlib import Path

import msgspec

from pi_controller.language.system_errors import why
from pi_controller.roster.checks import read
from pi_controller.roster.model import Board, Roster, RosterFault
from pi_controller.sentence import Sentence

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
        raise RosterFault((Sentence("roster.nested_too_deeply"),)) from None
    except ValueError as error:  # a TOMLDecodeError, a JSONDecodeError, or a number that no integer takes
        kind = "TOML" if toml else "JSON"
        raise RosterFault((Sentence("roster.cannot_be_parsed", kind=kind, error=str(error)),)) from None
    return read(value)


def from_file(path: Path) -> Roster:
    """A file whose name ends in .json is JSON, any other TOML. RosterFault names the file."""
    try:
        if path.exists() and not path.is_file():
            raise RosterFault((Sentence("roster.is_no_file"),))
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise RosterFault((Sentence("roster.too_large", bytes=LARGEST_FILE),))
        return from_text(data.decode("utf-8-sig"), toml=path.suffix != ".json")
    except UnicodeDecodeError:
        raise RosterFault((_of(path, Sentence("roster.is_not_utf8")),)) from None
    except (OSError, ValueError) as error:
        if isinstance(error, RosterFault):
            raise RosterFault(tuple(_of(path, problem) for problem in error.problems)) from None
        reason = why(error) if isinstance(error, OSError) else str(error)
        raise RosterFault((Sentence("roster.unreadable", file=str(path), reason=reason),)) from None


def _of(path: Path, problem: Sentence) -> Sentence:
    return Sentence("roster.in_file", file=str(path), problem=problem)


def _inline(board: Board) -> str:
    node = "" if board.node is None else f', node = "{board.node}"'
    swapped = ", swapped = true" if board.swapped else ""
    return f'{{ name = "{board.name}"{node}{swapped} }}'


FILE_NAME = "roster.json"


class RosterStore:
    """Blocks on the disk: `save` belongs on a thread of its own."""

    def __init__(self, state_dir: Path) -> None:
        self.path = state_dir / FILE_NAME

    def load(self) -> Roster | None:
        """The kept roster, None when there is none.

        RosterFault when the file is not one: it has been moved aside then, so that nothing overwrites it.
        """
        if not self.path.exists():
            return None
        try:
            return from_file(self.path)
        except RosterFault as fault:
            moved = Sentence("roster.not_used", file=str(self._move_aside()))
            raise RosterFault((moved, *fault.problems)) from None

    def save(self, roster: Roster) -> None:
        """Raises OSError; the old file is there then."""
        new = self.path.with_suffix(".new")
        with new.open("w", encoding="utf-8") as file:
            file.write(to_json(roster))
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.path)
        folder = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _move_aside(self) -> Path:
        names = (self.path.with_suffix(f".broken-{number}") for number in count(1))
        aside = next(path for path in names if not path.exists())
        self.path.rename(aside)
        return aside
