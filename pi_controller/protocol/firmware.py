"""New firmware for the tables over their cables, as it is told to whoever asks how far it is."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from pi_controller.bus.values import Count, FirmwareEnd
from pi_controller.protocol.sentences import SentenceView

FirmwareOrder = Literal["begin", "consent", "stop"]
FirmwareDeed = Literal["look", FirmwareOrder]
FirmwareState = Literal["none", "building", "asking", "working", "done"]
"""Nothing was begun since core runs; the image is made; consent is waited for; nodes get it; it is over."""


class FirmwareSegment(Struct, kw_only=True):
    """So many of its `nodes` are to have it, of which `done` are settled; those under way have `part` of so
    many `parts`."""

    name: str
    nodes: Count
    done: Count = 0
    part: Count = 0
    parts: Count = 0


class FirmwareOutcome(Struct, kw_only=True):
    """What became of these tables, each by its board or, where it stands at none, by its unique id."""

    end: FirmwareEnd
    boards: list[str]
    text: str
    """What it means and what to do."""


class FirmwareView(Struct, kw_only=True):
    """The update that was begun last, as the `number`th since core runs. `version` is what this controller
    has for its tables. While it asks: press a claim button at `board` within `left_s` seconds, or say yes."""

    version: str
    number: Count = 0
    state: FirmwareState = "none"
    board: str | None = None
    left_s: Annotated[int, Meta(ge=0)] = 0
    segments: list[FirmwareSegment] = []
    outcomes: list[FirmwareOutcome] = []
    reason: str | None = None
    """Why it ended without nodes, or before they were through."""
    reason_key: SentenceView | None = None
