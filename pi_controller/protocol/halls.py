"""Several halls with one game: what the links process and core tell each other, and what pictures show."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from pi_controller.protocol.sentences import SentenceView
from pi_controller.vocabulary import ButtonState

LinkRole = Literal["leader", "follower"]
LinkState = Literal["no_broker", "leading", "refused", "looking", "following", "lost"]
"""`no_broker`: the broker is not reached; `refused`: another hall leads already; `looking`: no leader has
been heard yet; `lost`: the leader, or the links process itself, is not heard any more."""
HALL_NAME = "^[A-Za-z0-9][A-Za-z0-9-]{0,15}$"
HallName = Annotated[str, Meta(pattern=HALL_NAME + r"\Z")]
BETWEEN = "/"
"""Between the names of a hall and of its board: `east/A5`."""
Key = Annotated[str, Meta(min_length=1, max_length=160, pattern=r"^[!-~]+\Z")]
BoardName = Annotated[str, Meta(min_length=1, max_length=40)]


class Hall(Struct, kw_only=True, frozen=True, omit_defaults=True):
    """Another hall, as it tells of itself."""

    hall: HallName
    online: bool
    software: str = ""
    boards: list[BoardName] = []


class HallView(Struct, kw_only=True, frozen=True):
    """Another hall in a picture; `boards` is their number."""

    hall: str
    online: bool
    software: str
    boards: int
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
    """A follower's clock is within so much of the leader's; None where that is not known."""
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


class Uplink(Struct, kw_only=True, frozen=True, omit_defaults=True):
    """What a follower has for its leader: a press of the big button, or a claim that is made or withdrawn.
    The same `key` is the same press, however often it comes. `at_us` is when it began, on the clock of the
    core that tells of it or is told."""

    key: Key
    do: Literal["press", "claim", "withdraw"]
    at_us: int
    board: BoardName | None = None
    side: Annotated[str, Meta(min_length=1, max_length=40)] | None = None
    button: ButtonState | None = None
    """As `game.commands.Claim` has it."""
    press_error_ms: Annotated[int, Meta(ge=0, le=60_000)] | None = None
    claim: Annotated[str, Meta(min_length=1, max_length=40)] | None = None
    """Id of the claim that is withdrawn."""
