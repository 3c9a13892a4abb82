"""What core answers over the control socket, a line each, with the `id` of the request."""

from typing import Any

from msgspec import Struct

from pi_controller.journal.export_files import GameSummary
from pi_controller.protocol.actions import ActionsView
from pi_controller.protocol.halls import Settlement
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.seats import SeatCodeView
from pi_controller.protocol.sentences import SentenceView
from pi_controller.protocol.stick import StickView
from pi_controller.protocol.tables import TablesSnapshot
from pi_controller.roster.model import Roster
from pi_controller.software import Software

RequestId = int | str


class PictureAnswer(Struct, kw_only=True):
    """`software` is core's own."""

    id: RequestId
    picture: Picture
    software: Software


class CommandAnswer(Struct, kw_only=True):
    """`seq` is the picture's after the command; `reasons` are sentences, empty when accepted, `reason_keys`
    the same before they were put into words.

    `done` without `accepted`: it is done and shown, but not on the disk; its key is answered so until it is.
    """

    id: RequestId
    accepted: bool
    seq: int
    reasons: list[str] = []
    reason_keys: list[SentenceView] = []
    done: bool = False


class GamesAnswer(Struct, kw_only=True):
    id: RequestId
    games: list[GameSummary]


class ExportLinesAnswer(Struct, kw_only=True):
    id: RequestId
    lines: list[str]
    more: bool


class MetricsAnswer(Struct, kw_only=True):
    """Each a number, or numbers by a label such as `segment="1"`."""

    id: RequestId
    metrics: dict[str, float | dict[str, float]]


class TablesAnswer(Struct, kw_only=True):
    id: RequestId
    tables: TablesSnapshot


class RosterAnswer(Struct, kw_only=True):
    id: RequestId
    roster: Roster


class SeatCodesAnswer(Struct, kw_only=True):
    id: RequestId
    codes: list[SeatCodeView]


class ChangeAnswer(Struct, kw_only=True):
    """To `set_roster` and `table`; `reasons` are all mistakes in sentences, and nothing was changed then."""

    id: RequestId
    accepted: bool
    reasons: list[str] = []
    reason_keys: list[SentenceView] = []


class LeaseAnswer(ChangeAnswer, kw_only=True):
    """To `test_begin`; `lease` goes with everything that belongs to the test."""

    lease: str | None = None


class ProbeAnswer(Struct, kw_only=True):
    """`result` is what `protocol.probes.RESULTS` names for the probe."""

    id: RequestId
    result: Any


class ActionsAnswer(Struct, kw_only=True):
    id: RequestId
    actions: ActionsView


class StickAnswer(Struct, kw_only=True):
    id: RequestId
    stick: StickView


class DoneAnswer(Struct, kw_only=True):
    id: RequestId
    done: bool = True


class LinkAnswer(Struct, kw_only=True):
    """To the links process. `controller`: by what the halls know this one; `term`, `over`: its lease, as
    kept on its disk; `lease_key`: by what it proves them, where it has the halls' pairing key; `settle`:
    what a person has decided, until it is carried out."""

    id: RequestId
    controller: str
    term: int = 1
    over: tuple[str, ...] = ()
    lease_key: str | None = None
    settle: Settlement | None = None


class MalformedAnswer(Struct, kw_only=True):
    """`malformed` is a sentence, `malformed_key` the same before it was put into words."""

    id: RequestId | None
    malformed: str
    malformed_key: SentenceView | None = None


class ErrorAnswer(Struct, kw_only=True):
    """`error` is a sentence, `error_key` the same before it was put into words."""

    id: RequestId | None
    error: str
    error_key: SentenceView | None = None
