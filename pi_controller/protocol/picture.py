"""The room picture as it is published, field by field; `version` changes when one of these does."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from pi_controller.game.room import PositiveOrZero, Room, Sha256
from pi_controller.game.rule_sets import seat_word
from pi_controller.protocol.halls import LinkView
from pi_controller.protocol.sentences import SentenceView
from pi_controller.protocol.sound import CaptionView, SoundView
from pi_controller.sentence import Sentence

VERSION: Literal[1] = 1

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


class Identify(Struct, kw_only=True, omit_defaults=True):
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
    identify: Identify | None
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
