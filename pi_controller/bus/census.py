"""Statistics: how well the line and each node on it do."""

from collections import deque
from collections.abc import Iterable
from typing import Final

from pi_controller.bus.values import RoundTrip

BUCKET_US: Final = 1_000_000
BUCKETS: Final = 4
KEPT_TRIPS: Final = 400


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


def grown(before: int, after: int) -> int:
    """How far a counter mod 256 has run on."""
    return (after - before) % 256


def _percentile(ordered: list[int], part: float) -> float:
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] / 1000
