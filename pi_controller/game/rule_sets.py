"""The rule sets as data, and what they are asked for. A further format is a new value here."""

from dataclasses import dataclass
from typing import Literal

from pi_controller.game.commands import RESOURCES, ClaimsMode, Resource, Step, check_schedule
from pi_controller.game.turn_order import AfterRobber, Seat, TurnOrder
from pi_controller.sentence import Sentence, as_told
from pi_controller.vocabulary import RolledPhase, Side, Target

FirstSide = Literal[Side, "drawn"]
"""What settings and requests may name, for the rule sets that there are."""
DRAWN = "drawn"
FIRST_SIDE: FirstSide = "sun"
"""Of Connect (rule C4)."""
TargetDraw = Literal["dice", "uniform"]
LadderStep = Literal["points", "resources", Resource, "shared"]
"""The steps of the ladder that decides between claims (rule C15); `shared` when all are equal."""
DecidedBy = Literal[LadderStep, "ranking"]
"""What decided a game; `ranking`: the best of the sheets that were collected after the last round."""

SIDE_NAMES: dict[Seat, Sentence] = {"sun": Sentence("side.sun"), "moon": Sentence("side.moon")}
"""In sentences; a seat that is not here has the name that its rule set gives it."""

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class SideSign:
    """How a seat is told from the others: always by word, shape and colour together."""

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
    """Everything that may differ between formats and evenings. Times are milliseconds of game time.

    `sides` are the seats in the order in which they act.
    """

    name: str
    version: int
    sides: tuple[tuple[Seat, SideSign], ...]
    schedule: tuple[Step, ...]
    robber_ms: int
    rounds_without_seven: int
    after_robber: AfterRobber
    allow_consecutive_sevens: bool
    robber_targets: tuple[Target, ...]
    robber_target_draw: TargetDraw
    first_side: str
    target_points: int
    start_countdown_ms: int
    resume_countdown_ms: int
    claims: ClaimsMode
    pieces: Pieces
    points: Points
    tie_break: tuple[LadderStep, ...]

    def __post_init__(self) -> None:
        check_schedule(self.schedule)
        if self.first_side not in (*self.seats, DRAWN):
            raise ValueError(f"first_side must be one of {', '.join((*self.seats, DRAWN))}")

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The ids of those who act, in their order."""
        return tuple([seat for seat, _ in self.sides])

    @property
    def winners_have_boards(self) -> bool:
        """From version 2 on; games that were armed before keep to what they were played by."""
        return self.version > 1

    @property
    def claims_are_passed(self) -> bool:
        """Play that goes on over open claims passes them, from version 2 on as well; before, they came back
        at the next pause."""
        return self.version > 1

    @property
    def collects_sheets(self) -> bool:
        """An announced last round is followed by a phase in which sheets are entered and ranked, from version
        2 on as well; before, the game ended with it."""
        return self.version > 1

    @property
    def order(self) -> TurnOrder:
        """Who acts when, and which phase a roll begins."""
        return TurnOrder(self.seats, self.after_robber)

    def phase_ns(self, phase: RolledPhase, round_no: int, schedule: tuple[Step, ...]) -> int:
        """Length of this phase in nanoseconds; rounds last as the schedule in force says."""
        return self.robber_ms * NS_PER_MS if phase == "robber" else round_ns(schedule, round_no)

    def side_name(self, seat: Seat) -> Sentence:
        """The seat's word for sentences."""
        return SIDE_NAMES.get(seat) or as_told(dict(self.sides)[seat].name)


CONNECT = RuleSet(
    name="connect",
    version=2,
    sides=(("sun", SideSign("Sun", "sun", "amber")), ("moon", SideSign("Moon", "moon", "blue"))),
    schedule=(Step(1, 35), Step(11, 45)),
    robber_ms=12_000,
    rounds_without_seven=10,
    after_robber="due_side",
    allow_consecutive_sevens=True,
    robber_targets=(2, 3, 4, 5, 6, "desert", 8, 9, 10, 11, 12),
    robber_target_draw="dice",
    first_side=FIRST_SIDE,
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
