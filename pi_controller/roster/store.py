"""The roster as text (JSON and TOML), and its file in the state folder: replaced as a whole, so that a power
cut leaves the old or the new one.
"""

import json
import os
import tomllib
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from pi_controller.bus.values import NodeMeasured, Uid
from pi_controller.journal.store import read_plain, write_private
from pi_controller.language.system_errors import why
from pi_controller.roster.model import Board, Roster, RosterFault, read
from pi_controller.sentence import SaidError, Sentence, sentence_of

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


ROSTER_FILE = "roster.json"


class RosterStore:
    """Blocks on the disk: `save` belongs on a thread of its own."""

    def __init__(self, state_dir: Path) -> None:
        self.path = state_dir / ROSTER_FILE

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


# Each table node's gain: by what its reading of the supply must be multiplied, known from a multimeter. A
# file of the state folder, replaced as a whole.


CALIBRATION_FILE: Final = "calibration.json"
MOST_APART: Final = 0.05
"""A sound board reads less than 4 % wrong: its reference 1.5 %, its divider's resistors 1 % each."""
LARGEST_CALIBRATION: Final = 1 << 20
"""Bytes; a node takes some fifty."""
LEAST_V: Final = 8.0
MOST_V: Final = 30.0
Gain = Annotated[float, Meta(ge=1 - MOST_APART - 0.01, le=1 + MOST_APART + 0.01)]


class Calibration(Struct, frozen=True, forbid_unknown_fields=True):
    """By uid."""

    version: Literal[1] = 1
    gains: dict[Uid, Gain] = {}

    def corrected(self, measured: Iterable[NodeMeasured]) -> tuple[NodeMeasured, ...]:
        """Supplies of known nodes times their gains; of others as they are."""
        return tuple(
            node
            if (gain := self.gains.get(node.uid)) is None
            else msgspec.structs.replace(node, supply_v=node.supply_v * gain, calibrated=True)
            for node in measured
        )

    def learned(self, node: NodeMeasured, volts: float) -> "Calibration":
        """With this node's gain, which reads `volts` as `node` says, corrected or not. CannotCalibrate when
        that cannot be."""
        if not LEAST_V <= volts <= MOST_V:
            raise CannotCalibrate(
                Sentence("calibration.volts_out_of_range", volts=volts, least=LEAST_V, most=MOST_V)
            )
        read = node.supply_v / (self.gains[node.uid] if node.calibrated else 1.0)
        if not read or abs(volts / read - 1) > MOST_APART:
            raise CannotCalibrate(
                Sentence(
                    "calibration.too_far",
                    uid=node.uid,
                    read=read,
                    volts=volts,
                    percent=round(100 * MOST_APART),
                )
            )
        return Calibration(gains={**self.gains, node.uid: volts / read})

    def without(self, uid: str) -> "Calibration":
        """CannotCalibrate when this node has none."""
        if uid not in self.gains:
            raise CannotCalibrate(Sentence("calibration.none_kept", uid=uid))
        return Calibration(gains={known: gain for known, gain in self.gains.items() if known != uid})


class CannotCalibrate(SaidError, ValueError):  # noqa: N818 - an answer to who asked
    """No gain can be had."""


def load(state_dir: Path) -> Calibration:
    """That of this folder, empty without a file. CannotCalibrate names a file that is none."""
    path = state_dir / CALIBRATION_FILE
    try:
        return msgspec.json.decode(read_plain(path, most=LARGEST_CALIBRATION), type=Calibration)
    except FileNotFoundError:
        return Calibration()
    except (OSError, msgspec.DecodeError) as error:
        reason = why(error) if isinstance(error, OSError) else str(error)
        raise CannotCalibrate(Sentence("calibration.unreadable", file=str(path), reason=reason)) from error


class CalibrationFile:
    """That of this folder for who asks often: it is read again when it has become another one."""

    def __init__(self, state_dir: Path) -> None:
        self._state_dir = state_dir
        self._seen: object = None
        self._found: tuple[dict[str, float], Sentence | None] = {}, None

    def gains(self) -> tuple[dict[str, float], Sentence | None]:
        """By uid, and why there are none although there is a file. Never on core's loop: it may wait for the
        disk."""
        look = _look(self._state_dir / CALIBRATION_FILE)
        if look != self._seen:
            self._seen = look
            try:
                self._found = dict(load(self._state_dir).gains), None
            except CannotCalibrate as error:
                self._found = {}, sentence_of(error)
        return self._found


def _look(path: Path) -> object:
    """Equal to that of another time when the file is the same."""
    try:
        found = path.stat()
    except OSError as error:
        return error.errno
    return found.st_ino, found.st_mtime_ns, found.st_size


def save(calibration: Calibration, state_dir: Path) -> None:
    """Whole or not at all; core must be able to read what root has kept. Raises OSError."""
    content = msgspec.json.format(msgspec.json.encode(calibration), indent=1) + b"\n"
    write_private(state_dir / CALIBRATION_FILE, content)
