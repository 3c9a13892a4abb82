"""What people ask of the hall's clock. The constructors check ranges: a wrong value is a WrongValue."""

from itertools import pairwise
from typing import Literal, get_args

from msgspec import Struct

from pi_controller.game.turn_order import Seat
from pi_controller.sentence import SaidError, Sentence
from pi_controller.vocabulary import ButtonState, HoldReason

ClaimsMode = Literal["ask", "pause"]
"""What a claim from a table does: tell the director, or pause at once."""

Resource = Literal["grain", "ore", "brick", "lumber", "wool"]
RESOURCES: tuple[Resource, ...] = get_args(Resource)  # in the order of the tie-break (rule C15)
PreparedLine = Literal["seats", "goes_on", "hands", "break", "thanks"]
PREPARED_LINES: dict[PreparedLine, Sentence] = {
    "seats": Sentence("page.prepared_seats"),
    "goes_on": Sentence("page.prepared_goes_on"),
    "hands": Sentence("page.prepared_hands"),
    "break": Sentence("page.prepared_break"),
    "thanks": Sentence("page.prepared_thanks"),
}
"""What the director may say without typing; each screen shows it in its own language."""

PreparedTimer = Literal["doors", "set_up", "break"]
PREPARED_TIMERS: dict[PreparedTimer, Sentence] = {
    "doors": Sentence("page.timer_doors"),
    "set_up": Sentence("page.timer_set_up"),
    "break": Sentence("page.timer_break"),
}
"""What a free timer may be for without typing; each screen shows it in its own language."""

CoverKind = Literal["none", "black", "test"]
"""What stands on the screens in place of the game: nothing, a black picture, or one to set screens up by."""

LONGEST_TEXT = 200
LONGEST_PHASE_S = 3600
LAST_ROUND = 2**32 - 1
"""Rounds are hashed in four bytes (docs/dice.md)."""
LONGEST_ADD_MS = 3_600_000


LONGEST_HALL, LONGEST_BOARD = 16, 24


class WrongValue(SaidError, ValueError):  # noqa: N818 - says what is the matter
    """A command cannot have this value."""


def _check_within(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise WrongValue(Sentence("range.within", name=name, least=least, most=most, value=value))


def _check_board(name: str | None) -> None:
    """A board, or a hall's name, a stroke and its board."""
    hall, _, board = (name or "").rpartition("/")
    fits = 1 <= len(board) <= LONGEST_BOARD and len(hall) <= LONGEST_HALL and (name or "").isprintable()
    if name is not None and not fits:
        raise WrongValue(Sentence("range.printable", name="board", least=1, most=LONGEST_BOARD))


class Step(Struct, frozen=True):
    """From this round on a round lasts so long."""

    from_round: int
    seconds: float

    def __post_init__(self) -> None:
        _check_within("from_round", self.from_round, 1, LAST_ROUND)
        _check_within("seconds", self.seconds, 1, LONGEST_PHASE_S)


class Contribute(Struct, frozen=True):
    """The hall's public word, mixed into every roll; only before the start (`public_word`)."""

    text: str

    def __post_init__(self) -> None:
        if not self.text.strip() or len(self.text) > LONGEST_TEXT:
            raise WrongValue(Sentence("range.public_word", most=LONGEST_TEXT))


class Start(Struct, frozen=True):
    """3-2-1, then round 1; `override` starts although the controller's computer is not in order, for this
    `reason` where one is given."""

    override: bool = False
    reason: str | None = None

    def __post_init__(self) -> None:
        reason = "-" if self.reason is None else self.reason
        if not (reason.strip() and len(reason) <= LONGEST_TEXT and reason.isprintable()):
            raise WrongValue(Sentence("range.printable", name="reason", least=1, most=LONGEST_TEXT))


class Pause(Struct, frozen=True):
    """Freeze the clock for this reason."""

    reason: HoldReason = "director"


class Press(Struct, frozen=True):
    """The big button: freezes play for a claim whose board is not known yet."""


class Turn(Struct, frozen=True):
    """A press of the button of this seat, whose turn it is; None: of the button in the middle."""

    seat: Seat | None = None


class Resume(Struct, frozen=True):
    """3-2-1, then go on with exactly the time that was left; `override` goes on although a claim is open."""

    override: bool = False


class Skip(Struct, frozen=True):
    """End the phase now."""


class AddTime(Struct, frozen=True):
    """Change the remaining time of the phase by so many milliseconds, never below 0."""

    ms: int

    def __post_init__(self) -> None:
        _check_within("ms", self.ms, -LONGEST_ADD_MS, LONGEST_ADD_MS)


class SetSchedule(Struct, frozen=True):
    """Other round lengths, from the next round on."""

    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        check_schedule(self.steps)


class Claim(Struct, frozen=True):
    """Somebody at this board and side claims the victory; without board and side: the big button's press.
    `press` is the id of a timed press, whose moment is then that of the claim."""

    board: str | None = None
    side: Seat | None = None
    button: ButtonState | None = None
    """Made with a table's own button: while the claim is open, a further press only adds to its count. One
    that is faulty never pauses by itself."""
    press: str | None = None
    press_error_ms: int | None = None
    """Made on a phone with a seat code, whose press lies within so many milliseconds of its moment."""

    def __post_init__(self) -> None:
        _check_board(self.board)
        if self.press is not None and (self.board is None or self.side is None):
            raise WrongValue(Sentence("range.press"))


class SetClaims(Struct, frozen=True):
    """What a claim from a table does from now on: tell the director, or pause at once."""

    mode: ClaimsMode

    def __post_init__(self) -> None:
        if self.mode not in get_args(ClaimsMode):
            raise WrongValue(Sentence("range.claims_mode", value=str(self.mode)))


class Withdraw(Struct, frozen=True):
    """Take an open claim back."""

    claim: str


class Resources(Struct, frozen=True):
    """Cards in hand; only counted to break a tie."""

    grain: int = 0
    ore: int = 0
    brick: int = 0
    lumber: int = 0
    wool: int = 0

    def __post_init__(self) -> None:
        for name in RESOURCES:
            _check_within(name, getattr(self, name), 0, 999)

    @property
    def total(self) -> int:
        return sum(getattr(self, name) for name in RESOURCES)


class Sheet(Struct, frozen=True):
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
            _check_within(name, getattr(self, name), 0, 99)


class Verdict(Struct, frozen=True):
    """The judge's answer to a claim: a plain yes or no, or a sheet that is counted. `board` and `side` are
    for a claim that has none yet."""

    claim: str
    confirmed: bool | None = None
    sheet: Sheet | None = None
    board: str | None = None
    side: Seat | None = None
    hold: bool = False
    """Where it does not end the game, play stays paused. For one that takes the place of a verdict which had:
    nobody has been playing since."""

    def __post_init__(self) -> None:
        _check_board(self.board)
        if (self.confirmed is None) == (self.sheet is None):
            raise WrongValue(Sentence("range.verdict"))


class LastRounds(Struct, frozen=True):
    """Announce the end: so many rounds come after the present one."""

    count: int

    def __post_init__(self) -> None:
        _check_within("count", self.count, 0, 99)


class Confirmed(Struct, frozen=True):
    """What takes two steps; `confirm` is the second one."""

    confirm: bool


class End(Confirmed, frozen=True):
    """End the game."""


class Close(Confirmed, frozen=True):
    """Publish the seed of an ended game: nothing before it can be undone any more."""


class Say(Struct, frozen=True):
    """The director's line on all screens, and on the tables' displays unless `tables` is false: a text as it
    was typed, or a prepared one by its name. An empty text dismisses it."""

    text: str | None = None
    seconds: float | None = None
    line: PreparedLine | None = None
    tables: bool = True

    def __post_init__(self) -> None:
        if (self.text is None) == (self.line is None):
            raise WrongValue(Sentence("range.say"))
        if self.text is not None and (
            len(self.text) > LONGEST_TEXT or (self.text and not self.text.isprintable())
        ):
            raise WrongValue(Sentence("range.at_most_printable", name="text", most=LONGEST_TEXT))
        if self.seconds is not None:
            _check_within("seconds", self.seconds, 1, LONGEST_PHASE_S)


class Cover(Struct, frozen=True):
    """Every screen of the hall is black or shows a test picture until `none`; the game goes on under it."""

    kind: CoverKind

    def __post_init__(self) -> None:
        if self.kind not in get_args(CoverKind):
            raise WrongValue(Sentence("range.cover", value=str(self.kind)))


class Timer(Struct, frozen=True):
    """A free countdown (doors, break) while that of no phase runs; `stop` takes it away. What it is for is a
    `label` as it was typed, or the name of a `prepared` one."""

    label: str = ""
    seconds: float | None = None
    stop: bool = False
    prepared: PreparedTimer | None = None

    def __post_init__(self) -> None:
        if self.stop == (self.seconds is not None):
            raise WrongValue(Sentence("range.timer"))
        if self.seconds is not None:
            _check_within("seconds", self.seconds, 1, 24 * 3600)
        if len(self.label) > 60 or (self.label and not self.label.isprintable()):
            raise WrongValue(Sentence("range.at_most_printable", name="label", most=60))
        if self.label and self.prepared is not None:
            raise WrongValue(Sentence("range.timer_label"))


class Undo(Struct, frozen=True):
    """Take the last director's action back, as if `replace` had been done at that moment. With `claim` it is
    the verdict on that claim, however many actions ago, and `replace` is another verdict on it."""

    replace: "Command | None" = None
    claim: str | None = None

    def __post_init__(self) -> None:
        if self.claim is not None and (
            not isinstance(self.replace, Verdict) or self.replace.claim != self.claim
        ):
            raise WrongValue(Sentence("range.undo_claim"))


class Redo(Struct, frozen=True):
    """Do again what the last undo took back."""


Command = (
    Contribute
    | Start
    | Pause
    | Press
    | Turn
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
    | Close
    | Say
    | Cover
    | Timer
    | Undo
    | Redo
)


def check_schedule(steps: tuple[Step, ...]) -> None:
    """A schedule starts with round 1 and its rounds ascend; otherwise a WrongValue says where it does not."""
    if not steps or steps[0].from_round != 1:
        raise WrongValue(Sentence("range.schedule_begins"))
    for before, after in pairwise(steps):
        if after.from_round <= before.from_round:
            said = Sentence("range.schedule_ascends", after=after.from_round, before=before.from_round)
            raise WrongValue(said)


COMMANDS: dict[str, type] = {
    "contribute": Contribute,
    "start": Start,
    "pause": Pause,
    "press": Press,
    "turn": Turn,
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
    "close": Close,
    "say": Say,
    "cover": Cover,
    "timer": Timer,
    "undo": Undo,
    "redo": Redo,
}
"""Every command by its name in the journal and in requests."""

NAMES = {kind: name for name, kind in COMMANDS.items()}
