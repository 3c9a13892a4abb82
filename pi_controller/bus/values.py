"""What goes into the table bus and what comes out of it, as those above the wire see it."""

from collections.abc import Iterable
from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

from pi_controller.sentence import Sentence
from pi_controller.vocabulary import PauseReason, Phase, Side, Target

NodeClaimStatus = Literal["received", "open", "judge_comes", "rejected", "withdrawn", "confirmed", "wait"]
"""What the node shows of a claim: taken in; the director is asked; play is paused for it; judged so; taken
back; it is the winner; not now, wait for your side."""
NodeState = Literal["good", "suspect", "lost", "outdated", "duplicate"]
IdentifyWhat = Literal["name", "enrol", "off", "pattern", "lamps", "walk"]
"""What a node is to show. With "pattern" `number` is an index of PATTERNS, with "lamps" it has a bit for each
lamp that is to be lit, in the order of LAMPS. "walk": its buttons make a numbered claim at once, on either
side, as long as the phase is ready or ended."""
TestPattern = Literal["white", "black", "checker", "border", "digits"]
PATTERNS: tuple[TestPattern, ...] = get_args(TestPattern)
HALF_CONTRAST, DARK_SUN, DARK_MOON = 256, 512, 1024
"""May be added to the index of a pattern, for nodes of protocol 6 and newer only: with half the contrast; one
side's display stays dark."""
LAMPS = ("sun", "moon", "sun_claim", "moon_claim")
TableOrder = Literal["forget", "swap", "blank", "reboot", "leave_safe_mode"]
"""What may be ordered at any time."""
OrderName = Literal[TableOrder, "hang", "rate"]
"""Besides those, for tests: stop until the watchdog bites, only while the phase is ready or ended; speak at
500,000 Bd for `argument` seconds."""
UpdateStep = Literal["ask", "try", "keep", "leave"]
"""Of a node with an image of new firmware: how far it is; run it on trial; keep it; forget it."""
UpdateState = Literal["nothing", "fetching", "unpacking", "whole", "trying", "kept", "refused", "went_back"]
"""How far a node is: "whole" is proved and unpacked, "trying" runs on trial, "went_back" did so before."""
UpdateTrouble = Literal[
    "no_maintenance",
    "no_key",
    "other_key",
    "no_room",
    "not_proved",
    "not_unpacked",
    "not_written",
    "not_kept",
    "not_started",
]
"""Why a node refused an image or went back."""
FirmwareEnd = Literal[
    "updated",
    "went_back",
    "no_key",
    "other_key",
    "no_room",
    "damaged",
    "not_written",
    "too_old",
    "on_trial",
    "lost",
    "stopped",
    "not_begun",
]
"""What became of a node that was to have new firmware: it keeps it; runs the old again; has no key, or
another one; no room; a damaged image; flash that cannot be written; a protocol that does not know of it;
still runs an earlier one on trial; does not answer; was left as it was when the job ended early; nobody began
with it."""
LinkState = Literal["open", "closed", "wrong_device", "busy"]
ResetCause = Literal["power", "watchdog", "soft", "other"]

MARGIN_BAUD = 500_000
"""The rate of `rate` and MarginAsked."""
LONGEST_JOB_S = 110.0
"""A job ends then, with what it has."""
LONGEST_BOARD = 6
"""Characters of a board's name on the wire, printable ASCII."""
MOST_SEATS = 8
LONGEST_SEAT = 10
"""Characters of a seat's name on the wire, printable ASCII and space."""
LONGEST_TAG = 6
"""Characters of a language's tag on the wire, visible ASCII."""
NODES_LANGUAGE = "en"
"""What a table speaks as long as nobody has told it another language, and whenever it knows of none."""

Count = Annotated[int, Meta(ge=0)]
UID_PATTERN = "^[0-9a-f]{16}$"
Uid = Annotated[str, Meta(pattern=UID_PATTERN)]
"""A chip's unique id."""
Frames = Annotated[int, Meta(ge=1, le=100_000)]
Seconds = Annotated[float, Meta(gt=0, le=LONGEST_JOB_S)]


class SegmentPort(Struct, frozen=True):
    """A segment, by a letter from A to Z, and the full path of the serial port that it hangs on."""

    name: str
    port: str


class TableSeat(Struct, frozen=True, kw_only=True):
    """Somebody who acts in turn; `sign` None: one that nodes do not draw, they show a hexagon."""

    name: str
    sign: Side | None


class TableState(Struct, frozen=True, kw_only=True):
    """What every table shows. Times are game time; `left_us` is as of `as_of_us` (CLOCK_BOOTTIME).

    `seat` acts, `next_seat` is the next: indices of the `seats`, of which there are MOST_SEATS at most; the
    first two are those of a node's two sides. Without `seats` there are Sun and Moon, whom every node knows.
    `languages` are the tags of the hall's one or two; with `second_language` the words of the second stand.
    `message` is the director's, in letters that the wire carries; empty: there is none.
    """

    as_of_us: int
    phase: Phase
    running: bool = False
    paused: bool = False
    pause_reasons: tuple[PauseReason, ...] = ()
    resume_in_ms: int | None = None
    seats: tuple[TableSeat, ...] = ()
    seat: int | None = None
    next_seat: int | None = None
    languages: tuple[str, ...] = (NODES_LANGUAGE,)
    second_language: bool = False
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
    message: str = ""
    brightness: int = 128


class Place(Struct, frozen=True, kw_only=True):
    """Where a node belongs. `uid` is the chip's unique id, 16 lower-case hex digits."""

    uid: str
    board: str
    swapped: bool = False


class NodeClaim(Struct, frozen=True, kw_only=True):
    """Identity of a claim made on a node; the same however often it is heard."""

    uid: str
    boots: int
    side: Side
    number: int


class ClaimOutcome(Struct, frozen=True, kw_only=True):
    """What became of a claim with its first contact, in microseconds of CLOCK_BOOTTIME."""

    claim: NodeClaim
    at_us: int
    status: NodeClaimStatus


class ClaimHeard(Struct, frozen=True, kw_only=True):
    """A claim was made; `at_us` is CLOCK_BOOTTIME of the first contact. Told once for each claim, and again
    only after `ask_again`."""

    claim: NodeClaim
    board: str | None
    at_us: int


class WithdrawalHeard(Struct, frozen=True, kw_only=True):
    """The player takes the claim back."""

    claim: NodeClaim
    board: str | None


class ButtonHeard(Struct, frozen=True, kw_only=True):
    """A claim button was pressed, however shortly: for enrolment and tests."""

    uid: str
    side: Side


class NodeChanged(Struct, frozen=True, kw_only=True):
    """A node has come, gone, or is not as it was."""

    segment: str
    uid: str
    state: NodeState


class SegmentChanged(Struct, frozen=True, kw_only=True):
    """The segment's port or line is in another condition; `sentence` says what to do; None: all is well."""

    segment: str
    sentence: Sentence | None


BusEvent = ClaimHeard | WithdrawalHeard | ButtonHeard | NodeChanged | SegmentChanged


class RoundTripView(Struct, frozen=True, kw_only=True):
    """Milliseconds from the end of a request to the end of its answer."""

    p50: float
    p99: float


class DisplaysView(Struct, frozen=True, kw_only=True):
    """Whether the displays answer."""

    # They take what is sent; one that only listens cannot say whether it shows it.
    sun: bool
    moon: bool


class ButtonsView(Struct, frozen=True, kw_only=True):
    """Whether the claim buttons have been closed for 10 s or more."""

    sun: bool = False
    moon: bool = False


class Lately(Struct, frozen=True, kw_only=True):
    """What was counted over the last 20 s, of a node or of a whole segment."""

    answered: Count = 0
    unanswered: Count = 0
    """Polls without an answer between two that had one. Of a longer absence two count: the state tells it."""
    garbled: Count = 0
    """Polls to which something damaged came."""
    damaged: Count = 0
    """Damaged frames: those that the node reports, or those that the controller hears on the segment."""
    late: Count = 0
    """Answers that began later than a node may."""
    reassigned: Count = 0
    """How often the node has asked for the address that it had."""
    restarts: Count = 0
    claims: Count = 0


class NodeView(Struct, frozen=True, kw_only=True):
    """One table node. `board` is the roster's; None: the node stands nowhere yet."""

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
    wordless: bool = False
    """Its firmware has no words for one of the hall's languages: its displays show symbols and numbers only,
    or English where it does not know yet that a hall has languages."""
    displays: DisplaysView
    stuck: ButtonsView = ButtonsView()
    reported: bool = True
    """It has told its health since it came; before that supply, temperature, uptime and reset are unknown."""
    good: Count
    missed: Count
    """Polls that it did not answer."""
    crc_errors: Count
    """Damaged frames that it reports."""
    states_missed: Count
    """State frames that it reports as missed."""
    round_trip_ms: RoundTripView | None
    """Of its last polls."""
    lately: Lately = Lately()
    gain: float | None = None
    """By what the controller multiplies what this node tells of its supply, also in `supply_v`; None: it was
    never calibrated."""


class FirmwareProgress(Struct, frozen=True, kw_only=True):
    """How far new firmware is on a segment: all its `nodes` have `part` of so many `parts` whole, and what
    becomes of so many of them is settled (`done`)."""

    part: Count
    parts: Count
    nodes: Count
    done: Count


class SegmentSnapshot(Struct, frozen=True, kw_only=True):
    """What is known of one segment; `nodes` in the order of their addresses."""

    name: str
    port: str
    link: LinkState
    sentence: Sentence | None
    baud: int
    good: int
    crc_errors: int
    missed: int
    echoes: int
    collisions: int
    reopened: int
    busy: float
    """Part of the time in which the line is in use, 0 to 1, over the last seconds."""
    round_trip: RoundTripView | None
    lately: Lately = Lately()
    firmware: FirmwareProgress | None = None
    """While nodes of it get new firmware."""
    nodes: tuple[NodeView, ...]


def nodes_of(segments: Iterable[SegmentSnapshot]) -> tuple[NodeView, ...]:
    return tuple([node for segment in segments for node in segment.nodes])


class _Job(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    """A measuring job."""


class PingAsked(_Job, frozen=True, tag="ping", kw_only=True):
    """Send test frames to these nodes (None: all that are good), so many each, for so long at most."""

    # PING with 24 pseudo-random bytes, to one node after the other.
    frames: Frames
    uids: tuple[Uid, ...] | None = None
    seconds: Seconds | None = None


class LoopbackAsked(_Job, frozen=True, tag="loopback", kw_only=True):
    """With nothing but terminators on the line: send frames and read the own echo."""

    # To nobody, so that only the adapter gives them back.
    frames: Frames


class SilenceAsked(_Job, frozen=True, tag="silence", kw_only=True):
    """Send no state for so long, while polls go on; ping before and after, for the clocks' drift."""

    # All good nodes are pinged.
    seconds: Seconds


class MarginAsked(_Job, frozen=True, tag="margin", kw_only=True):
    """Pings at twice the speed."""

    # To all good nodes, as PingAsked.
    frames: Frames
    baud: Literal[500_000] = 500_000


class MeasureAsked(_Job, frozen=True, tag="measure", kw_only=True):
    """Ask these nodes (None: all that are good) for their supply, their currents and the spare wire."""

    # Only those that know MEASURE. A load is switched on by IDENTIFY before.
    uids: tuple[Uid, ...] | None = None


BusJob = PingAsked | LoopbackAsked | SilenceAsked | MarginAsked | MeasureAsked


class FirmwareAsked(Struct, frozen=True, kw_only=True):
    """Give these nodes new firmware; those of other segments are passed over."""

    uids: tuple[Uid, ...]
    offer: int
    """1 to 65535, another one each time."""
    firmware: tuple[int, int]
    key: bytes
    """The mark of the key that proves the image: the first four bytes of its SHA-256."""
    image: bytes


SegmentJob = BusJob | FirmwareAsked
"""The last one is not for clients: only core has images."""


class NodePing(Struct, frozen=True, kw_only=True):
    """How one node answered PING. A PING is 35 bytes on the wire, its answer 39. What is neither answered nor
    bad stayed without an answer."""

    uid: str
    sent: int
    answered: int
    bad: int = 0
    """Answers that came damaged, or with other bytes."""
    p50_ms: float | None = None
    """From the end of the PING to the end of its answer; None without one."""
    p99_ms: float | None = None
    worst_ms: float | None = None
    clock_offset_us: int | None = None
    """By how much the node takes the master's time to be later than it is; None: it does not know it."""
    drift_us: int | None = None
    """SilenceAsked: by how much `clock_offset_us` has changed over the silence."""


class NodeMeasured(Struct, frozen=True, kw_only=True):
    """What a node reads with MEASURE. None: its board has no circuit for it."""

    uid: str
    supply_v: float
    spread_v: float
    """Between the least and the greatest of the readings of which `supply_v` is the mean."""
    lamps_ma: float | None = None
    """Of its four lamps together."""
    displays_ma: float | None = None
    """Of its displays together."""
    loop: bool | None = None
    """Whether the spare wire is whole from the node to the terminator."""
    calibrated: bool = False
    """`supply_v` has been corrected by the node's own gain."""


class Loopback(Struct, frozen=True, kw_only=True):
    """Frames that were sent, that came back as they were, and that came back damaged."""

    sent: int
    echoed: int
    damaged: int


class NodeUpdated(Struct, frozen=True, kw_only=True):
    """What became of one node."""

    uid: str
    end: FirmwareEnd


class JobResult(Struct, frozen=True, kw_only=True):
    """What a job brought on one segment; told once."""

    segment: str
    seconds: float
    """So long it took."""
    sentence: Sentence | None = None
    """Why it was not done, or ended early; None: it is done as wanted."""
    nodes: tuple[NodePing, ...] = ()
    """In the order of their addresses; of those that were asked for and hang on this segment."""
    loopback: Loopback | None = None
    measured: tuple[NodeMeasured, ...] = ()
    """Of nodes that answered MEASURE, in the order of their addresses."""
    updated: tuple[NodeUpdated, ...] = ()
    """Of nodes that were to have new firmware."""
