"""What nodes were told of the claims made on them, at each change of a game. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pi_controller.bus.values import NodeClaimStatus
from pi_controller.core.tables.claims import (
    BEFORE_GAME,
    PREFIX,
    UNKNOWN_TIME,
    claim_of,
    refused_as,
    status_of,
)
from pi_controller.game.commands import Claim
from pi_controller.game.events import CommandApplied
from pi_controller.game.room import Room, room
from pi_controller.journal.record import Record, decode_event
from pi_controller.language.words import words
from pi_controller.replay.changes import ReplayedChange
from pi_controller.vocabulary import SIDES, Side

Place = tuple[str, Side]
"""A board, and the side of it at which a player sits."""
BoardOf = Callable[[str], str]
"""The board at which the node with this unique id stood."""
NEVER = tuple(words(sentence) for sentence in (BEFORE_GAME, UNKNOWN_TIME))
"""Answers to what was not even put to the game, in English as every journal has them."""
WITHDRAWAL = "/withdraw"


@dataclass(frozen=True, slots=True)
class ToldClaim:
    """A node's newest claim, and what it is told of it."""

    key: str
    status: NodeClaimStatus


@dataclass(frozen=True, slots=True)
class _Heard:
    """The newest claim of a place; `record` is its id in the game, without one it was `refused`."""

    key: str
    record: str | None = None
    refused: NodeClaimStatus = "wait"


def told_at(changes: Sequence[ReplayedChange], board_of: BoardOf) -> Iterator[Mapping[Place, ToldClaim]]:
    """For each change what stands at the places where somebody has claimed. Where a claim was refused the
    journal does not say at which board: `board_of` does."""
    heard: dict[Place, _Heard] = {}
    for change in changes:
        for record in change.records:
            if record.kind == "answered" and _is_claim(record.data["key"]):
                place, newest = _heard(record, change, board_of)
                heard[place] = newest
        shown = _room(change) if heard else None
        yield (
            {}
            if shown is None
            else {place: ToldClaim(one.key, _status(one, shown)) for place, one in heard.items()}
        )


def _is_claim(key: str) -> bool:
    return key.startswith(PREFIX) and not key.endswith(WITHDRAWAL)


def _heard(answered: Record, change: ReplayedChange, board_of: BoardOf) -> tuple[Place, _Heard]:
    key, shown = answered.data["key"], _room(change)
    _, uid, _, name, *_ = key.split("/")
    index = next((place for place, side in enumerate(SIDES) if side == name), 0)
    if not answered.data["accepted"]:
        never = any(reason in NEVER for reason in answered.data["reasons"])
        return (board_of(uid), SIDES[index]), _Heard(key, refused=refused_as(shown, never=never))
    board = next(_claimed(change.records), board_of(uid))
    record = claim_of(shown, board, change.game.rules.seats[index])
    return (board, SIDES[index]), _Heard(key, None if record is None else record.id, "withdrawn")


def _room(change: ReplayedChange) -> Room:
    return room(change.game, change.time.game_ns(change.boot_ns))


def _claimed(records: Sequence[Record]) -> Iterator[str]:
    """The boards of the claims among these lines of one change."""
    for record in records:
        event = decode_event(record.kind, record.data)
        if isinstance(event, CommandApplied) and isinstance(event.action.command, Claim):
            yield event.action.command.board or ""


def _status(heard: _Heard, shown: Room) -> NodeClaimStatus:
    if heard.record is None:
        return heard.refused
    return status_of(next((one for one in shown.claims if one.id == heard.record), None), shown)
