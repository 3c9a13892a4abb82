"""A command's name and JSON body become one of the game's commands, or one sentence on what is wrong."""

from typing import Any

import msgspec

from pi_controller.game.commands import Command, SetSchedule, Undo
from pi_controller.protocol.bodies import (
    BODIES,
    NOT_A_REPLACEMENT,
    SCHEDULE,
    Arm,
    Body,
    Identify,
    UndoBody,
)
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.strict_json import check_values, shown
from pi_controller.protocol.wording import explain

__all__ = ["Arm", "Identify", "parse_command"]


def parse_command(name: str, body: object) -> Command | Arm | Identify:
    """`body` is a decoded JSON value, None standing for an empty one; Malformed says what is wrong."""
    if name not in BODIES:
        raise Malformed(f"{shown(name)} is not a command; the commands are {', '.join(BODIES)}")
    try:
        check_values(body)
        return _read(name, body)
    except Malformed as error:
        raise Malformed(f"{name}: {error}") from error


def _read(name: str, body: object) -> Command | Arm | Identify:
    expected = BODIES[name]
    if body is None and expected is not SCHEDULE:
        body = {}
    try:
        found = msgspec.convert(body, expected, strict=True)
    except msgspec.ValidationError as error:
        raise Malformed(explain(error, body, expected)) from error
    if isinstance(found, tuple):
        return _schedule(found)
    if isinstance(found, UndoBody):
        return _undo(found)
    command: Command | Arm | Identify = found.build()
    return command


def _schedule(steps: tuple[Body, ...]) -> SetSchedule:
    try:
        return SetSchedule(tuple(step.build() for step in steps))
    except ValueError as error:
        raise Malformed(str(error)) from error


def _undo(body: UndoBody) -> Undo:
    if body.replace is None:
        return Undo()
    if body.replace.name in NOT_A_REPLACEMENT:
        raise Malformed(f"`replace.name`: {body.replace.name} cannot stand in for another command")
    try:
        replacement: Any = parse_command(body.replace.name, body.replace.body)
    except Malformed as error:
        raise Malformed(f"`replace`: {error}") from error
    return Undo(replace=replacement)
