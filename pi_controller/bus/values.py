"""What goes into the table bus and what comes out of it, as those above the wire see it."""

from dataclasses import dataclass
from typing import Literal

Side = Literal["sun", "moon"]
Phase = Literal["ready", "round", "robber", "ended", "founding", "turn"]
Target = int | Literal["desert"]
PauseReason = Literal["button", "director", "claim", "fault", "recovery"]
ClaimStatus = Literal["received", "open", "judge_comes", "rejected", "withdrawn", "confirmed", "wait"]
"""What the node shows of a claim: taken in; the director is asked; play is paused for it; judged so; taken
back; it is the winner; not now, wait for your side."""
NodeState = Literal["good", "suspect", "lost", "outdated", "duplicate"]
IdentifyWhat = Literal["name", "enrol", "off"]
OrderName = Literal["forget", "swap", "blank", "reboot", "leave_safe_mode"]
LinkState = Literal["open", "closed", "wrong_device", "busy"]
ResetCause = Literal["power", "watchdog", "soft", "other"]

MOST_SEGMENTS = 8
MOST_NODES = 32
"""Nodes of one segment (EIA-485 unit loads; PROTOCOL.md)."""
LONGEST_BOARD = 6
"""Characters of a board's name on the wire, printable ASCII."""


@dataclass(frozen=True, slots=True)
class SegmentPort:
    """A segment, by a letter from A to Z, and the full path of the serial port that it hangs on."""

    name: str
    port: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """What every table shows. Times are game time; `left_us` is as of `as_of_us` (CLOCK_BOOTTIME)."""

    as_of_us: int
    phase: Phase
    running: bool = False
    paused: bool = False
    pause_reasons: tuple[PauseReason, ...] = ()
    resume_in_ms: int | None = None
    side: Side | None = None
    next_side: Side | None = None
    robber_possible: bool = False
    claims_pause: bool = False
    last_round: bool = False
    maintenance: bool = False
    left_us: int = 0
    duration_ms: int = 0
    rate: float = 1.0
    round: int = 0
    dice: tuple[int, int] | None = None
    target: Target | None = None
    last_sum: int | None = None
    brightness: int = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a node belongs. `uid` is the chip's unique id, 16 lower-case hex digits."""

    uid: str
    board: str
    swapped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeClaim:
    """Identity of a claim made on a node; the same however often it is heard."""

    uid: str
    boots: int
    side: Side
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimHeard:
    """A claim was made; `at_us` is CLOCK_BOOTTIME of the first contact. Told once for each claim, and again
    only after `ask_again`."""

    claim: NodeClaim
    board: str | None
    at_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawalHeard:
    """The player takes the claim back."""

    claim: NodeClaim
    board: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonHeard:
    """A claim button was pressed, however shortly: for enrolment and tests."""

    uid: str
    side: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeChanged:
    """A node has come, gone, or is not as it was."""

    segment: str
    uid: str
    state: NodeState


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentChanged:
    """The segment's port or line is in another condition; `sentence` says what to do; None: all is well."""

    segment: str
    sentence: str | None


BusEvent = ClaimHeard | WithdrawalHeard | ButtonHeard | NodeChanged | SegmentChanged


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundTrip:
    """Milliseconds from the end of a request to the end of its answer, of the last polls."""

    p50_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCensus:
    """What is known of one node."""

    uid: str
    segment: str
    address: int
    state: NodeState
    board: str | None
    swapped: bool
    hardware: int
    firmware: str
    protocols: tuple[int, int]
    boots: int
    age_ms: int
    """Since its last good answer."""
    uptime_min: int
    supply_v: float
    temperature_c: int
    reset: ResetCause
    safe_mode: bool
    displays: tuple[bool, bool]
    """Sun's and Moon's display answer."""
    good: int
    missed: int
    """Polls that it did not answer."""
    crc_errors: int
    """Damaged frames that it reports."""
    states_missed: int
    """State frames that it reports as missed."""
    round_trip: RoundTrip | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentCensus:
    """What is known of one segment; `nodes` in the order of their addresses."""

    name: str
    port: str
    link: LinkState
    sentence: str | None
    baud: int
    good: int
    crc_errors: int
    missed: int
    echoes: int
    collisions: int
    reopened: int
    busy: float
    """Part of the time in which the line is in use, 0 to 1, over the last seconds."""
    round_trip: RoundTrip | None
    nodes: tuple[NodeCensus, ...]
