"""What a benchmark says: a figure, the floor measured beside it, and the target that it is held against."""

import math
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

Say = Callable[[str], None]
"""Takes one line of progress."""

Statistic = Literal["p50", "p99", "max"]


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """Of `count` samples; p50 and p99 are nearest ranks, so each is a sample that was measured."""

    count: int
    p50: float
    p99: float
    max: float


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """The statistic may be at most this much, in the figure's unit."""

    statistic: Statistic
    at_most: float


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One row. `floor` was measured in the same run, by what `floor_is` names; `note` is for the reader."""

    name: str
    what: str
    unit: str
    measured: Summary
    floor: Summary | None = None
    floor_is: str = ""
    limits: tuple[Limit, ...] = ()
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether every limit is kept; None when there is none."""
        if not self.limits:
            return None
        return all(getattr(self.measured, limit.statistic) <= limit.at_most for limit in self.limits)


def summary(samples: Sequence[float]) -> Summary:
    """ValueError without samples."""
    if not samples:
        raise ValueError("nothing was measured")
    ordered = sorted(samples)
    return Summary(
        count=len(ordered), p50=_rank(ordered, 0.50), p99=_rank(ordered, 0.99), max=float(ordered[-1])
    )


def in_ms(samples_ns: Sequence[int]) -> Summary:
    """Of nanoseconds, in milliseconds."""
    return summary([sample / 1e6 for sample in samples_ns])


def limits(**at_most: float) -> tuple[Limit, ...]:
    """`limits(p50=5, p99=7)`; the names are statistics."""
    return tuple(
        Limit(statistic=msgspec.convert(name, Statistic), at_most=value) for name, value in at_most.items()
    )


def _rank(ordered: Sequence[float], part: float) -> float:
    return float(ordered[max(0, math.ceil(part * len(ordered)) - 1)])
