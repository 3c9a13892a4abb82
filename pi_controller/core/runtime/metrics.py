"""Figures about the running core: latencies in fixed buckets, counters, gauges."""

from bisect import bisect_left
from collections.abc import Callable

Numbers = dict[str, float | dict[str, float]]

BUCKETS_S = (0.0001, 0.0003, 0.001, 0.002, 0.005, 0.007, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 3.0)
"""Upper bounds; 0.3, 2, 5 and 7 ms are the limits that the project promises."""


class Latency:
    """A histogram of seconds with fixed buckets; memory does not grow."""

    def __init__(self) -> None:
        self.count = 0
        self.sum_s = 0.0
        self.longest_s = 0.0
        self._buckets = [0] * (len(BUCKETS_S) + 1)

    def add_ns(self, duration_ns: int) -> None:
        seconds = max(0, duration_ns) / 1e9
        self.count += 1
        self.sum_s += seconds
        self.longest_s = max(self.longest_s, seconds)
        self._buckets[bisect_left(BUCKETS_S, seconds)] += 1

    def numbers(self) -> dict[str, float]:
        """Cumulative buckets as `le="0.001"`, then `count`, `sum` and `max`."""
        numbers: dict[str, float] = {}
        below = 0
        for bound, inside in zip((*map(str, BUCKETS_S), "+Inf"), self._buckets, strict=True):
            below += inside
            numbers[f'le="{bound}"'] = below
        return numbers | {"count": self.count, "sum": self.sum_s, "max": self.longest_s}


class Metrics:
    """All figures of one core. Gauges are asked when somebody reads."""

    def __init__(self) -> None:
        self.press_to_freeze = Latency()
        self.press_to_saved = Latency()
        self.qualified_to_freeze = Latency()
        self.loop_lag = Latency()
        self._counters = {"defects": 0}
        self._families: list[Callable[[], Numbers]] = []

    def count(self, name: str) -> None:
        self._counters[name] = self._counters.get(name, 0) + 1

    def gauge(self, name: str, read: Callable[[], float]) -> None:
        self.family(lambda: {name: read()})

    def family(self, read: Callable[[], Numbers]) -> None:
        """Figures of a part that names them itself, some by label."""
        self._families.append(read)

    def numbers(self) -> Numbers:
        numbers: Numbers = {
            "press_to_freeze_seconds": self.press_to_freeze.numbers(),
            "press_to_saved_seconds": self.press_to_saved.numbers(),
            "qualified_to_freeze_seconds": self.qualified_to_freeze.numbers(),
            "loop_lag_seconds": self.loop_lag.numbers(),
        }
        numbers.update(self._counters)
        for read in self._families:
            numbers.update(read())
        return numbers
