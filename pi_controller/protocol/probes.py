"""Probes of the hardware over the control socket: what may be asked, and what each answers.

`{"ask": "probe", "lease": …, "probe": {"do": "lamp", "lamp": "sun", "lit": true}}` is answered by
`{"id": …, "result": {…}}`, or by `error` with a sentence when the part does not answer. Times are
CLOCK_BOOTTIME: `_ns` in nanoseconds, `_ms` in milliseconds.
"""

from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from msgspec import Meta, Struct

from pi_controller.bus.values import (
    BusJob,
    IdentifyWhat,
    JobResult,
    Loopback,
    NodeMeasured,
    NodePing,
    OrderName,
    TestPattern,
    Uid,
)
from pi_controller.hal.names import ContactName, LampName, WiredContacts
from pi_controller.hal.roles import SystemFacts
from pi_controller.hal.serial.port import Holder
from pi_controller.language.words import words
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.sentences import SentenceView, sentence, view
from pi_controller.protocol.strict_json import read_as, shown
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import Side

# What the probes of the hardware answer with, and the live news of a test.


class ProbeDone(Struct, kw_only=True):
    """The output is set, or the order is on its way to the node."""


class Buzzed(Struct, kw_only=True):
    """It sounded for so long: less than asked for where the settings allow no longer tone. `amps` is what all
    outputs took meanwhile; None: there is no sensor, or it gave no answer."""

    ms: int
    amps: float | None = None


class Drawn(Struct, kw_only=True):
    """`shown_ms`: how long it took until the display had taken the picture whole; None: it did not, and
    `sentence` says why."""

    shown_ms: float | None
    sentence: str | None = None
    sentence_key: SentenceView | None = None


class Inputs(Struct, kw_only=True):
    """Levels now; `nc_closed` is None where only the NO contact is wired, `shutdown_pressed` where no
    shutdown button is fitted."""

    no_closed: bool
    nc_closed: bool | None
    now_ns: int
    shutdown_pressed: bool | None = None


class Edge(Struct, kw_only=True):
    """One raw edge. `trusted` is False when it has no usable stamp, and the time of arrival stands in."""

    contact: ContactName
    closed: bool
    at_ns: int
    trusted: bool


class ButtonPress(Struct, kw_only=True):
    """A press that counted, from its first edge; `acknowledged_ns`: when the pause lamp lit up for it."""

    at_ns: int
    acknowledged_ns: int | None


class Edges(Struct, kw_only=True):
    """`next` is the `since` of the next question; `dropped` edges before the first one here are gone.
    `presses` are all of this lease, the last 100 at most."""

    next: int
    edges: list[Edge]
    dropped: int
    presses: list[ButtonPress]


class JournalChecked(Struct, kw_only=True):
    """`written_ms`: until the line was on the disk (None: it did not get there in time). `verified`: it was
    read back from the disk with its hash intact."""

    written_ms: float | None
    verified: bool
    sentence: str | None = None
    sentence_key: SentenceView | None = None


class DiskChecked(Struct, kw_only=True):
    """Milliseconds a write with its sync. `verified`: all files were read back as written. `errors`: those
    that the file system has counted in all its life; None: it counts none."""

    p50_ms: float
    p99_ms: float
    worst_ms: float
    verified: bool
    free_bytes: int
    errors: int | None


class Sounded(Struct, kw_only=True):
    """`played` does not tell whether anybody heard it; False: `sentence` says why."""

    played: bool
    sentence: str | None = None
    sentence_key: SentenceView | None = None


class PortView(Struct, kw_only=True):
    """A segment's serial port. `driver` is the kernel's, such as `ftdi_sio`; `latency_timer_ms` only FTDI's
    adapters have. `holder` is another program that holds the port."""

    segment: str
    port: str
    present: bool
    driver: str | None
    latency_timer_ms: int | None
    holder: Holder | None
    sentence: str | None = None
    sentence_key: SentenceView | None = None


class PanelCurrent(Struct, kw_only=True):
    """What the panel's lamps and buzzer take together now, and the supply that they get it from."""

    amps: float
    volts: float


class Ports(Struct, kw_only=True):
    ports: list[PortView]


class Fitted(Struct, kw_only=True):
    """What the settings say is fitted. `display` and `sound` None: not fitted. `simulated`: the panel is not
    a real one."""

    simulated: bool
    contacts: WiredContacts
    buzzer: bool
    longest_tone_ms: int
    display: str | None
    """The display's controller."""
    sound: str | None
    """The device that sound is played on."""
    segments: list[str]
    baud: int
    second_copy: bool
    """The journal has a second copy."""
    panel_current: bool = False
    """The panel has a sensor for what its lamps and buzzer take."""


class ReportKept(Struct, kw_only=True):
    """The report lies under this name; None: its next piece is waited for."""

    name: str | None


class ReportEntry(Struct, kw_only=True):
    name: str
    level: str
    bytes: int


class Reports(Struct, kw_only=True):
    reports: list[ReportEntry]


class ReportPiece(Struct, kw_only=True):
    name: str
    report: Any


class TablePress(Struct, kw_only=True):
    """A claim button at a table was pressed. `board` is None for a node that stands nowhere.
    `acknowledged_ms`: when the controller had the press and acknowledged it to the node; None for a touch too
    short for a claim, which is not acknowledged."""

    uid: str
    board: str | None
    side: Side
    at_ms: float
    acknowledged_ms: float | None


class TestNews(Struct, kw_only=True):
    """A line of `watch_test`; what it does not carry is None. `next` goes with `edges`: a watcher that lacks
    some asks for them. `ended` says why the test is over: the last line."""

    __test__ = False

    inputs: Inputs | None = None
    edges: list[Edge] | None = None
    next: int | None = None
    pressed: TablePress | None = None
    ended: str | None = None
    ended_key: SentenceView | None = None


class SegmentResult(Struct, kw_only=True):
    """What a job brought on one segment, as `JobResult` has it. `sentence` says why it was not done, or ended
    early; None: it is done as wanted."""

    segment: str
    seconds: float
    sentence: str | None = None
    sentence_key: SentenceView | None = None
    nodes: tuple[NodePing, ...] = ()
    loopback: Loopback | None = None
    measured: tuple[NodeMeasured, ...] = ()

    @classmethod
    def of(cls, result: JobResult) -> Self:
        said = result.sentence
        return cls(
            segment=result.segment,
            seconds=result.seconds,
            sentence=None if said is None else words(said),
            sentence_key=None if said is None else view(said),
            nodes=result.nodes,
            loopback=result.loopback,
            measured=result.measured,
        )

    def result(self) -> JobResult:
        return JobResult(
            segment=self.segment,
            seconds=self.seconds,
            sentence=None if self.sentence_key is None else sentence(self.sentence_key),
            nodes=self.nodes,
            loopback=self.loopback,
            measured=self.measured,
        )


class BusResult(Struct, kw_only=True):
    """What each segment found, in the order of the settings; empty without segments."""

    results: list[SegmentResult]


Purpose = Literal["selftest", "hardware_test"]
Pattern = Literal[TestPattern, "none"]
Level = Literal["boot", "field", "bench"]

LONGEST_BUZZ_MS = 5000
LONGEST_SOUND_MS = 10_000
MOST_WRITES = 256
LARGEST_WRITE = 64 * 1024
LONGEST_PIECE = 16_000
"""Characters of one piece of a report: at four bytes each they still fit into a request."""

JOB_DEADLINE_S = 120.0
"""A segment that has not reported then does not report at all."""

ResultT = TypeVar("ResultT")


class TypedProbe(Struct, Generic[ResultT], forbid_unknown_fields=True, kw_only=True, tag_field="do"):
    """A probe that answers with a `ResultT`."""


class LampProbe(TypedProbe[ProbeDone], tag="lamp", kw_only=True):
    """Light this lamp, or make it dark. The first forced output takes all others dark."""

    lamp: LampName
    lit: bool


class BuzzerProbe(TypedProbe[Buzzed], tag="buzzer", kw_only=True):
    """Sound for so long, at most for the longest tone of the settings; answered when it is silent again."""

    ms: Annotated[int, Meta(ge=1, le=LONGEST_BUZZ_MS)]


class DisplayProbe(TypedProbe[Drawn], tag="display", kw_only=True):
    """Show a test picture on the local display; answered when it is on the glass."""

    pattern: Pattern


class InputsProbe(TypedProbe[Inputs], tag="inputs", kw_only=True):
    """The levels of the big button's contacts now."""


class EdgesProbe(TypedProbe[Edges], tag="edges", kw_only=True):
    """The raw edges of the big button from number `since` on, and the presses made of them."""

    since: Annotated[int, Meta(ge=0)] = 0


class JournalProbe(TypedProbe[JournalChecked], tag="journal", kw_only=True):
    """Write a line to the journal, and read it back from the disk."""


class DiskProbe(TypedProbe[DiskChecked], tag="disk", kw_only=True):
    """Write so many files of so many bytes to the state folder, each synced, read them back, delete them."""

    writes: Annotated[int, Meta(ge=1, le=MOST_WRITES)] = 64
    size: Annotated[int, Meta(ge=1, le=LARGEST_WRITE)] = 4096


class FactsProbe(TypedProbe[SystemFacts], tag="facts", kw_only=True):
    """What the computer says of itself."""


class SoundProbe(TypedProbe[Sounded], tag="sound", kw_only=True):
    """Play a tone for so long; answered when it has been played."""

    ms: Annotated[int, Meta(ge=50, le=LONGEST_SOUND_MS)]


class PanelCurrentProbe(TypedProbe[PanelCurrent], tag="panel_current", kw_only=True):
    """Current and supply of the panel's lamps and buzzer, now."""


class PortsProbe(TypedProbe[Ports], tag="ports", kw_only=True):
    """The serial ports of the segments."""


class FittedProbe(TypedProbe[Fitted], tag="settings", kw_only=True):
    """What is fitted, as the settings say."""


class BusProbe(TypedProbe[BusResult], tag="bus", kw_only=True):
    """Do this on every segment; answered when all have finished."""

    job: BusJob


class IdentifyProbe(TypedProbe[ProbeDone], tag="identify", kw_only=True):
    """Have one node, or with None all, show something for so long; 0 s ends it."""

    uid: Uid | None = None
    what: IdentifyWhat
    seconds: Annotated[int, Meta(ge=0, le=255)]
    number: Annotated[int, Meta(ge=0, le=65535)] = 0


class OrderProbe(TypedProbe[ProbeDone], tag="order", kw_only=True):
    """Have a node do this."""

    uid: Uid
    what: OrderName
    argument: Annotated[int, Meta(ge=0, le=255)] = 0


class KeepReportProbe(TypedProbe[ReportKept], tag="keep_report", kw_only=True):
    """Keep a report of this level. `text` is its JSON or, with `more`, a piece of it: the next one follows
    over the same connection."""

    level: Level
    text: Annotated[str, Meta(max_length=LONGEST_PIECE)]
    more: bool = False


class ReportsProbe(TypedProbe[Reports], tag="reports", kw_only=True):
    """The names of the reports kept, newest first."""


class ReportProbe(TypedProbe[ReportPiece], tag="report", kw_only=True):
    """A report."""

    name: str


Probe = (
    LampProbe
    | BuzzerProbe
    | DisplayProbe
    | InputsProbe
    | EdgesProbe
    | JournalProbe
    | DiskProbe
    | FactsProbe
    | SoundProbe
    | PanelCurrentProbe
    | PortsProbe
    | FittedProbe
    | BusProbe
    | IdentifyProbe
    | OrderProbe
    | KeepReportProbe
    | ReportsProbe
    | ReportProbe
)
PROBES: dict[str, type[Probe]] = {str(kind.__struct_config__.tag): kind for kind in Probe.__args__}
RESULTS: dict[type[TypedProbe[Any]], Any] = {
    kind: kind.__orig_bases__[0].__args__[0] for kind in Probe.__args__
}
"""What each probe answers with."""

FREE = (FactsProbe, FittedProbe, PanelCurrentProbe, PortsProbe, KeepReportProbe, ReportsProbe, ReportProbe)
"""Probes that touch no output and disturb no game: they are answered at any time, and need no lease."""


def read_probe(value: object) -> Probe:
    """The probe in a request's JSON value. Malformed with a sentence."""
    if isinstance(value, Probe):
        return value
    if not isinstance(value, dict):
        raise Malformed(Sentence("request.probe_is_no_object", value=shown(value)))
    asked = value.get("do")
    if not isinstance(asked, str) or asked not in PROBES:
        raise Malformed(Sentence("request.no_probe", name=shown(asked), known=", ".join(PROBES)))
    expected = PROBES[asked]
    try:
        probe: Probe = read_as(value, expected)
    except Malformed as error:
        raise Malformed(Sentence("request.of_probe", probe=asked, problem=error.sentence)) from error
    return probe
