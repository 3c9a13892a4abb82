"""A whole hall in play: core, web, 256 virtual tables in a process of their own, 200 listeners of the feed.

What it costs is read from the kernel's accounts of core and web; the tables' process is the hall, not the
product.
"""

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pi_controller.bench.figures import Figure, Limit, Say, limits, summary
from pi_controller.bench.processes import (
    ANSWER_WITHIN_S,
    BenchError,
    ask,
    children_of,
    command_line,
    memory_kib,
    pages,
)
from pi_controller.bench.web.listeners import Listeners
from pi_controller.bench.web.pauses import Asker, asked_hall, stood_at
from pi_controller.protocol.client import Client
from pi_controller.protocol.paths import socket_path
from pi_controller.web.http.own_certificate import make_own

SETTLED_S = 5.0
"""After the last table has come: what is said of them goes out within two seconds."""
LOOK_S = 0.5
MOST_B_S = 100.0
MOST_MIB = 90.0
MOST_GROWTH = 2.0
"""Percent."""
MOST_PERCENT = 25.0
MOST_PERCENT_WEB = 3.0
MOST_SLOWER = 1.05
NEWEST_WITHIN_MS = 1100.0
"""A beat, which comes once a second, brings the newest picture to who is behind."""
ROUNDS = """\
[game]
schedule = [{from_round = 1, seconds = 120}]
rounds_without_seven = 999
start_countdown_seconds = 0
"""
"""Rounds of two minutes, which nothing interrupts: 240 in eight hours."""
KINDS = ("core", "web")
HOUR_S = 3600.0
KIB = 1024
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Scene:
    """What is measured for the figure `name`: the process `run`, and who is there."""

    name: str
    pid: int
    port: int
    state_dir: Path
    listeners: int
    nodes: int
    say: Say


def traffic(*, listeners: int, nodes: int, seconds: float, folder: Path, say: Say) -> list[Figure]:
    """Bytes a second to each listener while a round runs and nothing changes."""
    with asked_hall(folder, *_tables(nodes)) as hall:
        scene = Scene("hall.traffic", hall.pid, hall.port, folder / "state", listeners, nodes, say)
        return asyncio.run(_traffic(scene, seconds))


def processor(*, listeners: int, nodes: int, seconds: float, folder: Path, say: Say) -> list[Figure]:
    """Of core and web while the game goes on."""
    with _playing(folder, nodes) as (pid, port):
        scene = Scene("hall.processor", pid, port, folder / "state", listeners, nodes, say)
        return asyncio.run(_processor(scene, seconds))


def memory(*, listeners: int, nodes: int, seconds: float, folder: Path, say: Say) -> list[Figure]:
    """Of core and web together while the game goes on."""
    with _playing(folder, nodes) as (pid, port):
        scene = Scene("hall.memory", pid, port, folder / "state", listeners, nodes, say)
        found = asyncio.run(_watched(scene, seconds))
        own = {kind: memory_kib(process)["uss"] / KIB for kind, process in _processes(pid).items()}
    shared = max(found[-1][kind] - own[kind] for kind in KINDS)
    return [
        Figure(
            name="hall.memory",
            what=f"resident memory (RSS) of core and web with {listeners} listeners and {nodes} tables",
            unit="MiB",
            measured=summary([sum(each.values()) for each in found]),
            limits=limits(max=MOST_MIB),
            note=", ".join(f"{kind} {value:.1f} MiB at the end" for kind, value in found[-1].items())
            + f"; what both share, {shared:.1f} MiB at the most, counts twice",
        )
    ]


def growth(*, listeners: int, nodes: int, hours: float, speed: float, folder: Path, say: Say) -> list[Figure]:
    """By how much the memory of both has grown after so many hours of play at this speed. Each round is
    really played and written; more tables than a few do not follow rounds of half a second."""
    with _playing(folder, nodes, f"--speed={speed:g}") as (pid, port):
        scene = Scene("hall.growth", pid, port, folder / "state", listeners, nodes, say)
        found = asyncio.run(_watched(scene, hours * HOUR_S / speed))
    first, last = (sum(each.values()) for each in (found[0], found[-1]))
    return [
        Figure(
            name="hall.growth",
            what=f"memory of core and web after {hours:g} hours of play"
            f" ({listeners} listeners, {nodes} tables)",
            unit="%",
            measured=summary([max(0.0, 100 * (last / first - 1))]),
            limits=(Limit(statistic="p50", at_most=MOST_GROWTH),),
            note=f"from {first:.1f} to {last:.1f} MiB; "
            + ", ".join(f"{kind} {found[0][kind]:.1f} to {found[-1][kind]:.1f}" for kind in KINDS),
        )
    ]


def stalled(*, listeners: int, pauses: int, blocks: int, folder: Path, say: Say) -> list[Figure]:
    """Pauses over HTTP to the last of the others, in turns with one that stops reading and without."""
    with asked_hall(folder) as hall, stood_at(hall.niceness) as thread:
        asker = Asker(hall.port, hall.token, may_stall=True)
        say(f"hall.stalled: {blocks} times {pauses} pauses with one of {listeners} stalled, and without")
        return thread.submit(asyncio.run, _stalled(asker, listeners, pauses, blocks)).result()


def _tables(nodes: int) -> tuple[str, ...]:
    return (f"--nodes={nodes}",) if nodes else ()


@contextlib.contextmanager
def _playing(folder: Path, nodes: int, *arguments: str) -> Iterator[tuple[int, int]]:
    """`run` in play: its process id and the pages' port."""
    settings = folder / "settings.toml"
    settings.write_text(ROUNDS, encoding="utf-8")
    # As at every start but the first, which makes the certificate and keeps the library for that in memory.
    make_own(folder / "state" / "web", ["localhost"], datetime.now(UTC))
    with pages(folder / "state", f"--settings={settings}", *_tables(nodes), *arguments) as (pid, port):
        ask(Client(socket_path(folder / "state")), "start")
        yield pid, port


@contextlib.asynccontextmanager
async def _audience(scene: Scene) -> AsyncIterator[Listeners]:
    """So many listeners, once all tables are there and nothing more is told of them."""
    scene.say(f"{scene.name}: waits for {scene.nodes} tables and {scene.listeners} listeners")
    listeners = Listeners(scene.port)
    try:
        await listeners.join(scene.listeners)
        await _until_there(Client(socket_path(scene.state_dir)), scene.nodes)
        yield listeners
    finally:
        await listeners.leave()


async def _until_there(client: Client, nodes: int) -> None:
    until = time.monotonic() + ANSWER_WITHIN_S
    while nodes:
        there = sum(1 for node in client.tables().nodes if node.state == "good")
        if there == nodes:
            await asyncio.sleep(SETTLED_S)
            return
        if time.monotonic() > until:
            raise BenchError(f"Only {there} of {nodes} tables came within {ANSWER_WITHIN_S:g} s.")
        await asyncio.sleep(LOOK_S)


async def _traffic(scene: Scene, seconds: float) -> list[Figure]:
    async with _audience(scene) as listeners:
        before, pictures = listeners.received(), listeners.pictures()
        await asyncio.sleep(seconds)
        after = listeners.received()
        changes = listeners.pictures() - pictures
    heard = [now[0] - then[0] for now, then in zip(after, before, strict=True)]
    of_pictures = [now[1] - then[1] for now, then in zip(after, before, strict=True)]
    what = f"bytes a second to each of {scene.listeners} listeners while a round runs ({scene.nodes} tables)"
    return [
        Figure(
            name="hall.traffic",
            what=f"{what}, between changes",
            unit="B/s",
            measured=summary([(a - b) / seconds for a, b in zip(heard, of_pictures, strict=True)]),
            limits=limits(max=MOST_B_S),
            note="at their sockets, without heads of TCP and IP (52 bytes a message)",
        ),
        Figure(
            name="hall.traffic.all",
            what=f"{what}, with the pictures of changes",
            unit="B/s",
            measured=summary([each / seconds for each in heard]),
            note=f"{changes} pictures in {seconds:g} s; each table that comes, is late or is lost makes two",
        ),
    ]


async def _processor(scene: Scene, seconds: float) -> list[Figure]:
    async with _audience(scene):
        processes = _processes(scene.pid)
        before, begun = _processor_s(processes), time.monotonic()
        await asyncio.sleep(seconds)
        lasted = time.monotonic() - begun
        took = {kind: 100 * (now - before[kind]) / lasted for kind, now in _processor_s(processes).items()}
    what = (
        f"with {scene.listeners} listeners and {scene.nodes} tables in play, percent of one of the processors"
    )
    rows = (
        ("", "core and web", sum(took.values()), MOST_PERCENT),
        (".web", "web", took["web"], MOST_PERCENT_WEB),
    )
    return [
        Figure(
            name=f"hall.processor{name}",
            what=f"processor of {who} {what}",
            unit="%",
            measured=summary([value]),
            limits=(Limit(statistic="p50", at_most=most),),
        )
        for name, who, value, most in rows
    ]


async def _watched(scene: Scene, seconds: float) -> list[dict[str, float]]:
    """MiB of each process, from the moment at which everybody is there."""
    async with _audience(scene):
        scene.say(f"{scene.name}: {seconds:.0f} s of play")
        found = [_memory_mib(scene.pid)]
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            await asyncio.sleep(min(SETTLED_S, left))
            found.append(_memory_mib(scene.pid))
    return found


async def _stalled(asker: Asker, count: int, pauses: int, blocks: int) -> list[Figure]:
    listeners = asker.listeners
    with_one: list[float] = []
    without: list[float] = []
    newest, old = [], []
    await asker.connect()
    try:
        await listeners.join(count)
        for _ in range(blocks):
            without += [await asker.pause() for _ in range(pauses)]
            listeners.stall()
            while not listeners.stalled_is_full():
                await asker.pause()
            with_one += [await asker.pause() for _ in range(pauses)]
            took_ms, pictures = await listeners.read_again()
            newest.append(took_ms)
            old.append(float(pictures))
    finally:
        await asker.close()
    floor = summary(without)
    others = Figure(
        name="hall.stalled",
        what=f"a pause over HTTP to the last of {count - 1} listeners while one more does not read",
        unit="ms",
        measured=summary(with_one),
        floor=floor,
        floor_is=f"the same to {count} who all read, in turns",
        limits=limits(p99=round(MOST_SLOWER * floor.p99, 3)),
    )
    again = Figure(
        name="hall.stalled.newest",
        what="from the moment at which it reads again until it has the newest picture",
        unit="ms",
        measured=summary(newest),
        limits=limits(max=NEWEST_WITHIN_MS),
        note=f"before that it got {summary(old).max:.0f} older ones at most, which the kernel had taken",
    )
    return [others, again]


def _processes(run: int) -> dict[str, int]:
    """The ids of core and web."""
    found = {}
    for child in children_of(run):
        named = [kind for kind in KINDS if kind in command_line(child)]
        if named:
            found[named[0]] = child
    if set(found) != set(KINDS):
        raise BenchError(f"`run` has {', '.join(found) or 'nothing'} beside it, not core and web.")
    return found


def _processor_s(processes: dict[str, int]) -> dict[str, float]:
    """Seconds that each has taken since it began (proc_pid_stat(5), fields 14 and 15)."""
    taken = {}
    for kind, pid in processes.items():
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        taken[kind] = (int(fields[11]) + int(fields[12])) * TICK_S
    return taken


def _memory_mib(run: int) -> dict[str, float]:
    return {kind: memory_kib(pid)["rss"] / KIB for kind, pid in _processes(run).items()}
