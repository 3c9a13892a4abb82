"""Measuring jobs on the table bus as they are asked for over the control socket, and what they find."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from pi_controller.bus.values import (
    LONGEST_JOB_S,
    BusJob,
    JobResult,
    LoopbackJob,
    MarginJob,
    PingJob,
    SilenceJob,
)

Frames = Annotated[int, Meta(ge=1, le=100_000)]
Seconds = Annotated[float, Meta(gt=0, le=LONGEST_JOB_S)]
Uid = Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]
JOB_DEADLINE_S = 120.0
"""A segment that has not reported then does not report at all."""


class _Job(Struct, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    """`build` gives the job as the bus takes it."""


class PingAsked(_Job, tag="ping", kw_only=True):
    """Send test frames to these nodes (None: all that are good), so many each, for so long at most."""

    frames: Frames
    uids: list[Uid] | None = None
    seconds: Seconds | None = None

    def build(self) -> BusJob:
        uids = None if self.uids is None else tuple(self.uids)
        return PingJob(frames=self.frames, uids=uids, seconds=self.seconds)


class LoopbackAsked(_Job, tag="loopback", kw_only=True):
    """With nothing but terminators on the line: send frames and read the own echo."""

    frames: Frames

    def build(self) -> BusJob:
        return LoopbackJob(frames=self.frames)


class SilenceAsked(_Job, tag="silence", kw_only=True):
    """Send no state for so long, while polls go on; ping before and after, for the clocks' drift."""

    seconds: Seconds

    def build(self) -> BusJob:
        return SilenceJob(seconds=self.seconds)


class MarginAsked(_Job, tag="margin", kw_only=True):
    """Pings at twice the speed."""

    frames: Frames
    baud: Literal[500_000] = 500_000

    def build(self) -> BusJob:
        return MarginJob(frames=self.frames, baud=self.baud)


BusJobAsked = PingAsked | LoopbackAsked | SilenceAsked | MarginAsked


class BusResult(Struct, kw_only=True):
    """What each segment found, in the order of the settings; empty without segments."""

    results: list[JobResult]
