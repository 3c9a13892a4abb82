"""Every command of a game with its source, its press and its effect. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import msgspec

from pi_controller.game.commands import NAMES, Claim, Close, Press
from pi_controller.game.events import Action, Closed, CommandApplied, Corrected
from pi_controller.game.room import ms_left
from pi_controller.game.state import CountingDown, Frozen
from pi_controller.journal.record import decode_event
from pi_controller.protocol.game_report import Latencies, ReportedCommand
from pi_controller.replay.changes import Change

NS_PER_MS = 1_000_000
FREE_TEXTS = ("text", "label", "reason", "note")
"""Fields of commands in which people write what they like."""
_KIND = re.compile(r"[a-z_]*(?::(?:judge|moderator|technician|screen)(?=:))?")
"""What a source begins with, such as `web` or `web:judge`; the person's number stands behind it, in older
games the name."""


def commands_of(changes: Sequence[Change], *, names: bool) -> list[ReportedCommand]:
    """In their order; without `names` nothing of who it was but the role, and no free text."""
    actions = changes[-1].game.actions
    in_force = {actions[place].id for place in range(len(actions))}
    return [one for change in changes for one in _of(change, in_force, names=names)]


def latencies_of(changes: Sequence[Change]) -> list[Latencies]:
    """Of all presses, by the kind of their source."""
    pressed = sorted(
        (kind_of(action.source), _late_ms(change, action))
        for change, action in _actions(changes)
        if isinstance(action.command, Press | Claim)
    )
    return [
        _latencies(source, [late_ms for _, late_ms in found])
        for source, found in groupby(pressed, key=lambda one: one[0])
    ]


def _latencies(source: str, late_ms: Sequence[float]) -> Latencies:
    """Of at least one, in ascending order."""
    count = len(late_ms)
    return Latencies(
        source=source,
        count=count,
        p50_ms=late_ms[(count - 1) // 2],
        p99_ms=late_ms[(count - 1) * 99 // 100],
        worst_ms=late_ms[-1],
    )


def _actions(changes: Sequence[Change]) -> Iterator[tuple[Change, Action]]:
    for change in changes:
        for record in change.records:
            event = decode_event(record.kind, record.data)
            if isinstance(event, CommandApplied):
                yield change, event.action


def _of(change: Change, in_force: set[int], *, names: bool) -> Iterator[ReportedCommand]:
    for record in change.records:
        match decode_event(record.kind, record.data):
            case CommandApplied(action=action):
                body = msgspec.to_builtins(action.command)
                yield _command(change, action, body, names=names, undone=action.id not in in_force)
            case Corrected(what=what, removed=removed, put=put):
                told = {
                    "took_back": None if removed is None else NAMES[type(removed.command)],
                    "put": None if put is None else NAMES[type(put.command)],
                }
                found = _command(change, _unnamed(change), told, names=names, undone=False)
                yield msgspec.structs.replace(found, name="undo" if what == "undone" else "redo")
            case Closed():
                yield _command(change, _unnamed(change), {}, names=names, undone=False)


def _unnamed(change: Change) -> Action:
    """Of a correction and of a close the journal does not say whose they are."""
    moment = change.time.anchor_game_ns
    return Action(0, Close(confirm=True), moment, moment, "")


def _command(
    change: Change, action: Action, body: Mapping[str, object], *, names: bool, undone: bool
) -> ReportedCommand:
    state = change.game.state
    kept = {name: value for name, value in body.items() if names or name not in FREE_TEXTS}
    return ReportedCommand(
        at_ms=change.since_ns // NS_PER_MS,
        source=action.source if names else kind_of(action.source),
        name=NAMES[type(action.command)],
        body={name: value for name, value in kept.items() if value not in (None, False)},
        press_to_seen_ms=_late_ms(change, action),
        undone=undone,
        phase=state.phase,
        round=state.round,
        paused=isinstance(state.clock, Frozen | CountingDown),
        remaining_ms=0 if state.untimed else ms_left(state.remaining_ns(change.time.anchor_game_ns)),
    )


def kind_of(source: str) -> str:
    """The source without the person."""
    found = _KIND.match(source)
    return found[0] if found else ""


def _late_ms(change: Change, action: Action) -> float:
    """What the machine took, by the clock on the wall."""
    return round((action.seen_ns - action.at_ns) / NS_PER_MS / change.time.rate, 3)
