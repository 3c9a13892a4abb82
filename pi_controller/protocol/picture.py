"""The room picture as it is published, field by field; `version` changes when one of these does."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from pi_controller.game.claims import ClaimStatus
from pi_controller.game.commands import ClaimsMode
from pi_controller.protocol.sentences import SentenceView
from pi_controller.vocabulary import PauseReason, Phase, RolledPhase, Target

VERSION = 1

PositiveOrZero = Annotated[int, Meta(ge=0)]
Die = Annotated[int, Meta(ge=1, le=6)]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Dice = tuple[Die, Die]
HealthLevel = Literal["warning", "fault"]
DecidedBy = Literal["points", "resources", "grain", "ore", "brick", "lumber", "wool", "shared", "ranking"]


class ScheduleStep(Struct, kw_only=True):
    """From this round on a round lasts so long, until the next step."""

    from_round: Annotated[int, Meta(ge=1)]
    seconds: Annotated[float, Meta(gt=0)]


class ClaimView(Struct, kw_only=True):
    """A claim, in press order."""

    id: str
    board: str | None
    """None: the big button."""
    side: str | None
    round: int
    pressed_ms_before_end: int
    on_active_side: bool
    status: ClaimStatus
    points: int | None
    count: Annotated[int, Meta(ge=1)] = 1
    """How often this board and side has claimed since its last verdict."""


class WinnerView(Struct, kw_only=True):
    claim: str
    board: str | None
    side: str | None
    points: int | None


class SeatView(Struct, kw_only=True):
    """Somebody who acts in turn: a side of all boards, or a player."""

    id: str
    name: str
    sign: str
    colour: str


class PastRoll(Struct, kw_only=True):
    kind: RolledPhase
    round: int
    side: str | None
    dice: Dice
    sum: Annotated[int, Meta(ge=2, le=12)]
    robber_target: Target | None


class Message(Struct, kw_only=True):
    """The director's line; `until_ms` on core's monotonic clock, None until dismissed."""

    text: str
    until_ms: int | None


class TimerView(Struct, kw_only=True):
    label: str
    remaining_ms: PositiveOrZero
    running: bool


class NotAllowedView(Struct, kw_only=True):
    """Why a command may not be done now; `override`: given with override it would be done all the same."""

    reasons: list[str]
    reason_keys: list[SentenceView]
    """The same in the same order, before they were put into words."""
    override: bool


class Health(Struct, kw_only=True):
    level: Literal["ok", HealthLevel]
    messages: list[str]
    items: list[SentenceView]
    """The same in the same order, before they were put into words."""
    lost: bool = False
    """Commands of this game are known to be lost; `messages` says which and what to do."""


class Picture(Struct, kw_only=True):
    """Everything that lamps, tables and screens show. Further fields may come; these stay."""

    version: Literal[1]
    session: str
    game_id: str
    seq: PositiveOrZero
    saved_seq: int
    rule_set: str
    phase: Phase
    paused: bool
    pause_reasons: list[PauseReason]
    running: bool
    resume_in_ms: PositiveOrZero | None
    round: PositiveOrZero
    side: str | None
    next_side: str | None
    seats: Annotated[list[SeatView], Meta(min_length=2)]
    """Who acts, in their order."""
    seat: PositiveOrZero | None
    """Index of `side` in `seats`; `next_seat` that of `next_side`."""
    next_seat: PositiveOrZero | None
    dice: Dice | None
    sum: Annotated[int, Meta(ge=2, le=12)] | None
    robber_target: Target | None
    robber_dice: Dice | None
    duration_ms: PositiveOrZero
    remaining_ms: PositiveOrZero
    as_of_ms: int
    rate: Annotated[float, Meta(gt=0)]
    target_points: int
    last_round: int | None
    schedule: Annotated[list[ScheduleStep], Meta(min_length=1)]
    claims_mode: ClaimsMode
    """What a claim from a table does: tell the director, or pause at once."""
    claims: list[ClaimView]
    winners: list[WinnerView]
    decided_by: DecidedBy | None
    history: Annotated[list[PastRoll], Meta(max_length=12)]
    notices: list[str]
    allowed: dict[str, NotAllowedView | None]
    """Each command by name: None, or what stands against every form of it that would change something now."""
    message: Message | None
    timer: TimerView | None
    commitment: Sha256
    public_word: str | None
    seed: str | None
    journal_head: Annotated[str, Meta(pattern="^[0-9a-f]{8}$")] | None
    journal_head_full: Sha256 | None
    """All 64 digits of it; screens show the first 16."""
    health: Health


class Beat(Struct, kw_only=True):
    """Sent once a second between changes, so that a reader knows that nothing has changed."""

    version: Literal[1] = 1
    beat: PositiveOrZero
    """The newest `seq`."""
    session: str
    as_of_ms: int
