"""A command's name and JSON body become one of the game's commands, or one sentence on what is wrong.

The bodies are typed: each has the fields of its command in `game.commands`, refuses others, and builds that
command while it is read, so that a WrongValue comes with its place in the body.
"""

from types import GenericAlias
from typing import Annotated, Any, ClassVar, Literal, cast, get_args

from msgspec import NODEFAULT, Meta, Struct, defstruct, field
from msgspec.structs import fields

from pi_controller.game import commands
from pi_controller.game.commands import Step, WrongValue
from pi_controller.game.rule_sets import Colour, FirstSeat, SeatId
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.strict_json import check_values, read_as, shown
from pi_controller.sentence import Sentence

LONGEST_NAME = 60
LONGEST_SEAT = 16
"""Letters; a table's display shows fewer (`core/tables/state.py`)."""


class SeatChoice(Struct, frozen=True):
    """A seat at one table, by its colour; without a name it is called after that."""

    id: Colour
    name: str = ""

    def __post_init__(self) -> None:
        if len(self.name) > LONGEST_SEAT or (self.name and not self.name.isprintable()):
            raise WrongValue(Sentence("range.at_most_printable", name="name", most=LONGEST_SEAT))


class Arm(Struct, frozen=True):
    """A new game in `ready`; what is None comes from the settings. Core makes it, no game decides on it."""

    rule_set: str | None = None
    first_side: FirstSeat | None = None
    schedule: tuple[Step, ...] | None = None
    rehearsal: bool = False
    """It is marked as a rehearsal everywhere."""
    seats: tuple[SeatChoice, ...] | None = None
    """Who sits at the one table, in the order of the turns."""
    turn_seconds: float | None = None
    """A turn's limit; 0: none."""

    def __post_init__(self) -> None:
        if self.rule_set is not None and not 1 <= len(self.rule_set) <= LONGEST_NAME:
            raise WrongValue(Sentence("range.rule_set", most=LONGEST_NAME))
        if self.schedule is not None:
            commands.check_schedule(self.schedule)
        if self.turn_seconds is not None and not 0 <= self.turn_seconds <= commands.LONGEST_PHASE_S:
            most, value = commands.LONGEST_PHASE_S, self.turn_seconds
            raise WrongValue(Sentence("range.within", name="turn_seconds", least=0, most=most, value=value))


class Identify(Struct, frozen=True):
    """That screen or table shows its name; no game is touched."""

    screen: str | None = None
    board: str | None = None

    def __post_init__(self) -> None:
        if (self.screen is None) == (self.board is None):
            raise WrongValue(Sentence("range.identify"))
        name = self.screen if self.board is None else self.board
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise WrongValue(Sentence("range.screen_or_board", most=LONGEST_NAME))


class Body(Struct, forbid_unknown_fields=True, kw_only=True):
    command: ClassVar[Any]
    """What is made of it: a class with the same fields."""

    def __post_init__(self) -> None:
        self.build()

    def build(self) -> Any:
        """The command; WrongValue when a value is out of its range."""
        return self.command(**{name: _built(getattr(self, name)) for name in self.__struct_fields__})


def _built(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_built(part) for part in value)
    return value.build() if isinstance(value, Body) else value


def _body(command: Any, *, without: tuple[str, ...] = (), **others: Any) -> type[Body]:
    """The body that becomes this command, with its fields `without` those that nobody outside may give.
    `others` are the types of those that hold a body themselves."""
    shape: list[Any] = []
    for entry in fields(command):
        if entry.name in without:
            continue
        kind = others.get(entry.name, entry.type)
        if entry.default is NODEFAULT:
            shape.append((entry.name, kind))
        elif entry.name in others and entry.default is not None:
            shape.append((entry.name, kind, field(default_factory=kind)))
        else:
            shape.append((entry.name, kind, entry.default))
    name = f"{command.__name__}Body"
    made = defstruct(name, shape, bases=(Body,), namespace={"command": command}, kw_only=True)
    return cast(type[Body], made)


STEP = _body(Step)
SCHEDULE: Any = GenericAlias(tuple, (STEP, ...))
SEATS: Any = GenericAlias(tuple, (_body(SeatChoice), ...))
SHEET = _body(commands.Sheet, resources=_body(commands.Resources))


class ConfirmedBody(Body):
    confirm: Annotated[bool, Meta(extra_json_schema={"const": True})]
    unconfirmed: ClassVar[Sentence]

    def build(self) -> Any:
        if not self.confirm:
            raise WrongValue(self.unconfirmed)
        return super().build()


class EndBody(ConfirmedBody):
    command = commands.End
    unconfirmed = Sentence("range.end_is_confirmed")


class CloseBody(ConfirmedBody):
    command = commands.Close
    unconfirmed = Sentence("range.close_is_confirmed")


class ReplaceBody(Struct, forbid_unknown_fields=True, kw_only=True):
    name: str
    body: Any = None


class UndoBody(Body):
    """The replacement is read by `parse_command`, which knows the other bodies."""

    replace: ReplaceBody | None = None
    claim: str | None = None
    """The verdict on this claim is replaced, which need not be the last action."""

    def build(self) -> commands.Undo:
        return commands.Undo()


BODIES: dict[str, object] = {
    "arm": _body(Arm, schedule=SCHEDULE | None, seats=SEATS | None),
    "contribute": _body(commands.Contribute),
    "start": _body(commands.Start),
    "pause": _body(commands.Pause, without=("reason",)),
    "turn": _body(commands.Turn),
    "resume": _body(commands.Resume),
    "add_time": _body(commands.AddTime),
    "set_schedule": SCHEDULE,
    "set_claims": _body(commands.SetClaims),
    "skip": _body(commands.Skip),
    "undo": UndoBody,
    "redo": _body(commands.Redo),
    "claim": _body(commands.Claim, without=("button", "press_error_ms"), side=SeatId | None),
    "withdraw": _body(commands.Withdraw),
    "verdict": _body(commands.Verdict, without=("hold",), sheet=SHEET | None, side=SeatId | None),
    "last_rounds": _body(commands.LastRounds),
    "end": EndBody,
    "close": CloseBody,
    "say": _body(commands.Say),
    "cover": _body(commands.Cover),
    "timer": _body(commands.Timer),
    "identify": _body(Identify),
}
"""Every command that may come from outside, in the order of the published table."""

NOT_A_REPLACEMENT = frozenset(
    {"undo", "redo", "arm", "close", "say", "cover", "timer", "identify", "contribute"}
)
"""They change no game, or must not be smuggled in behind a roll that the hall has seen."""


def parse_command(name: str, body: object) -> commands.Command | Arm | Identify:
    """`body` is a decoded JSON value, None standing for an empty one; Malformed says what is wrong."""
    if name not in BODIES:
        raise Malformed(Sentence("request.no_command", name=shown(name), known=", ".join(BODIES)))
    try:
        check_values(body)
        return _read(name, body)
    except Malformed as error:
        raise Malformed(Sentence("request.of_command", command=name, problem=error.sentence)) from error


def _read(name: str, body: object) -> commands.Command | Arm | Identify:
    expected = BODIES[name]
    if body is None and expected is not SCHEDULE:
        body = {}
    found = read_as(body, expected)
    try:
        if isinstance(found, tuple):
            return commands.SetSchedule(tuple(step.build() for step in found))
        if isinstance(found, UndoBody):
            return _undo(found)
        command: commands.Command | Arm | Identify = found.build()
    except WrongValue as error:
        raise Malformed(error.sentence) from error
    return command


def _undo(body: UndoBody) -> commands.Undo:
    if body.replace is None:
        return commands.Undo(None, body.claim)
    if body.replace.name in NOT_A_REPLACEMENT:
        raise Malformed(Sentence("request.no_replacement", name=body.replace.name))
    try:
        replacement: Any = parse_command(body.replace.name, body.replace.body)
    except Malformed as error:
        raise Malformed(Sentence("request.of_replacement", problem=error.sentence)) from error
    return commands.Undo(replacement, body.claim)


# Which fields of the picture count for a command: it is refused when one of them has changed since the
# picture that its sender saw (`if_seq`).

CountingField = Literal[
    "game_id",
    "phase",
    "round",
    "paused",
    "pause_reasons",
    "claims",
    "schedule",
    "claims_mode",
    "last_round",
    "message",
    "timer",
    "public_word",
    "actions",
]
"""Fields of the picture; of `claims` how many there are, and of those that are not rejected `id`, `board`,
`side`, `status`, `passed` and what stands in the sheet. `actions` is what `undo` and `redo` would act
on, which no picture holds."""
COUNTING_FIELDS: tuple[CountingField, ...] = get_args(CountingField)

COUNTING: dict[str, tuple[CountingField, ...]] = {
    "arm": ("game_id", "phase"),
    "contribute": ("game_id", "public_word"),
    "start": ("game_id", "paused"),
    "pause": (),
    "resume": ("game_id", "paused", "pause_reasons", "claims"),
    "add_time": ("game_id", "phase", "round"),
    "set_schedule": ("game_id", "schedule"),
    "set_claims": ("game_id", "claims_mode"),
    "skip": ("game_id", "phase", "round", "paused"),
    "turn": ("game_id", "phase", "round", "paused", "actions"),
    "undo": ("game_id", "actions"),
    "redo": ("game_id", "actions"),
    "claim": ("game_id",),
    "withdraw": ("game_id", "claims"),
    "verdict": ("game_id", "claims"),
    "last_rounds": ("game_id", "phase", "round", "last_round"),
    "end": ("game_id", "phase", "paused", "claims"),
    "close": ("game_id", "phase", "claims"),
    "say": ("message",),
    "cover": (),
    "timer": ("timer",),
    "identify": (),
}
"""By command. What adds up in any order does not count: two who add time have both meant theirs."""
