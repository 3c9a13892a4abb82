"""What the probes of the hardware answer with, and the live news of a test."""

from typing import Any

from msgspec import Struct

from pi_controller.bus.values import JobResult, Loopback, NodeMeasured, NodePing
from pi_controller.hal.names import ContactName, WiredContacts
from pi_controller.hal.serial.survey import Holder
from pi_controller.protocol.sentences import SentenceView, sentence
from pi_controller.vocabulary import Side


class Done(Struct, kw_only=True):
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


class Kept(Struct, kw_only=True):
    """The report lies under this name; None: its next piece is waited for."""

    name: str | None


class ReportEntry(Struct, kw_only=True):
    name: str
    level: str
    bytes: int


class Reports(Struct, kw_only=True):
    reports: list[ReportEntry]


class Report(Struct, kw_only=True):
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
