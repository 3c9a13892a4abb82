"""What a benchmark says: a figure, its floor in the same run, its target, and the row that shows them."""

import math
import os
import platform
import socket
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from pi_controller import __version__
from pi_controller.bench.processes import load

Say = Callable[[str], None]
"""Takes one line of progress."""

Statistic = Literal["p50", "p99", "max"]


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """Of `count` samples; p50 and p99 are nearest ranks, so each is a sample that was measured."""

    count: int
    p50: float
    p99: float
    max: float


class FigureLimit(msgspec.Struct, frozen=True, kw_only=True):
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
    limits: tuple[FigureLimit, ...] = ()
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


def limits(**at_most: float) -> tuple[FigureLimit, ...]:
    """`limits(p50=5, p99=7)`; the names are statistics."""
    return tuple(
        FigureLimit(statistic=msgspec.convert(name, Statistic), at_most=value)
        for name, value in at_most.items()
    )


def _rank(ordered: Sequence[float], part: float) -> float:
    return float(ordered[max(0, math.ceil(part * len(ordered)) - 1)])


WIDEST_NAME = 22
HEADING = (
    f"{'figure':{WIDEST_NAME}} {'count':>6} {'p50':>9} {'p99':>9} {'max':>9}      floor p50 / p99   target"
)


def rows(figure: Figure) -> list[str]:
    """The row of a figure and what there is to say about it."""
    measured = figure.measured
    values = " ".join(_short(value) for value in (measured.p50, measured.p99, measured.max))
    row = f"{figure.name:{WIDEST_NAME}} {measured.count:6d} {values} {figure.unit:3}"
    about = f"    {figure.what}" + (f"; floor: {figure.floor_is}" if figure.floor_is else "")
    told = [f"{row}  {_floor(figure.floor)}   {_target(figure)}", about]
    return [*told, f"    {figure.note}"] if figure.note else told


def machine_line() -> str:
    """Where and beside what was measured: figures mean little without it."""
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}, Python"
        f" {platform.python_version()}, load {load()}"
    )


def as_json(figures: Sequence[Figure], loads: Sequence[str]) -> bytes:
    """Everything, with the load before and after."""
    figures_with_met = [msgspec.to_builtins(figure) | {"met": figure.met} for figure in figures]
    report = {
        "version": 1,
        "software": __version__,
        "host": socket.gethostname(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "loads": list(loads),
        "figures": figures_with_met,
    }
    return msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n"


def _short(value: float) -> str:
    return f"{value:9.3f}" if abs(value) < 1000 else f"{value:9.0f}"


def _floor(floor: Summary | None) -> str:
    return f"{_short(floor.p50)} /{_short(floor.p99)}" if floor is not None else " " * 20


def _target(figure: Figure) -> str:
    if figure.met is None:
        return "none"
    wanted = ", ".join(f"{limit.statistic} ≤ {limit.at_most:g}" for limit in figure.limits)
    return f"{wanted} {figure.unit}: {'met' if figure.met else 'MISSED'}"
