"""Memory of the processes after some play with somebody watching."""

import asyncio
import time
from pathlib import Path

from pi_controller.bench.figures import Figure, Limit, Say, limits, summary
from pi_controller.bench.processes import (
    BenchError,
    ask,
    children_of,
    command_line,
    memory_kib,
    pages,
)
from pi_controller.bench.web.listeners import Listeners
from pi_controller.protocol.client import Client
from pi_controller.protocol.paths import socket_path

FAST = 20
"""Play is so many times as fast: a minute holds a good half of a game."""

LOOK_S = 5.0
_KIB = 1024


def memory(*, seconds: float, folder: Path, say: Say) -> list[Figure]:
    """Resident memory of core, and of core and web together."""
    with pages(folder, f"--speed={FAST}") as (pid, port):
        ask(Client(socket_path(folder)), "start")
        say(f"memory: {seconds:g} s of play at {FAST} times the speed, with one listener")
        found = asyncio.run(_watched(pid, port, seconds))
    return _figures(found)


async def _watched(pid: int, port: int, seconds: float) -> list[dict[str, dict[str, int]]]:
    listeners = Listeners(port)
    await listeners.join(1)
    try:
        found = []
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            await asyncio.sleep(min(LOOK_S, left))
            found.append(_processes(pid))
        return found
    finally:
        await listeners.leave()


def _processes(run: int) -> dict[str, dict[str, int]]:
    found = {"parent": memory_kib(run)}
    for child in children_of(run):
        kind = "core" if "core" in command_line(child) else "web"
        found[kind] = memory_kib(child)
    if set(found) != {"parent", "core", "web"}:
        raise BenchError(f"`run` has {', '.join(found)} beside it, not core and web.")
    return found


def _figures(found: list[dict[str, dict[str, int]]]) -> list[Figure]:
    def row(name: str, kinds: tuple[str, ...], limit: tuple[Limit, ...]) -> Figure:
        sums = [sum(each[kind]["rss"] for kind in kinds) / _KIB for each in found]
        last = found[-1]
        uss, pss = (sum(last[kind][what] for kind in kinds) / _KIB for what in ("uss", "pss"))
        return Figure(
            name=f"memory.{name}",
            what=f"resident memory (RSS) of {' and '.join(kinds)}",
            unit="MiB",
            measured=summary(sums),
            limits=limit,
            note=f"at the end USS {uss:.1f} MiB, PSS {pss:.1f} MiB",
        )

    return [
        row("core", ("core",), limits(max=52)),
        row("both", ("core", "web"), limits(max=100)),
        row("parent", ("parent",), ()),
    ]
