"""Game events as journal records and back. The public word has a kind of its own, for verifiers to find."""

from typing import Any

import msgspec

from pi_controller.game.commands import COMMANDS, NAMES, Command, Contribute
from pi_controller.game.events import EVENT_KINDS, Action, Corrected, Did, Event

_KINDS = {kind: name for name, kind in EVENT_KINDS.items()}


class UnknownEventError(ValueError):
    """A record that this version cannot read as an event of the game."""


def encode_event(event: Event) -> tuple[str, dict[str, Any]]:
    """Kind and data of the event's journal record."""
    if isinstance(event, Did) and isinstance(event.action.command, Contribute):
        action = _encode_action(event.action)
        return "contributed", {"text": event.action.command.text, "action": action}
    data: dict[str, Any] = msgspec.to_builtins(event)
    if isinstance(event, Did):
        data["action"] = _encode_action(event.action)
    if isinstance(event, Corrected):
        for name in ("removed", "put"):
            action = getattr(event, name)
            data[name] = None if action is None else _encode_action(action)
    return _KINDS[type(event)], data


def decode_event(kind: str, data: dict[str, Any]) -> Event | None:
    """The event of a record, or None when records of this kind are no events of the game.

    Raises `UnknownEventError` when the data do not fit the kind.
    """
    try:
        if kind in ("did", "contributed"):
            return Did(_decode_action(data["action"]))
        if kind == "corrected":
            actions = {
                name: None if data[name] is None else _decode_action(data[name])
                for name in ("removed", "put")
            }
            return Corrected(data["what"], data["index"], at_ns=data["at_ns"], **actions)
        if kind in EVENT_KINDS:
            event: Event = msgspec.convert(data, EVENT_KINDS[kind])
            return event
    except (KeyError, TypeError, msgspec.ValidationError) as fault:
        raise UnknownEventError(f"a record of kind {kind} does not fit this version: {fault}") from fault
    return None


def _encode_action(action: Action) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.to_builtins(action)
    body = msgspec.to_builtins(action.command)
    return {**data, "command": {"name": NAMES[type(action.command)], "body": body}}


def _decode_action(data: dict[str, Any]) -> Action:
    command = data["command"]
    made: Command = msgspec.convert(command["body"], COMMANDS[command["name"]])
    return Action(data["id"], made, data["at_ns"], data["seen_ns"], data["source"])
