"""The rule sets as data. A further format is a new value here, not new code."""

from dataclasses import dataclass
from typing import Literal

from pi_controller.game.commands import RESOURCES, ClaimsMode, Step, check_schedule
from pi_controller.vocabulary import Side, Target

FirstSide = Literal[Side, "drawn"]
AfterRobber = Literal["due_side", "other_side"]
TargetDraw = Literal["dice", "uniform"]

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class SideSign:
    """How a side is told from the other: always by word, shape and colour together."""

    name: str
    symbol: str
    colour: str


@dataclass(frozen=True, slots=True)
class Pieces:
    """What one player has to build with (rule C17)."""

    settlements: int
    cities: int
    roads: int


@dataclass(frozen=True, slots=True)
class Points:
    """What a claim sheet's entries are worth (rule C16)."""

    settlement: int = 1
    city: int = 2
    foreign_direction: int = 2
    victory_card: int = 1
    largest_army: int = 2
    longest_route: int = 2


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Everything that may differ between formats and evenings. Times are milliseconds of game time."""

    name: str
    version: int
    sides: tuple[tuple[Side, SideSign], ...]
    schedule: tuple[Step, ...]
    robber_ms: int
    rounds_without_seven: int
    after_robber: AfterRobber
    allow_consecutive_sevens: bool
    robber_targets: tuple[Target, ...]
    robber_target_draw: TargetDraw
    first_side: FirstSide
    target_points: int
    start_countdown_ms: int
    resume_countdown_ms: int
    claims: ClaimsMode
    pieces: Pieces
    points: Points
    tie_break: tuple[str, ...]

    def __post_init__(self) -> None:
        check_schedule(self.schedule)

    def other_side(self, side: Side) -> Side:
        """The side that is not this one."""
        first, second = (name for name, _ in self.sides)
        return second if side == first else first

    def side_name(self, side: Side) -> str:
        """The side's word for sentences."""
        return dict(self.sides)[side].name


CONNECT = RuleSet(
    name="connect",
    version=1,
    sides=(("sun", SideSign("Sun", "sun", "amber")), ("moon", SideSign("Moon", "moon", "blue"))),
    schedule=(Step(1, 35), Step(11, 45)),
    robber_ms=12_000,
    rounds_without_seven=10,
    after_robber="due_side",
    allow_consecutive_sevens=True,
    robber_targets=(2, 3, 4, 5, 6, "desert", 8, 9, 10, 11, 12),
    robber_target_draw="dice",
    first_side="sun",
    target_points=18,
    start_countdown_ms=3_000,
    resume_countdown_ms=3_000,
    claims="ask",
    pieces=Pieces(settlements=5, cities=5, roads=18),
    points=Points(),
    tie_break=("points", "resources", *RESOURCES),
)

RULE_SETS = {CONNECT.name: CONNECT}


def round_ns(schedule: tuple[Step, ...], round_no: int) -> int:
    """Length of this round in nanoseconds: that of the last step that begins at or before it."""
    return [step_ms(step) for step in schedule if step.from_round <= round_no][-1] * NS_PER_MS


def step_ms(step: Step) -> int:
    """Its rounds in whole milliseconds."""
    return round(step.seconds * 1000)
