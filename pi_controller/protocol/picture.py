"""The room picture as it is published, field by field; `version` changes when one of these does."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from pi_controller.game.commands import LONGEST_HALL, Claim
from pi_controller.game.room import PositiveOrZero, Room, Sha256
from pi_controller.game.rule_sets import seat_word
from pi_controller.protocol.sentences import SentenceView
from pi_controller.sentence import Sentence
from pi_controller.software import Software
from pi_controller.vocabulary import ButtonState

# Sound in the picture: what is being said, and what keeps it from being heard.


LONGEST_MUTE_MIN = 120
SoundAction = Literal["mute", "release", "duck", "unduck", "test"]


class MuteView(Struct, kw_only=True, frozen=True):
    """Nothing is heard until this moment of core's clock; None: until somebody releases it."""

    until_ms: int | None


class CaptionView(SentenceView, kw_only=True, frozen=True):
    """What the voice says, until this moment of core's clock."""

    until_ms: int


class SoundView(Struct, kw_only=True, frozen=True):
    """`captions`: what was said last, one call-out each; it stands until something else is said.
    `spoken_until_ms`: the moment of core's clock when all of it has been spoken."""

    captions: list[SentenceView]
    spoken_until_ms: int | None = None
    muted: MuteView | None
    ducked: bool
    """Softer, while the director speaks."""


Minutes = Annotated[int, Meta(ge=1, le=LONGEST_MUTE_MIN)]


# Several halls with one game: what the links process and core tell each other, and what pictures show.


LinkRole = Literal["leader", "follower"]
LinkState = Literal["no_broker", "leading", "refused", "divided", "looking", "following", "lost"]
"""`no_broker`: the broker is not reached; `refused`: another hall leads; `divided`: this one leads a game and
so does another one, and a person has to decide; `looking`: no leader has been heard yet; `lost`: the leader,
or the links process itself, is not heard any more."""
LEADS_NOT: tuple[LinkState, ...] = ("refused", "divided")
"""Of a controller that shall lead: no play goes on here without override."""
HALL = f"[A-Za-z0-9][A-Za-z0-9-]{{0,{LONGEST_HALL - 1}}}"
HALL_NAME = f"^{HALL}$"
HallName = Annotated[str, Meta(pattern=HALL_NAME + r"\Z")]
BETWEEN = "/"
"""Between the names of a hall and of its board: `east/A5`."""
Key = Annotated[str, Meta(min_length=1, max_length=160, pattern=r"^[!-~]+\Z")]
BoardName = Annotated[str, Meta(min_length=1, max_length=40)]


class Hall(Struct, kw_only=True, frozen=True, omit_defaults=True):
    """Another hall, as it tells of itself."""

    hall: HallName
    online: bool
    software: Software
    boards: list[BoardName] = []


class HallView(Struct, kw_only=True, frozen=True):
    """Another hall in a picture; `boards` is their number."""

    hall: str
    online: bool
    software: str
    boards: int
    source: str = ""
    """Fingerprint of its source."""
    away_ms: int | None = None
    """Since when it is not heard, on core's clock, as far as this start of core knows; None: it is heard."""


class LinkView(Struct, kw_only=True, frozen=True):
    """How this controller stands to those of other halls."""

    role: LinkRole
    hall: str
    """Its own name."""
    state: LinkState
    leader: str | None
    """The hall that leads, as far as it is known."""
    term: int
    """Counts the leaders: the newest has the highest; 0 before the first."""
    error_ms: float | None
    """What a follower shows is at most so much behind the leader; None where that is not known."""
    heard_ms: int | None
    """When the leader was heard last, on core's clock; None: never."""
    stopped: bool
    """The big button was pressed here, and the leader has not answered yet."""
    halls: list[HallView]
    """The others that a leader knows."""
    lost_ms: int | None = None
    """When a follower's last news came, on core's clock, where it is missed; None: its leader is heard, or
    never was (`heard_ms`)."""
    frozen: bool = False
    """A follower's time stands still here alone: by `stopped`, or for want of news since `lost_ms`. When news
    came last, it ran in the leading hall."""
    waiting: int = 0
    """Presses and claims of a follower that its leader has not answered yet."""
    trouble: SentenceView | None = None
    """What keeps the halls apart, as the links process says."""


class Settlement(Struct, kw_only=True, frozen=True):
    """What a person has decided between two that lead: whether this controller does."""

    id: Key
    lead: bool


class Unread(Struct, kw_only=True, frozen=True):
    """What came at this topic lately and is not what may stand there, and how often."""

    topic: Annotated[str, Meta(max_length=60)]
    count: int


class Uplink(Struct, kw_only=True, frozen=True, omit_defaults=True, tag_field="do"):
    """What somebody in a following hall has done for the leader's game. The same `key` is the same deed,
    however often it comes."""

    key: Key
    at_us: Annotated[int, Meta(ge=0)]
    """When it began, on the clock of the core that tells of it or is told."""
    error_us: Annotated[int, Meta(ge=0)] = 0
    """How much earlier or later that may have been, for want of a clock of both halls."""
    source: Annotated[str, Meta(min_length=1, max_length=60, pattern=r"^[ -~]+\Z")]
    """Who did it there: `button`, or as in that hall's journal."""
    to: Annotated[str, Meta(max_length=40)] = ""
    """The run of the leader's links process that it is for."""


class PressUplink(Uplink, tag="press", kw_only=True, frozen=True, omit_defaults=True):
    """Of the big button."""


class PauseUplink(Uplink, tag="pause", kw_only=True, frozen=True, omit_defaults=True):
    """A command of that hall's director."""


class ClaimUplink(Uplink, tag="claim", kw_only=True, frozen=True, omit_defaults=True):
    """As `game.commands.Claim` has it; the board is named as in its own hall."""

    board: BoardName | None = None
    side: Annotated[str, Meta(min_length=1, max_length=40)] | None = None
    button: ButtonState | None = None
    press_error_ms: Annotated[int, Meta(ge=0, le=60_000)] | None = None

    def __post_init__(self) -> None:
        """Raises WrongValue where the leader could not name such a board."""
        if self.board is not None:
            Claim(f"{'x' * LONGEST_HALL}{BETWEEN}{self.board}")


class WithdrawUplink(Uplink, tag="withdraw", kw_only=True, frozen=True, omit_defaults=True):
    """A claim is taken back."""

    claim: Annotated[str, Meta(min_length=1, max_length=40)]


AnyUplink = PressUplink | PauseUplink | ClaimUplink | WithdrawUplink


HealthLevel = Literal["warning", "fault"]


class NotAllowedView(Struct, kw_only=True):
    """Why a command may not be done now; `override`: given with override it would be done all the same."""

    reasons: list[str]
    keys: list[SentenceView]
    """The same in the same order, before they were put into words."""
    override: bool


class HealthItem(SentenceView, kw_only=True, frozen=True):
    """`text` is the sentence in the hall's first language."""

    level: HealthLevel
    text: str


class HealthView(Struct, kw_only=True):
    level: Literal["ok", HealthLevel]
    messages: list[str]
    items: list[HealthItem]
    """The same in the same order, with their keys."""
    lost: bool = False
    """Commands of this game are known to be lost; `messages` says which and what to do."""


class NamesShown(Struct, kw_only=True, omit_defaults=True):
    """This screen and this board's table show their names, until this moment of core's clock."""

    screen: str | None = None
    board: str | None = None
    until_ms: int


class EventView(Struct, kw_only=True, frozen=True):
    """The event that takes place here. `logo`: there is one, at `GET /event/logo`."""

    name: str = ""
    logo: bool = False
    colours: list[str] | None = None
    """Two, as `#rrggbb`: of its name, and of the line beside it; both are read on dark ground."""
    lines: list[str] = []
    """What the hall has prepared to be said on all screens."""


NO_EVENT = EventView()


class Picture(Room, kw_only=True):
    """Everything that lamps, tables and screens show. Further fields may come; these stay."""

    version: Literal[1]
    session: str
    seq: PositiveOrZero
    saved_seq: int
    as_of_ms: int
    """When it was made, on core's clock (CLOCK_BOOTTIME)."""
    as_of_us: int
    """The same in microseconds, to which `remaining_us` belongs."""
    rate: Annotated[float, Meta(gt=0)]
    """So many times as fast as the clock of the wall does game time pass."""
    journal_head: Annotated[str, Meta(pattern="^[0-9a-f]{8}$")] | None
    journal_head_full: Sha256 | None
    """All 64 digits of it; screens show the first 16."""
    allowed: dict[str, NotAllowedView | None]
    """Each command by name: None, or what stands against every form of it that would change something now."""
    health: HealthView
    identify: NamesShown | None
    closes_at_ms: int | None
    """When an ended game will be closed by itself, on core's clock; None: only by a command."""
    sound: SoundView | None
    """None: this hall has no sound."""
    caption: CaptionView | None
    """The first of what the voice said last; None: it has said nothing."""
    event: EventView
    languages: list[str]
    """The hall's, by the contract's codes: `pt_BR` with an underscore."""
    language: str
    """The one of the hall's languages that stands, by its tag: on the hall screen and the tables, and where a
    call-out has room in one language only."""
    link: LinkView | None
    """None: this hall plays for itself."""


class Beat(Struct, kw_only=True):
    """Sent once a second between changes, so that a reader knows that nothing has changed."""

    version: Literal[1] = 1
    beat: PositiveOrZero
    """The newest `seq`."""
    session: str
    as_of_ms: int


def seat_said(picture: Picture, seat: str) -> Sentence:
    """Its word, or the name that somebody gave it."""
    names = {one.id: one.name for one in picture.seats}
    return seat_word(seat, names.get(seat, seat))
