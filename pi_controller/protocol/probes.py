"""Probes of the hardware over the control socket: what may be asked, and what each answers.

`{"ask": "probe", "lease": …, "probe": {"do": "lamp", "lamp": "sun", "lit": true}}` is answered by
`{"id": …, "result": {…}}`, or by `error` with a sentence when the part does not answer. Times are
CLOCK_BOOTTIME: `_ns` in nanoseconds, `_ms` in milliseconds.
"""

from typing import Annotated, Any, Generic, Literal, TypeVar

from msgspec import Meta, Struct

from pi_controller.bus.values import BusJob, IdentifyWhat, OrderName, TestPattern, Uid
from pi_controller.hal.facts import SystemFacts
from pi_controller.hal.names import LampName
from pi_controller.protocol import probe_results as results
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.strict_json import read_as, shown
from pi_controller.sentence import Sentence

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


class LampProbe(TypedProbe[results.Done], tag="lamp", kw_only=True):
    """Light this lamp, or make it dark. The first forced output takes all others dark."""

    lamp: LampName
    lit: bool


class BuzzerProbe(TypedProbe[results.Buzzed], tag="buzzer", kw_only=True):
    """Sound for so long, at most for the longest tone of the settings; answered when it is silent again."""

    ms: Annotated[int, Meta(ge=1, le=LONGEST_BUZZ_MS)]


class DisplayProbe(TypedProbe[results.Drawn], tag="display", kw_only=True):
    """Show a test picture on the local display; answered when it is on the glass."""

    pattern: Pattern


class InputsProbe(TypedProbe[results.Inputs], tag="inputs", kw_only=True):
    """The levels of the big button's contacts now."""


class EdgesProbe(TypedProbe[results.Edges], tag="edges", kw_only=True):
    """The raw edges of the big button from number `since` on, and the presses made of them."""

    since: Annotated[int, Meta(ge=0)] = 0


class JournalProbe(TypedProbe[results.JournalChecked], tag="journal", kw_only=True):
    """Write a line to the journal, and read it back from the disk."""


class DiskProbe(TypedProbe[results.DiskChecked], tag="disk", kw_only=True):
    """Write so many files of so many bytes to the state folder, each synced, read them back, delete them."""

    writes: Annotated[int, Meta(ge=1, le=MOST_WRITES)] = 64
    size: Annotated[int, Meta(ge=1, le=LARGEST_WRITE)] = 4096


class FactsProbe(TypedProbe[SystemFacts], tag="facts", kw_only=True):
    """What the computer says of itself."""


class SoundProbe(TypedProbe[results.Sounded], tag="sound", kw_only=True):
    """Play a tone for so long; answered when it has been played."""

    ms: Annotated[int, Meta(ge=50, le=LONGEST_SOUND_MS)]


class PanelCurrentProbe(TypedProbe[results.PanelCurrent], tag="panel_current", kw_only=True):
    """Current and supply of the panel's lamps and buzzer, now."""


class PortsProbe(TypedProbe[results.Ports], tag="ports", kw_only=True):
    """The serial ports of the segments."""


class FittedProbe(TypedProbe[results.Fitted], tag="settings", kw_only=True):
    """What is fitted, as the settings say."""


class BusProbe(TypedProbe[results.BusResult], tag="bus", kw_only=True):
    """Do this on every segment; answered when all have finished."""

    job: BusJob


class IdentifyProbe(TypedProbe[results.Done], tag="identify", kw_only=True):
    """Have one node, or with None all, show something for so long; 0 s ends it."""

    uid: Uid | None = None
    what: IdentifyWhat
    seconds: Annotated[int, Meta(ge=0, le=255)]
    number: Annotated[int, Meta(ge=0, le=65535)] = 0


class OrderProbe(TypedProbe[results.Done], tag="order", kw_only=True):
    """Have a node do this."""

    uid: Uid
    what: OrderName
    argument: Annotated[int, Meta(ge=0, le=255)] = 0


class KeepReportProbe(TypedProbe[results.Kept], tag="keep_report", kw_only=True):
    """Keep a report of this level. `text` is its JSON or, with `more`, a piece of it: the next one follows
    over the same connection."""

    level: Level
    text: Annotated[str, Meta(max_length=LONGEST_PIECE)]
    more: bool = False


class ReportsProbe(TypedProbe[results.Reports], tag="reports", kw_only=True):
    """The names of the reports kept, newest first."""


class ReportProbe(TypedProbe[results.Report], tag="report", kw_only=True):
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
