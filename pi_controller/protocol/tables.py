"""The table nodes as they are published: what stands on each segment, and what may be done to a table."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from pi_controller.bus.values import Count, LinkState, NodeView, RoundTripView, TableOrder
from pi_controller.game.commands import ClaimsMode
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.sentences import SentenceView
from pi_controller.sentence import Sentence

TableActionName = Literal["swap", "replace", "clear", "identify", "enrol", "stop_enrolment", "order"]
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


class TableAction(Struct, forbid_unknown_fields=True, kw_only=True):
    """Something to do to a table; which fields it takes depends on `do` (`NEEDED`, `POSSIBLE`)."""

    do: TableActionName
    board: str | None = None
    uid: str | None = None
    row: str | None = None
    seconds: Annotated[int, Meta(ge=1, le=LONGEST_IDENTIFY_S)] | None = None
    what: TableOrder | None = None


FIELDS = ("board", "uid", "row", "seconds", "what")
NEEDED: dict[TableActionName, tuple[str, ...]] = {
    "swap": ("board",),
    "replace": ("board", "uid"),
    "clear": ("board",),
    "enrol": ("row",),
    "order": ("uid", "what"),
}
POSSIBLE: dict[TableActionName, tuple[str, ...]] = {
    "identify": ("board", "uid", "seconds"),
    "enrol": ("board",),
}
"""Besides the needed ones. `enrol` begins at `board`; `identify` without board and uid is for all tables."""


def check_action(action: TableAction) -> None:
    """Malformed when fields are missing or do not belong to this action."""
    needed = NEEDED.get(action.do, ())
    known = (*needed, *POSSIBLE.get(action.do, ()))
    for name in needed:
        if getattr(action, name) is None:
            raise Malformed(Sentence("request.action_needs", action=action.do, name=name))
    for name in FIELDS:
        if getattr(action, name) is not None and name not in known:
            raise Malformed(Sentence("request.not_of_deed", action=action.do, name=name))
    if action.do == "identify" and action.board is not None and action.uid is not None:
        raise Malformed(Sentence("request.identify_either"))
