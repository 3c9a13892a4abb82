"""The bodies of all commands, typed. Shapes stand here, ranges in `game.commands`: each body builds its
command while it is read, so that a ValueError comes with its place in the body."""

from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta, Struct, field

from pi_controller.game import commands
from pi_controller.game.commands import ClaimsMode, Step
from pi_controller.game.rule_sets import FirstSide
from pi_controller.vocabulary import Side

LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Arm:
    """A new game in `ready`; what is None comes from the settings. Core makes it, no game decides on it."""

    rule_set: str | None = None
    first_side: FirstSide | None = None
    schedule: tuple[Step, ...] | None = None

    def __post_init__(self) -> None:
        if self.rule_set is not None and not 1 <= len(self.rule_set) <= LONGEST_NAME:
            raise ValueError(f"rule_set must be 1 to {LONGEST_NAME} characters")
        if self.schedule is not None:
            commands.check_schedule(self.schedule)


@dataclass(frozen=True, slots=True)
class Identify:
    """That screen or table shows its name; no game is touched."""

    screen: str | None = None
    board: str | None = None

    def __post_init__(self) -> None:
        if (self.screen is None) == (self.board is None):
            raise ValueError("identify takes either `screen` or `board`")
        name = self.screen if self.board is None else self.board
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise ValueError(f"a screen or board has a name of 1 to {LONGEST_NAME} printable characters")


class _Body(Struct, forbid_unknown_fields=True, kw_only=True):
    def __post_init__(self) -> None:
        self.build()

    def build(self) -> Any:
        """The command; ValueError when a value is out of its range."""
        raise NotImplementedError


class StepBody(_Body):
    from_round: int
    seconds: float

    def build(self) -> Step:
        return Step(self.from_round, self.seconds)


class ArmBody(_Body):
    rule_set: str | None = None
    first_side: FirstSide | None = None
    schedule: tuple[StepBody, ...] | None = None

    def build(self) -> Arm:
        steps = None if self.schedule is None else tuple(step.build() for step in self.schedule)
        return Arm(self.rule_set, self.first_side, steps)


class IdentifyBody(_Body):
    screen: str | None = None
    board: str | None = None

    def build(self) -> Identify:
        return Identify(self.screen, self.board)


class ContributeBody(_Body):
    text: str

    def build(self) -> commands.Contribute:
        return commands.Contribute(self.text)


class StartBody(_Body):
    override: bool = False

    def build(self) -> commands.Start:
        return commands.Start(self.override)


class PauseBody(_Body):
    def build(self) -> commands.Pause:
        return commands.Pause("director")


class ResumeBody(_Body):
    override: bool = False

    def build(self) -> commands.Resume:
        return commands.Resume(self.override)


class SkipBody(_Body):
    def build(self) -> commands.Skip:
        return commands.Skip()


class AddTimeBody(_Body):
    ms: int

    def build(self) -> commands.AddTime:
        return commands.AddTime(self.ms)


class SetClaimsBody(_Body):
    mode: ClaimsMode

    def build(self) -> commands.SetClaims:
        return commands.SetClaims(self.mode)


class ClaimBody(_Body):
    board: str | None = None
    side: Side | None = None

    def build(self) -> commands.Claim:
        return commands.Claim(self.board, self.side)


class WithdrawBody(_Body):
    claim: str

    def build(self) -> commands.Withdraw:
        return commands.Withdraw(self.claim)


class ResourcesBody(_Body):
    grain: int = 0
    ore: int = 0
    brick: int = 0
    lumber: int = 0
    wool: int = 0

    def build(self) -> commands.Resources:
        return commands.Resources(self.grain, self.ore, self.brick, self.lumber, self.wool)


class SheetBody(_Body):
    settlements: int
    cities: int
    foreign_left: bool = False
    foreign_right: bool = False
    victory_cards: int = 0
    largest_army: bool = False
    longest_route: bool = False
    resources: ResourcesBody = field(default_factory=ResourcesBody)

    def build(self) -> commands.Sheet:
        return commands.Sheet(
            settlements=self.settlements,
            cities=self.cities,
            foreign_left=self.foreign_left,
            foreign_right=self.foreign_right,
            victory_cards=self.victory_cards,
            largest_army=self.largest_army,
            longest_route=self.longest_route,
            resources=self.resources.build(),
        )


class VerdictBody(_Body):
    claim: str
    confirmed: bool | None = None
    sheet: SheetBody | None = None

    def build(self) -> commands.Verdict:
        sheet = None if self.sheet is None else self.sheet.build()
        return commands.Verdict(self.claim, self.confirmed, sheet)


class LastRoundsBody(_Body):
    count: int

    def build(self) -> commands.LastRounds:
        return commands.LastRounds(self.count)


class EndBody(_Body):
    confirm: Annotated[bool, Meta(extra_json_schema={"const": True})]

    def build(self) -> commands.End:
        if not self.confirm:
            raise ValueError("confirm must be true: ending the game takes two steps")
        return commands.End(self.confirm)


class SayBody(_Body):
    text: str
    seconds: float | None = None

    def build(self) -> commands.Say:
        return commands.Say(self.text, self.seconds)


class TimerBody(_Body):
    label: str = ""
    seconds: float | None = None
    stop: bool = False

    def build(self) -> commands.Timer:
        return commands.Timer(self.label, self.seconds, self.stop)


class ReplaceBody(Struct, forbid_unknown_fields=True, kw_only=True):
    name: str
    body: Any = None


class UndoBody(_Body):
    """The replacement is read by `commands.parse_command`, which knows the other bodies."""

    replace: ReplaceBody | None = None

    def build(self) -> commands.Undo:
        return commands.Undo()


class RedoBody(_Body):
    def build(self) -> commands.Redo:
        return commands.Redo()


Schedule = tuple[StepBody, ...]

BODIES: dict[str, Any] = {
    "arm": ArmBody,
    "contribute": ContributeBody,
    "start": StartBody,
    "pause": PauseBody,
    "resume": ResumeBody,
    "add_time": AddTimeBody,
    "set_schedule": Schedule,
    "set_claims": SetClaimsBody,
    "skip": SkipBody,
    "undo": UndoBody,
    "redo": RedoBody,
    "claim": ClaimBody,
    "withdraw": WithdrawBody,
    "verdict": VerdictBody,
    "last_rounds": LastRoundsBody,
    "end": EndBody,
    "say": SayBody,
    "timer": TimerBody,
    "identify": IdentifyBody,
}
"""Every command that may come from outside, in the order of the published table."""

NOT_A_REPLACEMENT = frozenset({"undo", "redo", "arm", "say", "timer", "identify", "contribute"})
"""They change no game, or must not be smuggled in behind a roll that the hall has seen."""
