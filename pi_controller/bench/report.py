"""Figures as lines for people and as JSON for programs."""

import os
import platform
import socket
from collections.abc import Sequence
from typing import Any

import msgspec

from pi_controller import __version__
from pi_controller.bench.figures import Figure, Summary
from pi_controller.bench.machine import load

WIDEST_NAME = 22
HEADING = (
    f"{'figure':{WIDEST_NAME}} {'count':>6} {'p50':>9} {'p99':>9} {'max':>9}      floor p50 / p99   target"
)


def lines(figure: Figure) -> list[str]:
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
    rows: list[dict[str, Any]] = [msgspec.to_builtins(figure) | {"met": figure.met} for figure in figures]
    report = {
        "version": 1,
        "software": __version__,
        "host": socket.gethostname(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "loads": list(loads),
        "figures": rows,
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
