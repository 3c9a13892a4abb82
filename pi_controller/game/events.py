"""What happened: the journal's vocabulary. Times are nanoseconds of game time; all fields are plain data."""

from dataclasses import dataclass
from typing import Literal

from pi_controller.game.commands import Command, Side
from pi_controller.game.rule_sets import Target
from pi_controller.game.state import EndedBy


@dataclass(frozen=True, slots=True)
class Action:
    """One accepted command in the list that the game is folded from.

    `at_ns` is the moment of its cause (the first contact of a button), `seen_ns` when the game took it in.
    """

    id: int
    command: Command
    at_ns: int
    seen_ns: int
    source: str


@dataclass(frozen=True, slots=True)
class Did:
    """A command was accepted and had an effect."""

    action: Action


@dataclass(frozen=True, slots=True)
class Corrected:
    """The list of actions was changed at `at_ns`: the action at `index` went, `put` came in its place."""

    what: Literal["undone", "redone"]
    index: int
    removed: Action | None
    put: Action | None
    at_ns: int


@dataclass(frozen=True, slots=True)
class Turned:
    """A phase began with this roll; `due_round` and `draw` name the roll in the derivation of the dice."""

    phase: Literal["round", "robber"]
    round: int
    due_round: int
    side: Side | None
    dice: tuple[int, int]
    draw: int
    robber_target: Target | None
    robber_dice: tuple[int, int] | None
    began_ns: int
    duration_ns: int


@dataclass(frozen=True, slots=True)
class WentOn:
    """The 3-2-1 was over and the countdown runs again."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The game ended."""

    at_ns: int
    by: EndedBy
    winners: tuple[str, ...]
    decided_by: str | None


Event = Did | Corrected | Turned | WentOn | Ended

EVENT_KINDS: dict[str, type[Event]] = {
    "did": Did,
    "corrected": Corrected,
    "turned": Turned,
    "went_on": WentOn,
    "ended": Ended,
}
