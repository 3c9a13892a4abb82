"""Statistics: how well the line and each node on it do."""

from collections import deque
from collections.abc import Iterable
from typing import Final

from pi_controller.bus.messages import Health
from pi_controller.bus.nodes import Node
from pi_controller.bus.values import NodeCensus, RoundTrip

BUCKET_US: Final = 1_000_000
BUCKETS: Final = 4
KEPT_TRIPS: Final = 400
NO_HEALTH: Final = Health(epoch=0, state_seq=0, sun_display=True, moon_display=True)
"""Of a node that has not reported yet: nothing is known, so nothing is wrong with it."""


class Busy:
    """Part of the time in which the line was in use, over the last four seconds."""

    def __init__(self, *, baud: int) -> None:
        self._byte_us = 10_000_000 / baud
        self._full: deque[int] = deque(maxlen=BUCKETS)
        self._bytes = 0
        self._begun_us = 0

    def add(self, count: int, now_us: int) -> None:
        self._turn(now_us)
        self._bytes += count

    def part(self, now_us: int) -> float:
        """0 to 1."""
        self._turn(now_us)
        if not self._full:
            return 0.0
        return min(1.0, sum(self._full) * self._byte_us / (len(self._full) * BUCKET_US))

    def _turn(self, now_us: int) -> None:
        gone = (now_us - self._begun_us) // BUCKET_US
        if gone <= 0:
            return
        for _ in range(min(gone, BUCKETS)):
            self._full.append(self._bytes)
            self._bytes = 0
        self._begun_us += gone * BUCKET_US


def round_trip(trips_us: Iterable[int]) -> RoundTrip | None:
    """Median and 99th percentile; None when there are none."""
    ordered = sorted(trips_us)
    if not ordered:
        return None
    return RoundTrip(p50_ms=_percentile(ordered, 0.50), p99_ms=_percentile(ordered, 0.99))


def node_census(node: Node, segment: str, now_us: int) -> NodeCensus:
    """All that is known of the node; what only its first health report tells is 0 until then."""
    health = node.health or NO_HEALTH
    major, minor = node.info.firmware
    return NodeCensus(
        uid=node.uid,
        segment=segment,
        address=node.address,
        state=node.state,
        board=node.board,
        swapped=node.swapped,
        hardware=node.info.hardware,
        firmware=f"{major}.{minor}",
        protocols=(node.info.proto_min, node.info.proto_max),
        boots=node.info.boots,
        age_ms=max(0, now_us - node.heard_us) // 1000,
        uptime_min=health.uptime,
        supply_v=health.vbus / 5,
        temperature_c=health.temperature,
        reset=health.reset,
        safe_mode=health.safe_mode,
        displays=(health.sun_display, health.moon_display),
        good=node.good,
        missed=node.missed,
        crc_errors=node.crc_errors,
        states_missed=node.states_missed,
        round_trip=round_trip(node.trips_us),
        stuck=(health.sun_stuck, health.moon_stuck),
        reported=node.health is not None,
    )


def grown(before: int, after: int) -> int:
    """How far a counter mod 256 has run on."""
    return (after - before) % 256


def _percentile(ordered: list[int], part: float) -> float:
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] / 1000
