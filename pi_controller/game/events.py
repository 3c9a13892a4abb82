"""What happened: the journal's vocabulary. Times are nanoseconds of game time; all fields are plain data."""

from typing import Literal

import msgspec

from pi_controller.game.commands import Command
from pi_controller.game.state import EndedBy
from pi_controller.game.turn_order import Seat
from pi_controller.vocabulary import RollKind, SeatPhase, Target


class Action(msgspec.Struct, frozen=True):
    """One accepted command in the list that the game is folded from.

    `at_ns` is the moment of its cause (the first contact of a button), `seen_ns` when the game took it in.
    """

    id: int
    command: Command
    at_ns: int
    seen_ns: int
    source: str


class CommandApplied(msgspec.Struct, frozen=True):
    """A command was accepted and had an effect."""

    action: Action


class Corrected(msgspec.Struct, frozen=True):
    """The list of actions was changed at `at_ns`: the action at `index` went, `put` came in its place."""

    what: Literal["undone", "redone"]
    index: int
    removed: Action | None
    put: Action | None
    at_ns: int


class PhaseBegan(msgspec.Struct, frozen=True):
    """A phase began with this roll; `due_round` and `draw` name the roll in the derivation of the dice."""

    phase: RollKind
    round: int
    due_round: int
    side: Seat | None
    dice: tuple[int, int]
    draw: int
    robber_target: Target | None
    robber_dice: tuple[int, int] | None
    began_ns: int
    duration_ns: int


class SeatBegan(msgspec.Struct, frozen=True):
    """A founding or a turn began, before its dice; `seat` None: all others may build."""

    phase: SeatPhase
    round: int
    seat: Seat | None
    began_ns: int
    duration_ns: int


class Resumed(msgspec.Struct, frozen=True):
    """The 3-2-1 was over and the countdown runs again."""

    at_ns: int


class Collecting(msgspec.Struct, frozen=True):
    """The announced last round is over; sheets are entered from here on."""

    at_ns: int


class Ended(msgspec.Struct, frozen=True):
    """The game ended."""

    at_ns: int
    by: EndedBy
    winners: tuple[str, ...]
    decided_by: str | None


class Closed(msgspec.Struct, frozen=True):
    """The game was closed: its seed, 64 hexadecimal digits, is public from here on. Earlier releases
    published it with each end."""

    seed: str


Event = CommandApplied | Corrected | PhaseBegan | SeatBegan | Resumed | Collecting | Ended | Closed

EVENT_KINDS: dict[str, type[Event]] = {
    "did": CommandApplied,
    "corrected": Corrected,
    "turned": PhaseBegan,
    "acts": SeatBegan,
    "went_on": Resumed,
    "collecting": Collecting,
    "ended": Ended,
    "seed": Closed,
}
