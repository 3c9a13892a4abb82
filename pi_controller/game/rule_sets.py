"""The rule sets as data, and questions to them. A further format is a new value here."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from msgspec import Meta, Struct

from pi_controller.game.commands import RESOURCES, ClaimsMode, Resource, Step, WrongValue, check_schedule
from pi_controller.game.turn_order import DRAWN, HIGHEST, AfterSeven, Seat, TurnOrder
from pi_controller.sentence import Sentence, as_told
from pi_controller.vocabulary import FEWEST_SEATS, MOST_SEATS, RollKind, SeatPhase, Side, Target

FirstSide = Literal[Side, "drawn"]
"""What the settings of Connect may name."""
Colour = Literal["red", "blue", "white", "orange", "green", "brown"]
"""Colours of the base game's pieces, which name its seats."""
SeatId = Literal[Side, Colour]
FirstSeat = Literal[FirstSide, "highest", Colour]
"""What a request may name, for the rule sets that there are."""
FIRST_SIDE: FirstSide = "sun"
"""Of Connect (rule C4)."""
TargetDraw = Literal["dice", "uniform"]
LadderStep = Literal["points", "resources", Resource, "shared"]
"""The steps of the ladder that decides between claims (rule C15); `shared` when all are equal."""
Play = Literal["rounds", "turns"]
"""Who ends a phase: the clock for all, or the seat whose turn it is, by its button."""
DecidedBy = Literal[LadderStep, "ranking"]
"""What decided a game; `ranking`: the best of the sheets that were collected after the last round."""

SIDE_NAMES: dict[Seat, Sentence] = {
    "sun": Sentence("side.sun"),
    "moon": Sentence("side.moon"),
    "red": Sentence("seat.red"),
    "blue": Sentence("seat.blue"),
    "white": Sentence("seat.white"),
    "orange": Sentence("seat.orange"),
    "green": Sentence("seat.green"),
    "brown": Sentence("seat.brown"),
}
"""In sentences; a seat that is not here has the name that its rule set gives it."""

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000
UNTIMED_NS = 24 * 3600 * NS_PER_S
"""Duration used for a phase without a time limit: one day."""


@dataclass(frozen=True, slots=True)
class SideSign:
    """How a seat is distinguished: by word, shape and colour together."""

    name: str
    symbol: str
    colour: str


@dataclass(frozen=True, slots=True)
class Pieces:
    """Pieces of one player (rule C17)."""

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


class RulesView(Struct, kw_only=True):
    """What pages need of the rule set: who ends a phase, and what a claim sheet may hold."""

    play: Play
    settlements: Annotated[int, Meta(ge=0)]
    cities: Annotated[int, Meta(ge=0)]
    roads: Annotated[int, Meta(ge=0)]
    foreign_bonus: bool
    """Whether there is foreign territory to settle."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Everything that may differ between formats and evenings. Times are milliseconds of game time.

    `sides` are the seats in the order in which they act. A `schedule` of `turns` without a step is no limit.
    """

    name: str
    version: int
    sides: tuple[tuple[Seat, SideSign], ...]
    schedule: tuple[Step, ...]
    robber_ms: int
    rounds_without_seven: int
    after_robber: AfterSeven
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
    play: Play = "rounds"
    building_ms: int = 0
    """Of `turns`: after each of them all others may build for so long (5 to 6 players); 0: never."""

    def __post_init__(self) -> None:
        if self.schedule or self.play == "rounds":
            check_schedule(self.schedule)
        first = (*self.seats, DRAWN, HIGHEST) if self.play == "turns" else (*self.seats, DRAWN)
        if self.first_side not in first:
            raise WrongValue(Sentence("range.first_side", given=self.first_side, known=", ".join(first)))

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The ids of the seats, in order."""
        return tuple([seat for seat, _ in self.sides])

    @property
    def may_sit(self) -> tuple[tuple[Seat, SideSign], ...]:
        """All seats that these rules know, whoever plays this time."""
        return CLASSIC_SEATS if self.play == "turns" else self.sides

    @property
    def winners_have_boards(self) -> bool:
        """From version 2 on; earlier games keep their rules. One table is no board of a hall."""
        return self.play == "rounds" and self.version > 1

    @property
    def claims_are_passed(self) -> bool:
        """`resume` with override passes open claims, from version 2 on; before, they came back at the next
        pause."""
        return self.play == "turns" or self.version > 1

    @property
    def one_sheet_each(self) -> bool:
        """A ranking has one sheet of each board and side; the first version of Connect took more."""
        return self.play == "turns" or self.version > 1

    @property
    def collects_sheets(self) -> bool:
        """An announced last round is followed by a phase in which sheets are entered and ranked, from version
        2 on as well; before, the game ended with it."""
        return self.play == "rounds" and self.version > 1

    @property
    def by_lot(self) -> bool:
        """True if the first seat is drawn or rolled for at the start."""
        return self.first_side in (DRAWN, HIGHEST)

    @property
    def order(self) -> TurnOrder:
        """Who acts when, and which phase a roll begins."""
        return TurnOrder(self.seats, self.after_robber)

    def phase_ns(self, phase: RollKind | SeatPhase, round_no: int, schedule: tuple[Step, ...]) -> int:
        """Length of this phase in nanoseconds; rounds and turns last as the schedule in force says."""
        if phase == "founding" or not schedule:
            return UNTIMED_NS
        return self.robber_ms * NS_PER_MS if phase == "robber" else round_ns(schedule, round_no)

    @property
    def view(self) -> RulesView:
        """For the picture."""
        return RulesView(
            play=self.play,
            settlements=self.pieces.settlements,
            cities=self.pieces.cities,
            roads=self.pieces.roads,
            foreign_bonus=self.points.foreign_direction > 0,
        )

    def side_name(self, seat: Seat) -> Sentence:
        """The seat's word for sentences."""
        return seat_word(seat, dict(self.sides)[seat].name)


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

CLASSIC_SEATS: tuple[tuple[Seat, SideSign], ...] = (
    ("red", SideSign("Red", "square", "red")),
    ("blue", SideSign("Blue", "circle", "blue")),
    ("white", SideSign("White", "diamond", "white")),
    ("orange", SideSign("Orange", "triangle", "orange")),
    ("green", SideSign("Green", "star", "green")),
    ("brown", SideSign("Brown", "cross", "brown")),
)
"""In the order in which they sit."""

CLASSIC = RuleSet(
    name="classic",
    version=1,
    sides=CLASSIC_SEATS[:4],
    schedule=(),
    robber_ms=0,
    rounds_without_seven=0,
    after_robber="no_phase",
    allow_consecutive_sevens=True,
    robber_targets=CONNECT.robber_targets,
    robber_target_draw="dice",
    first_side=HIGHEST,
    target_points=10,
    start_countdown_ms=0,
    resume_countdown_ms=3_000,
    claims="pause",
    pieces=Pieces(settlements=5, cities=4, roads=15),
    points=Points(foreign_direction=0),
    tie_break=("points",),
    play="turns",
)
"""The base game at one table (rules K1 to K6)."""


def seat_word(seat: Seat, name: str) -> Sentence:
    """The seat's given name, otherwise the word for its id."""
    usual = dict(CLASSIC_SEATS).get(seat)
    given = usual is not None and name != usual.name
    return as_told(name) if given or seat not in SIDE_NAMES else SIDE_NAMES[seat]


def seated(rules: RuleSet, seats: Sequence[tuple[Seat, str]]) -> RuleSet:
    """These rules for these seats, by id and name in order; an empty name keeps the seat's own. Raises
    WrongValue if seats are impossible."""
    known = dict(CLASSIC_SEATS)
    ids = [seat for seat, _ in seats]
    if not FEWEST_SEATS <= len(ids) <= MOST_SEATS or len(set(ids)) < len(ids) or not known.keys() >= set(ids):
        said = Sentence("range.seats", least=FEWEST_SEATS, most=MOST_SEATS, known=", ".join(known))
        raise WrongValue(said)
    signs = [(seat, replace(known[seat], name=name or known[seat].name)) for seat, name in seats]
    return replace(rules, sides=tuple(signs))


RULE_SETS = {CONNECT.name: CONNECT, CLASSIC.name: CLASSIC}


def round_ns(schedule: tuple[Step, ...], round_no: int) -> int:
    """Length of this round in nanoseconds: that of the last step that begins at or before it."""
    return [step_ms(step) for step in schedule if step.from_round <= round_no][-1] * NS_PER_MS


def step_ms(step: Step) -> int:
    """Its rounds in whole milliseconds."""
    return round(step.seconds * 1000)
