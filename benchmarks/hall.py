"""Core and web as a hall uses them, with many listeners of the feed and 256 virtual tables.

What they cost is read from the kernel's accounts of core and web; the tables have a process of their own,
which is the hall and not the product.
"""

import asyncio
import contextlib
import itertools
import re
import select
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.accounts import KIB, KINDS, core_and_web, memory_kib, wake_ups
from pi_controller.bench.feed import (
    BenchHall,
    FeedListener,
    Listeners,
    PauseSender,
    asked_hall,
    beside_web,
    first_message,
)
from pi_controller.bench.figures import Figure, FigureLimit, Say, limits, summary
from pi_controller.bench.pace import Pace, hot, in_a_row, in_turns, isolated
from pi_controller.bench.processes import ANSWER_WITHIN_S, BenchError, ask, pages, processor_ns
from pi_controller.protocol.async_client import AsyncClient
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
MOST_WAKE_UPS = 25.0
"""A second, of core while nothing happens."""
MOST_PERCENT_IDLE = {0: 0.8, 200: 1.0}
"""Of core, by number of listeners."""
IDLE_LOOK_S = 1.0
STALLED_IN_A_ROW = 50
NEWEST_WITHIN_MS = 1100.0
"""A beat, which comes once a second, brings the newest picture to who is behind."""
ROUNDS = """\
[game]
schedule = [{from_round = 1, seconds = 120}]
rounds_without_seven = 999
start_countdown_seconds = 0
"""
"""Rounds of two minutes, which nothing interrupts: 240 in eight hours."""
HOUR_S = 3600.0
FAST = 20
"""Play is so many times as fast for `memory`: a minute holds a good half of a game."""
MEMORY_LOOK_S = 5.0
SEQ = re.compile(rb'"seq":[0-9]+,')
SMALL_BUFFER = 8 * 1024
"""Bytes, for a listener that may stall: with the kernel's own megabyte the server would not notice for
minutes that nobody reads."""
FULL = 128 * 1024
"""Bytes to one that does not read: more than both ends' kernels then keep for it."""
PICTURE_BYTES = 1500
"""Size of a picture in the middle of a game, for the floor of `feed.command`."""
COMMAND_KINDS = ("controller", "bare asyncio")


def memory(*, seconds: float, folder: Path, say: Say) -> list[Figure]:
    """Resident memory of core, and of core and web together."""
    with pages(folder, f"--speed={FAST}") as (pid, port):
        ask(Client(socket_path(folder)), "start")
        say(f"memory: {seconds:g} s of play at {FAST} times the speed, with one listener")
        found = asyncio.run(_one_watches(pid, port, seconds))
    return _memory_figures(found)


async def _one_watches(pid: int, port: int, seconds: float) -> list[dict[str, dict[str, int]]]:
    listeners = Listeners(port)
    await listeners.join(1)
    try:
        found = []
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            await asyncio.sleep(min(MEMORY_LOOK_S, left))
            ids = {"parent": pid, **core_and_web(pid)}
            found.append({kind: memory_kib(each) for kind, each in ids.items()})
        return found
    finally:
        await listeners.leave()


def _memory_figures(found: list[dict[str, dict[str, int]]]) -> list[Figure]:
    def row(name: str, kinds: tuple[str, ...], limit: tuple[FigureLimit, ...]) -> Figure:
        sums = [sum(each[kind]["rss"] for kind in kinds) / KIB for each in found]
        last = found[-1]
        uss, pss = (sum(last[kind][what] for kind in kinds) / KIB for what in ("uss", "pss"))
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


def command(
    *, counts: tuple[int, ...], commands: int, in_blocks: int, folder: Path, say: Say
) -> list[Figure]:
    """Rows for each number of listeners: isolated, and `in_blocks`."""
    with pages(folder) as (_pid, port):
        return asyncio.run(_commands(folder, port, counts, (isolated(commands), hot(in_blocks)), say))


async def _commands(
    state_dir: Path, port: int, counts: tuple[int, ...], paces: tuple[Pace, ...], say: Say
) -> list[Figure]:
    listeners = Listeners(port)
    client = AsyncClient(socket_path(state_dir))
    lines = itertools.count()
    figures = []
    try:
        for count in sorted(counts):
            await listeners.join(count - len(listeners.received()))
            for pace in paces:
                say(f"feed.command{pace.suffix}: {pace.events} commands to {count} listeners")
                async with bare_broadcast(count) as broadcast:
                    events = (lambda: _command(listeners, client, f"line {next(lines)}."), broadcast)
                    took = await in_turns(dict(zip(COMMAND_KINDS, events, strict=True)), pace)
                controller, floor = (summary(took[kind]) for kind in COMMAND_KINDS)
                figures.append(
                    Figure(
                        name=f"feed.{count}{pace.suffix}",
                        what=f"command to the last of {count} listeners",
                        unit="ms",
                        measured=controller,
                        floor=floor,
                        floor_is=f"asyncio writes {PICTURE_BYTES} bytes to as many sockets of its process",
                    )
                )
    finally:
        await listeners.leave()
        await client.aclose()
    return figures


async def _command(listeners: Listeners, client: AsyncClient, text: str) -> float:
    heard = listeners.listen_for(text.encode())
    begun = time.monotonic()
    answer = await client.command("say", {"text": text}, source="bench")
    if not answer.accepted:
        raise BenchError(f"The line was refused: {' '.join(answer.reasons)}")
    async with asyncio.timeout(ANSWER_WITHIN_S):
        return (await heard - begun) * 1000


@contextlib.asynccontextmanager
async def bare_broadcast(count: int) -> AsyncIterator[Callable[[], Awaitable[float]]]:
    """The same by asyncio alone, from the first write to the last reader: gives what does it and tells the
    milliseconds."""
    writers: list[asyncio.StreamWriter] = []
    ready = asyncio.Event()

    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        if len(writers) == count:
            ready.set()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=max(100, count))
    address = server.sockets[0].getsockname()
    ends = [await asyncio.open_connection(*address) for _ in range(count)]
    await ready.wait()

    async def broadcast() -> float:
        begun = time.monotonic()
        for writer in writers:
            writer.write(bytes(PICTURE_BYTES))
        await asyncio.gather(*(reader.readexactly(PICTURE_BYTES) for reader, _ in ends))
        return (time.monotonic() - begun) * 1000

    try:
        yield broadcast
    finally:
        for writer in [*writers, *(writer for _, writer in ends)]:
            writer.close()
        server.close()
        await server.wait_closed()


class HallListeners(Listeners):
    """One of them can stop reading. That needs a `buffer_bytes` that is soon full."""

    _stalled: FeedListener | None = None
    _full_at = 0

    def changes(self) -> int:
        """As many as one of them has had."""
        return max(listener.changes for listener in self._there.values())

    def stall(self) -> None:
        """One of them does not read any more, and is not waited for."""
        _, self._stalled = self._there.popitem()
        self._epoll.unregister(self._stalled)
        self._full_at = self._most() + FULL

    def stalled_is_full(self) -> bool:
        """Whether the server has to keep for itself what comes for the stalled one."""
        return self._most() >= self._full_at

    async def read_again(self) -> tuple[float, int]:
        """Milliseconds until the stalled one has the newest change, and how many it had before that."""
        one, self._stalled = self._stalled, None
        found = SEQ.search(await first_message(self._port, self._path))
        if one is None or found is None:
            raise BenchError("Nobody has stalled, or the picture has no `seq`.")
        before, begun = one.changes, time.monotonic()
        async with asyncio.timeout(ANSWER_WITHIN_S):
            while found[0] not in await one.next():
                pass
        took_ms = (time.monotonic() - begun) * 1000
        self._there[one.fileno()] = one
        self._epoll.register(one, select.EPOLLIN)
        return took_ms, one.changes - before - 1

    async def leave(self) -> None:
        await super().leave()
        if self._stalled is not None:
            self._stalled.close()

    def _most(self) -> int:
        return max(listener.received for listener in self._there.values())


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


def memory_in_play(*, listeners: int, nodes: int, seconds: float, folder: Path, say: Say) -> list[Figure]:
    """Of core and web together while the game goes on."""
    with _playing(folder, nodes) as (pid, port):
        scene = Scene("hall.memory", pid, port, folder / "state", listeners, nodes, say)
        found = asyncio.run(_watched(scene, seconds))
        own = {kind: memory_kib(process)["uss"] / KIB for kind, process in core_and_web(pid).items()}
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
            limits=(FigureLimit(statistic="p50", at_most=MOST_GROWTH),),
            note=f"from {first:.1f} to {last:.1f} MiB; "
            + ", ".join(f"{kind} {found[0][kind]:.1f} to {found[-1][kind]:.1f}" for kind in KINDS),
        )
    ]


def stalled(*, listeners: int, pauses: int, in_blocks: int, folder: Path, say: Say) -> list[Figure]:
    """Pauses over HTTP to the last of the others, in turns with one that stops reading and without."""
    # An isolated one in a row: who does not read for five seconds is cut off.
    paces = (isolated(pauses), hot(in_blocks, in_a_row=STALLED_IN_A_ROW))
    with asked_hall(folder) as hall:
        there = HallListeners(hall.port, buffer_bytes=SMALL_BUFFER)
        asker = PauseSender(hall.port, hall.token, there)
        return beside_web(hall, lambda: _stalled(asker, there, listeners, paces, say))


def idle(*, counts: tuple[int, ...], looks: int, folder: Path, say: Say) -> list[Figure]:
    """Wake-ups and processor while a round runs and nothing happens, for each number of listeners."""
    with asked_hall(folder) as hall:
        return asyncio.run(_idle(hall, counts, looks, say))


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
async def _audience(scene: Scene) -> AsyncIterator[HallListeners]:
    """So many listeners, once all tables are there and nothing more is told of them."""
    scene.say(f"{scene.name}: waits for {scene.nodes} tables and {scene.listeners} listeners")
    listeners = HallListeners(scene.port)
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
        before, changes = listeners.received(), listeners.changes()
        await asyncio.sleep(seconds)
        after = listeners.received()
        changes = listeners.changes() - changes
    heard = [now[0] - then[0] for now, then in zip(after, before, strict=True)]
    of_changes = [now[1] - then[1] for now, then in zip(after, before, strict=True)]
    what = f"bytes a second to each of {scene.listeners} listeners while a round runs ({scene.nodes} tables)"
    return [
        Figure(
            name="hall.traffic",
            what=f"{what}, between changes",
            unit="B/s",
            measured=summary([(a - b) / seconds for a, b in zip(heard, of_changes, strict=True)]),
            limits=limits(max=MOST_B_S),
            note="at their sockets, without heads of TCP and IP (52 bytes a message)",
        ),
        Figure(
            name="hall.traffic.all",
            what=f"{what}, with changes",
            unit="B/s",
            measured=summary([each / seconds for each in heard]),
            note=f"{changes} of them in {seconds:g} s; each table that comes, is late or is lost makes two",
        ),
    ]


async def _processor(scene: Scene, seconds: float) -> list[Figure]:
    async with _audience(scene):
        processes = core_and_web(scene.pid)
        before, begun = _accounts(processes), time.monotonic()
        await asyncio.sleep(seconds)
        took = _percent(before, _accounts(processes), time.monotonic() - begun)
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
            limits=(FigureLimit(statistic="p50", at_most=most),),
        )
        for name, who, value, most in rows
    ]


async def _watched(scene: Scene, seconds: float) -> list[dict[str, float]]:
    """MiB of each process, from the moment at which everybody is there."""
    async with _audience(scene):
        scene.say(f"{scene.name}: {seconds:.0f} s of play")
        found = [_rss_mib(scene.pid)]
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            await asyncio.sleep(min(SETTLED_S, left))
            found.append(_rss_mib(scene.pid))
    return found


def _accounts(processes: dict[str, int]) -> dict[str, int]:
    return {kind: processor_ns(pid) for kind, pid in processes.items()}


def _percent(before: dict[str, int], after: dict[str, int], lasted_s: float) -> dict[str, float]:
    return {kind: (after[kind] - before[kind]) / 1e7 / lasted_s for kind in before}


async def _idle(hall: BenchHall, counts: tuple[int, ...], looks: int, say: Say) -> list[Figure]:
    processes = core_and_web(hall.pid)
    listeners = Listeners(hall.port)
    rows: list[Figure] = []
    await listeners.join(0)
    try:
        for count in sorted(counts):
            await listeners.join(count - len(listeners.received()))
            say(f"hall.idle: {looks} looks with {count} listeners")
            await asyncio.sleep(SETTLED_S)
            before, begun = _accounts(processes), time.monotonic()
            woken = [await _woken_a_second(processes["core"]) for _ in range(looks)]
            took = _percent(before, _accounts(processes), time.monotonic() - begun)
            rows += _idle_figures(count, woken, took)
    finally:
        await listeners.leave()
    return rows


async def _woken_a_second(pid: int) -> float:
    before, begun = wake_ups(pid), time.monotonic()
    await asyncio.sleep(IDLE_LOOK_S)
    after, lasted_s = wake_ups(pid), time.monotonic() - begun
    return sum(now - before.get(thread, 0) for thread, now in after.items()) / lasted_s


def _idle_figures(count: int, woken: list[float], took: dict[str, float]) -> list[Figure]:
    what = f"while a round runs and nothing happens, with {count} listeners"
    most = {"core": limits(p50=MOST_PERCENT_IDLE[count])} if count in MOST_PERCENT_IDLE else {}
    return [
        Figure(
            name=f"hall.idle.wakeups.{count}",
            what=f"wake-ups of core a second {what}",
            unit="1/s",
            measured=summary(woken),
            limits=limits(p50=MOST_WAKE_UPS),
            note="none is the simulation's: pins wake nobody, and core looks at buttons as at real ones",
        ),
        *(
            Figure(
                name=f"hall.idle.{kind}.{count}",
                what=f"processor of {kind} {what}, percent of one of the processors",
                unit="%",
                measured=summary([took[kind]]),
                limits=most.get(kind, ()),
            )
            for kind in KINDS
        ),
    ]


async def _stalled(
    asker: PauseSender, listeners: HallListeners, count: int, paces: tuple[Pace, ...], say: Say
) -> list[Figure]:
    rows: list[Figure] = []
    await asker.connect()
    try:
        await listeners.join(count)
        for pace in paces:
            say(f"hall.stalled{pace.suffix}: {pace.events} pauses with one of {count} stalled, and without")
            rows += await _stalled_at(pace, asker, listeners, count)
    finally:
        await asker.close()
    return rows


async def _stalled_at(pace: Pace, asker: PauseSender, listeners: HallListeners, count: int) -> list[Figure]:
    with_one: list[float] = []
    without: list[float] = []
    newest, old = [], []
    for _ in range(0, pace.events, pace.in_a_row):
        without += await in_a_row(asker.pause, pace)
        listeners.stall()
        while not listeners.stalled_is_full():
            await asker.pause()
        with_one += await in_a_row(asker.pause, pace)
        took_ms, changes = await listeners.read_again()
        newest.append(took_ms)
        old.append(float(changes))
    floor = summary(without)
    # Of few isolated ones p99 is the longest, which is chance.
    most = {"p99": floor.p99} if pace.suffix else {"p50": floor.p50}
    others = Figure(
        name=f"hall.stalled{pace.suffix}",
        what=f"a pause over HTTP to the last of {count - 1} listeners while one more does not read",
        unit="ms",
        measured=summary(with_one),
        floor=floor,
        floor_is=f"the same to {count} who all read, in turns",
        limits=limits(**{statistic: round(MOST_SLOWER * value, 3) for statistic, value in most.items()}),
    )
    again = Figure(
        name=f"hall.stalled.newest{pace.suffix}",
        what="from the moment at which it reads again until it has the newest change",
        unit="ms",
        measured=summary(newest),
        limits=limits(max=NEWEST_WITHIN_MS),
        note=f"before that it got {summary(old).max:.0f} older ones at most, which the kernel had taken",
    )
    return [others, again]


def _rss_mib(run: int) -> dict[str, float]:
    return {kind: memory_kib(pid)["rss"] / KIB for kind, pid in core_and_web(run).items()}
