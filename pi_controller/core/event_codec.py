"""Game events as plain data for the journal, and back. Pure."""

import re
from dataclasses import fields
from typing import Any, get_args

import msgspec

from pi_controller.game.commands import Command
from pi_controller.game.events import EVENT_KINDS, Action, Event

_COMMANDS: dict[str, type] = {
    re.sub(r"(?<!^)(?=[A-Z])", "_", command.__name__).lower(): command for command in get_args(Command)
}
_NAMES = {command: name for name, command in _COMMANDS.items()}
_KINDS = {event: kind for kind, event in EVENT_KINDS.items()}


class UnknownEvent(ValueError):  # noqa: N818 - what it is, not that it is an error
    """A journal line names an event that this version does not know, or carries other fields."""


def event_data(event: Event) -> tuple[str, dict[str, Any]]:
    """Kind and data of the event's journal line; an action's command stands as `name` and `body`."""
    data = {field.name: _plain(getattr(event, field.name)) for field in fields(event)}
    return _KINDS[type(event)], data


def read_event(kind: str, data: dict[str, Any]) -> Event:
    """The event of a journal line; UnknownEvent says what is not understood."""
    expected = EVENT_KINDS.get(kind)
    if expected is None:
        raise UnknownEvent(f"journal lines of kind {kind!r} are not known to this version")
    try:
        values = {name: _action(value) if name in _ACTIONS else value for name, value in data.items()}
        event: Event = msgspec.convert(values, expected, from_attributes=True)
    except (msgspec.ValidationError, KeyError, TypeError, ValueError) as error:
        raise UnknownEvent(f"a journal line of kind {kind!r} is not understood: {error}") from error
    return event


_ACTIONS = frozenset({"action", "removed", "put"})


def _plain(value: Any) -> Any:
    if isinstance(value, Action):
        command = value.command
        return {
            "id": value.id,
            "name": _NAMES[type(command)],
            "body": msgspec.to_builtins(command),
            "at_ns": value.at_ns,
            "seen_ns": value.seen_ns,
            "source": value.source,
        }
    return msgspec.to_builtins(value)


def _action(data: dict[str, Any] | None) -> Action | None:
    if data is None:
        return None
    command = msgspec.convert(data["body"], _COMMANDS[data["name"]])
    return Action(data["id"], command, data["at_ns"], data["seen_ns"], data["source"])
