"""What the bus of the small hall tells of its segments and tables."""

from random import Random
from typing import Any

from pi_controller.bus.values import BusJob, NodeMeasured, NodePing, SilenceAsked
from pi_controller.protocol.tables import SegmentView
from tests.selftest.small_tables import Table


def ping(table: Table, frames: int, worse: float, job: BusJob) -> NodePing:
    lost = round(frames * max(table.loss, worse)) if table.tests else frames
    silent = frames == lost
    return NodePing(
        uid=table.uid,
        sent=frames,
        answered=frames - lost,
        p50_ms=None if silent else table.p50_ms,
        p99_ms=None if silent else table.p99_ms,
        worst_ms=None if silent else table.p99_ms,
        clock_offset_us=None if silent else 100,
        drift_us=table.drift_us if isinstance(job, SilenceAsked) and not silent else None,
    )


def felt(table: Table, volts: float, chance: Random, *, looped: bool) -> NodeMeasured:
    """What the node reads of `volts` at its supply and of its own currents, with its parts' tolerances."""
    return NodeMeasured(
        uid=table.uid,
        supply_v=table.tolerances.read_supply(volts, chance),
        spread_v=4.7 * table.tolerances.noise_v,
        lamps_ma=table.tolerances.read_lamps(table.lamps_ma()) if table.measures else None,
        displays_ma=table.tolerances.read_displays(table.displays_ma()) if table.measures else None,
        loop=looped if table.measures else None,
    )


def segment_view(name: str, link: Any, sentence: str | None) -> SegmentView:
    return SegmentView(
        name=name,
        port=f"/dev/tablebus/row-{name}",
        link=link,
        sentence=sentence,
        baud=250000,
        good=1000,
        crc_errors=0,
        missed=0,
        echoes=0,
        collisions=0,
        reopened=0,
        busy=0.2,
        round_trip_ms=None,
    )
