"""The table nodes as they are published: what stands on each segment, and what may be done to a table."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from pi_controller.bus.values import Count, LinkState, NodeView, RoundTripView, TableOrder
from pi_controller.game.commands import ClaimsMode
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.sentences import SentenceView
from pi_controller.sentence import Sentence

Deed = Literal["swap", "replace", "clear", "identify", "enrol", "stop_enrolment", "order"]
LONGEST_IDENTIFY_S = 255


class SegmentView(Struct, kw_only=True):
    """One line of table nodes. Counters run from the start of core."""

    name: str
    port: str
    link: LinkState
    sentence: str | None
    """What is wrong and what to do; None: all is well."""
    sentence_key: SentenceView | None = None
    baud: int
    good: Count
    crc_errors: Count
    missed: Count
    echoes: Count
    collisions: Count
    reopened: Count
    busy: Annotated[float, Meta(ge=0, le=1)]
    """Part of the time in which the line is in use."""
    round_trip_ms: RoundTripView | None


class EnrolmentView(Struct, kw_only=True):
    """A walk along a row, pressing at each board; `next_board` is the one that the next press names."""

    row: str
    next_board: str
    done: list[str]


class TablesSnapshot(Struct, kw_only=True):
    """Everything that is known of the table nodes."""

    version: Literal[1] = 1
    segments: list[SegmentView]
    nodes: list[NodeView]
    doctor: list[str]
    """Likely causes of what is not in order, in sentences."""
    doctor_keys: list[SentenceView] = []
    """The same before they were put into words."""
    enrolment: EnrolmentView | None
    claims_mode: ClaimsMode


class TableDeed(Struct, forbid_unknown_fields=True, kw_only=True):
    """Something to do to a table; which fields it takes depends on `do` (`NEEDED`, `POSSIBLE`)."""

    do: Deed
    board: str | None = None
    uid: str | None = None
    row: str | None = None
    seconds: Annotated[int, Meta(ge=1, le=LONGEST_IDENTIFY_S)] | None = None
    what: TableOrder | None = None


FIELDS = ("board", "uid", "row", "seconds", "what")
NEEDED: dict[Deed, tuple[str, ...]] = {
    "swap": ("board",),
    "replace": ("board", "uid"),
    "clear": ("board",),
    "enrol": ("row",),
    "order": ("uid", "what"),
}
POSSIBLE: dict[Deed, tuple[str, ...]] = {"identify": ("board", "uid", "seconds"), "enrol": ("board",)}
"""Besides the needed ones. `enrol` begins at `board`; `identify` without board and uid is for all tables."""


def check_deed(deed: TableDeed) -> None:
    """Malformed when fields are missing or do not belong to this deed."""
    needed = NEEDED.get(deed.do, ())
    known = (*needed, *POSSIBLE.get(deed.do, ()))
    for name in needed:
        if getattr(deed, name) is None:
            raise Malformed(Sentence("request.deed_needs", deed=deed.do, name=name))
    for name in FIELDS:
        if getattr(deed, name) is not None and name not in known:
            raise Malformed(Sentence("request.not_of_deed", deed=deed.do, name=name))
    if deed.do == "identify" and deed.board is not None and deed.uid is not None:
        raise Malformed(Sentence("request.identify_either"))
