"""Measuring jobs on the table bus as they are asked for over the control socket, and what they find."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

Frames = Annotated[int, Meta(ge=1, le=100_000)]
Seconds = Annotated[float, Meta(gt=0, le=110)]
Uid = Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]
LONGEST_JOB_S = 120.0


class _Job(Struct, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    pass


class PingAsked(_Job, tag="ping", kw_only=True):
    """Send test frames to these nodes (None: all that are known), so many each, for so long at most."""

    uids: list[Uid] | None = None
    frames: Frames
    seconds: Seconds | None = None


class LoopbackAsked(_Job, tag="loopback", kw_only=True):
    """With nothing but terminators on the line: send frames and read the own echo."""

    frames: Frames


class SilenceAsked(_Job, tag="silence", kw_only=True):
    """Send no state for so long, while polls go on; ping before and after, for the clocks' drift."""

    seconds: Seconds


class MarginAsked(_Job, tag="margin", kw_only=True):
    """Pings at a higher speed."""

    baud: Literal[500_000] = 500_000
    frames: Frames


BusJobAsked = PingAsked | LoopbackAsked | SilenceAsked | MarginAsked


class NodePingView(Struct, kw_only=True):
    """How a node answered. Milliseconds from the end of a request to the end of its answer.
    `clock_offset_us`: the node's idea of the controller's time against the controller's."""

    uid: str
    sent: int
    answered: int
    bad: int
    p50_ms: float | None
    p99_ms: float | None
    worst_ms: float | None
    clock_offset_us: float | None


class LoopbackView(Struct, kw_only=True):
    sent: int
    echoed: int
    damaged: int


class SegmentResult(Struct, kw_only=True):
    """What one segment found. `sentence`: why it could not be done, and what to do."""

    segment: str
    nodes: list[NodePingView] = []
    before: list[NodePingView] = []
    """The pings before the silence; `nodes` are those after it."""
    loopback: LoopbackView | None = None
    sentence: str | None = None


class BusResult(Struct, kw_only=True):
    results: list[SegmentResult]
