"""What people ask of the hall's clock. The constructors check ranges: a wrong value is a ValueError."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

from pi_controller.game.turn_order import Seat
from pi_controller.vocabulary import HoldReason

ClaimsMode = Literal["ask", "pause"]
"""What a claim from a table does: tell the director, or pause at once."""

Resource = Literal["grain", "ore", "brick", "lumber", "wool"]
RESOURCES: tuple[Resource, ...] = get_args(Resource)
"""Tie-break order (rule C15)."""

LONGEST_TEXT = 200
LONGEST_PHASE_S = 3600
LONGEST_ADD_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class Step:
    """From this round on a round lasts so long."""

    from_round: int
    seconds: float

    def __post_init__(self) -> None:
        if self.from_round < 1:
            raise ValueError(f"from_round must be 1 or more, not {self.from_round}")
        if not 1 <= self.seconds <= LONGEST_PHASE_S:
            raise ValueError(f"seconds must be from 1 to {LONGEST_PHASE_S}, not {self.seconds}")


@dataclass(frozen=True, slots=True)
class Contribute:
    """The hall's public word, mixed into every roll; only before the start (`public_word`)."""

    text: str

    def __post_init__(self) -> None:
        if not self.text.strip() or len(self.text) > LONGEST_TEXT:
            raise ValueError(f"text must be 1 to {LONGEST_TEXT} characters, and not only spaces")


@dataclass(frozen=True, slots=True)
class Start:
    """3-2-1, then round 1; `override` starts although the controller's computer is not in order."""

    override: bool = False


@dataclass(frozen=True, slots=True)
class Pause:
    """Freeze the clock for this reason."""

    reason: HoldReason = "director"


@dataclass(frozen=True, slots=True)
class Press:
    """The big button: freezes play for a claim whose board is not known yet."""


@dataclass(frozen=True, slots=True)
class Resume:
    """3-2-1, then go on with exactly the time that was left; `override` goes on although a claim is open."""

    override: bool = False


@dataclass(frozen=True, slots=True)
class Skip:
    """End the phase now."""


@dataclass(frozen=True, slots=True)
class AddTime:
    """Change the remaining time of the phase by so many milliseconds, never below 0."""

    ms: int

    def __post_init__(self) -> None:
        if abs(self.ms) > LONGEST_ADD_MS:
            raise ValueError(f"ms must be from {-LONGEST_ADD_MS} to {LONGEST_ADD_MS}, not {self.ms}")


@dataclass(frozen=True, slots=True)
class SetSchedule:
    """Other round lengths, from the next round on."""

    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        check_schedule(self.steps)


@dataclass(frozen=True, slots=True)
class Claim:
    """Somebody at this board and side claims the victory; without board and side: the big button's press."""

    board: str | None = None
    side: Seat | None = None
    button: Literal["well", "faulty"] | None = None
    """Made with a table's own button: while the claim is open, a further press only adds to its count. One
    that is faulty never pauses by itself."""

    def __post_init__(self) -> None:
        if self.board is not None and (not 1 <= len(self.board) <= 24 or not self.board.isprintable()):
            raise ValueError("board must be 1 to 24 printable characters")


@dataclass(frozen=True, slots=True)
class SetClaims:
    """What a claim from a table does from now on: tell the director, or pause at once."""

    mode: ClaimsMode

    def __post_init__(self) -> None:
        if self.mode not in get_args(ClaimsMode):
            raise ValueError(f"mode must be ask or pause, not {self.mode}")


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Take an open claim back."""

    claim: str


@dataclass(frozen=True, slots=True)
class Resources:
    """Cards in hand; only counted to break a tie."""

    grain: int = 0
    ore: int = 0
    brick: int = 0
    lumber: int = 0
    wool: int = 0

    def __post_init__(self) -> None:
        for name in RESOURCES:
            if not 0 <= getattr(self, name) <= 999:
                raise ValueError(f"{name} must be from 0 to 999, not {getattr(self, name)}")

    @property
    def total(self) -> int:
        return sum(getattr(self, name) for name in RESOURCES)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A claim sheet as filled in by the judge (rule C16); counts on the table, not points."""

    settlements: int
    cities: int
    foreign_left: bool = False
    foreign_right: bool = False
    victory_cards: int = 0
    largest_army: bool = False
    longest_route: bool = False
    resources: Resources = Resources()

    def __post_init__(self) -> None:
        for name in ("settlements", "cities", "victory_cards"):
            if not 0 <= getattr(self, name) <= 99:
                raise ValueError(f"{name} must be from 0 to 99, not {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judge's answer to a claim: a plain yes or no, or a sheet that is counted."""

    claim: str
    confirmed: bool | None = None
    sheet: Sheet | None = None

    def __post_init__(self) -> None:
        if (self.confirmed is None) == (self.sheet is None):
            raise ValueError("a verdict is either `confirmed` or a `sheet`, not both and not neither")


@dataclass(frozen=True, slots=True)
class LastRounds:
    """Announce the end: so many rounds come after the present one."""

    count: int

    def __post_init__(self) -> None:
        if not 0 <= self.count <= 99:
            raise ValueError(f"count must be from 0 to 99, not {self.count}")


@dataclass(frozen=True, slots=True)
class End:
    """End the game; `confirm` is the second step."""

    confirm: bool


@dataclass(frozen=True, slots=True)
class Say:
    """The director's line on all screens; an empty text dismisses it."""

    text: str
    seconds: float | None = None

    def __post_init__(self) -> None:
        if len(self.text) > LONGEST_TEXT or (self.text and not self.text.isprintable()):
            raise ValueError(f"text must be at most {LONGEST_TEXT} printable characters")
        if self.seconds is not None and not 1 <= self.seconds <= LONGEST_PHASE_S:
            raise ValueError(f"seconds must be from 1 to {LONGEST_PHASE_S}, not {self.seconds}")


@dataclass(frozen=True, slots=True)
class Timer:
    """A free countdown (doors, break) outside rounds; `stop` takes it away."""

    label: str = ""
    seconds: float | None = None
    stop: bool = False

    def __post_init__(self) -> None:
        if self.stop == (self.seconds is not None):
            raise ValueError("a timer takes either `seconds` or `stop`: true")
        if self.seconds is not None and not 1 <= self.seconds <= 24 * 3600:
            raise ValueError(f"seconds must be from 1 to {24 * 3600}, not {self.seconds}")
        if len(self.label) > 60 or (self.label and not self.label.isprintable()):
            raise ValueError("label must be at most 60 printable characters")


@dataclass(frozen=True, slots=True)
class Undo:
    """Take the last director's action back, as if `replace` had been done at that moment."""

    replace: "Command | None" = None


@dataclass(frozen=True, slots=True)
class Redo:
    """Do again what the last undo took back."""


Command = (
    Contribute
    | Start
    | Pause
    | Press
    | Resume
    | Skip
    | AddTime
    | SetSchedule
    | SetClaims
    | Claim
    | Withdraw
    | Verdict
    | LastRounds
    | End
    | Say
    | Timer
    | Undo
    | Redo
)


def check_schedule(steps: tuple[Step, ...]) -> None:
    """A schedule starts with round 1 and its rounds ascend; otherwise a ValueError says where it does not."""
    if not steps or steps[0].from_round != 1:
        raise ValueError("a schedule must begin with from_round 1")
    for before, after in pairwise(steps):
        if after.from_round <= before.from_round:
            raise ValueError(f"from_round {after.from_round} must be greater than {before.from_round}")


UNDOABLE = (
    Start,
    Pause,
    Press,
    Resume,
    Skip,
    AddTime,
    SetSchedule,
    SetClaims,
    Claim,
    Withdraw,
    Verdict,
    LastRounds,
    End,
)
"""What `undo` takes back when the director did it."""

COMMANDS: dict[str, type] = {
    "contribute": Contribute,
    "start": Start,
    "pause": Pause,
    "press": Press,
    "resume": Resume,
    "skip": Skip,
    "add_time": AddTime,
    "set_schedule": SetSchedule,
    "set_claims": SetClaims,
    "claim": Claim,
    "withdraw": Withdraw,
    "verdict": Verdict,
    "last_rounds": LastRounds,
    "end": End,
    "say": Say,
    "timer": Timer,
    "undo": Undo,
    "redo": Redo,
}
"""Every command by its name in the journal and in requests."""

NAMES = {kind: name for name, kind in COMMANDS.items()}
