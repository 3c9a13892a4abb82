"""The director's pause over HTTP to the last of many listeners, beside two floors in the same run; what a
pause takes of processor and network.

The floor is two processes of bare asyncio with a Unix socket between, which write as many bytes on the same
request: the least that it costs to keep the game and the network apart. Beside it stands one such process.
Both are programs of `bare_servers.py`.

In a hall each listener has a processor of its own. Here all of them share one, and what they take of it is
missing to the server: so they stand in one epoll of their own and look at nothing but their frames.
"""

import asyncio
import base64
import contextlib
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pi_controller.bench.figures import Figure, FigureLimit, Say, limits, summary
from pi_controller.bench.pace import Pace, hot, in_turns, isolated
from pi_controller.bench.processes import (
    ANSWER_WITHIN_S,
    BenchError,
    ask,
    children_of,
    command_line,
    family,
    pages,
    processor_ns,
)
from pi_controller.protocol.client import Client
from pi_controller.protocol.paths import socket_path

SETTINGS = """\
[game]
schedule = [{from_round = 1, seconds = 3600}]
rounds_without_seven = 999
start_countdown_seconds = 0
resume_countdown_seconds = 0
"""
PAUSED, RUNNING = b'"paused":true', b'"running":true'
FEW = {1: 1.6, 50: 1.4}
MANY = 1.3
"""Times the floor, by number of listeners; to others MANY."""
SLOPE = 1.2
Found = TypeVar("Found")
KINDS = ("controller", "desk", "one process", "two processes")
WORK_S = 1.0
"""So long after a command all that it has set going is over; what happens once a second, happens once."""
PROCESSOR_MS = {1: 2.5, 200: 4.5}
MOST_BYTES = {"page": 500.0, "phone": 250.0}

LONGEST_READ = 16 * 1024
"""Bytes: more than a picture has, and less than what the allocator asks the kernel for each time."""
IN_A_BEAT = b'"beat":'
HEAD_ENDS = b"\r\n\r\n"


class FeedListener:
    """One socket that has upgraded."""

    def __init__(self, path: str, *, buffer_bytes: int | None = None) -> None:
        """`buffer_bytes`: what the kernel is asked to keep for it; by itself it keeps a megabyte."""
        self.had = b""
        """The last text that was waited for and that this one had."""
        self.received = 0
        """Bytes of messages, with their heads."""
        self.in_changes = 0
        """Of them, in messages that are no beats."""
        self.changes = 0
        """Those messages."""
        self._path = path
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        if buffer_bytes is not None:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        self._rest = b""
        """The beginning of a frame."""

    def fileno(self) -> int:
        return self._socket.fileno()

    async def join(self, port: int) -> bytes:
        """The frame of the first message that it gets."""
        async with asyncio.timeout(ANSWER_WITHIN_S):
            await asyncio.get_running_loop().sock_connect(self._socket, ("127.0.0.1", port))
            await asyncio.get_running_loop().sock_sendall(self._socket, upgrade(self._path, port))
            while HEAD_ENDS not in self._rest:
                await self._read_more()
            head, _, self._rest = self._rest.partition(HEAD_ENDS)
            status = head.split(b"\r\n")[0].decode("latin-1")
            if " 101 " not in status:
                raise BenchError(f"The feed takes no listener: {status}")
            return await self.next()

    def read(self) -> bytes:
        """The frames that are whole by now, one behind the other. BenchError: the feed has hung up."""
        data = self._socket.recv(LONGEST_READ)
        if not data:
            raise BenchError("The feed hung up on a listener.")
        self._rest += data
        return self._whole()

    def close(self) -> None:
        self._socket.close()

    async def next(self) -> bytes:
        """Wait for the next frames."""
        while not (messages := self._whole()):
            await self._read_more()
        return messages

    async def _read_more(self) -> None:
        data = await asyncio.get_running_loop().sock_recv(self._socket, LONGEST_READ)
        if not data:
            raise BenchError("The feed hung up on a listener that waited for a picture.")
        self._rest += data

    def _whole(self) -> bytes:
        """Take the frames out of what has come."""
        data, begins = self._rest, 0
        for text, ends in messages(data):
            if IN_A_BEAT not in data[text:ends]:
                self.changes += 1
                self.in_changes += ends - begins
            begins = ends
        self.received += begins
        self._rest = data[begins:]
        return data[:begins]


def upgrade(path: str, port: int, more: str = "") -> bytes:
    """The request that opens a WebSocket; `more` lines of its head."""
    key = base64.b64encode(os.urandom(16)).decode()
    return (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{more}"
        "Upgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()


def messages(data: bytes) -> Iterator[tuple[int, int]]:
    """From where to where the messages of a server's whole, unfragmented frames (RFC 6455, 5.2) reach."""
    ends = 0
    while len(data) >= ends + 2:
        size, text = data[ends + 1] & 0x7F, ends + 2
        if size >= 126:
            text = ends + (4 if size == 126 else 10)
            size = int.from_bytes(data[ends + 2 : text])
        ends = text + size
        if len(data) < ends:
            return
        yield text, ends


class Listeners:
    """`listen_for` gives the moment at which the last of them had a message with some text in it."""

    def __init__(self, port: int, path: str = "/api/feed", *, buffer_bytes: int | None = None) -> None:
        self._path = path
        self._buffer_bytes = buffer_bytes
        self._port = port
        self._there: dict[int, FeedListener] = {}
        """By file descriptor."""
        self._epoll = select.epoll()
        self._wanted = b""
        self._missing = 0
        self._all: asyncio.Future[float] | None = None
        self._hung_up: BenchError | None = None

    async def join(self, count: int) -> None:
        """Have so many more of them, each of which has had its first picture."""
        for _ in range(count):
            listener = FeedListener(self._path, buffer_bytes=self._buffer_bytes)
            self._there[listener.fileno()] = listener
            await listener.join(self._port)
            self._epoll.register(listener, select.EPOLLIN)
        asyncio.get_running_loop().add_reader(self._epoll, self._read)

    def listen_for(self, text: bytes) -> "asyncio.Future[float]":
        """The monotonic time at which the last one has it. BenchError: the feed has hung up on one."""
        self._check_all_hear()
        self._wanted = text
        self._missing = len(self._there)
        self._all = asyncio.get_running_loop().create_future()
        return self._all

    def received(self) -> list[tuple[int, int]]:
        """Bytes of each one's messages so far, and of those of them that are no beats.
        BenchError: the feed has hung up on one of them."""
        self._check_all_hear()
        return [(listener.received, listener.in_changes) for listener in self._there.values()]

    async def leave(self) -> None:
        """May be called twice."""
        if self._epoll.closed:
            return
        asyncio.get_running_loop().remove_reader(self._epoll)
        self._epoll.close()
        for listener in self._there.values():
            listener.close()

    def _check_all_hear(self) -> None:
        if self._hung_up is not None:
            raise self._hung_up

    def _read(self) -> None:
        """What has come; that the feed has hung up is kept for whoever measures: the loop would print it."""
        try:
            self._take()
        except BenchError as error:
            self._hung_up = error
            asyncio.get_running_loop().remove_reader(self._epoll)
            if self._all is not None and not self._all.done():
                self._all.set_exception(error)

    def _take(self) -> None:
        there, wanted = self._there, self._wanted
        for descriptor, _ in self._epoll.poll(0):
            listener = there[descriptor]
            if wanted in listener.read() and wanted != listener.had:
                listener.had = wanted
                self._missing -= 1
                if not self._missing and self._all is not None:
                    self._all.set_result(time.monotonic())


async def first_message(port: int, path: str) -> bytes:
    """What a listener gets when it comes: an object in JSON."""
    listener = FeedListener(path)
    try:
        frame = await listener.join(port)
    finally:
        listener.close()
    return frame[frame.index(b"{") :]


@dataclass(frozen=True, slots=True)
class Audience:
    """Whom a pause is to reach, on which feed."""

    figure: str
    one: str
    who: str
    path: str


LISTENERS = Audience("feed.pause", "page", "listeners", "/api/feed?version=2")
PHONES = Audience("feed.phones", "phone", "phones", "/api/phone?version=2")


class PauseSender:
    """Posts on one connection that stays, as a browser does, and tells its listeners what to wait for."""

    def __init__(self, port: int, token: str, listeners: Listeners) -> None:
        self.listeners = listeners
        self._port = port
        self._token = token
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter

    async def connect(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)

    async def post(self, name: str, text: bytes) -> float:
        """Milliseconds until the last listener has a picture with this text in it."""
        heard = self.listeners.listen_for(text)
        request = (
            f"POST /api/commands/{name} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
            f"Authorization: Bearer {self._token}\r\nContent-Type: application/json\r\n"
            "Content-Length: 0\r\n\r\n"
        )
        begun = time.monotonic()
        self._writer.write(request.encode())
        async with asyncio.timeout(ANSWER_WITHIN_S):
            took_ms = (await heard - begun) * 1000
            head = await self._reader.readuntil(b"\r\n\r\n")
            size = int(head.lower().partition(b"content-length:")[2].split()[0])
            said = await self._reader.readexactly(size)
        if b" 200 " not in head.split(b"\r\n")[0]:
            raise BenchError(f"`{name}` was refused: {said.decode()}")
        return took_ms

    async def pause(self) -> float:
        """A pause, and play again; milliseconds of the pause. A resume gives two pictures, the countdown (of
        no length here) and play: the next pause does not begin before everybody has the second."""
        took_ms = await self.post("pause", PAUSED)
        await self.post("resume", RUNNING)
        return took_ms

    async def close(self) -> None:
        await self.listeners.leave()
        self._writer.close()


class DeskSender(PauseSender):
    """Commands over an open socket, as the director's page does."""

    async def connect(self) -> None:
        await super().connect()
        more = f"Authorization: Bearer {self._token}\r\n"
        self._writer.write(upgrade("/api/desk", self._port, more))
        head = await self._reader.readuntil(HEAD_ENDS)
        if b" 101 " not in head:
            raise BenchError(f"The desk is not opened: {head.decode('latin-1')}")

    async def post(self, name: str, text: bytes) -> float:
        heard = self.listeners.listen_for(text)
        message = b'{"id":1,"command":"%b"}' % name.encode()
        begun = time.monotonic()
        self._writer.write(bytes([0x81, 0x80 | len(message)]) + bytes(4) + message)  # a mask of nothing
        async with asyncio.timeout(ANSWER_WITHIN_S):
            took_ms = (await heard - begun) * 1000
            while b'"answer"' not in (said := await self._message()):
                pass
        if b'"status":200' not in said:
            raise BenchError(f"`{name}` was refused: {said.decode()}")
        return took_ms

    async def _message(self) -> bytes:
        """The next one, unfragmented (RFC 6455, 5.2)."""
        size = (await self._reader.readexactly(2))[1]
        if size >= 126:
            size = int.from_bytes(await self._reader.readexactly(2 if size == 126 else 8))
        return await self._reader.readexactly(size)


def pause(*, counts: tuple[int, ...], pauses: int, in_blocks: int, folder: Path, say: Say) -> list[Figure]:
    """Rows for each number of listeners, and one for what a further listener costs: isolated, and
    `in_blocks`."""
    return _pauses(LISTENERS, counts, (isolated(pauses), hot(in_blocks)), folder, say)


def phones(*, counts: tuple[int, ...], pauses: int, in_blocks: int, folder: Path, say: Say) -> list[Figure]:
    """The same to the phones of a hall, which get less."""
    return _pauses(PHONES, counts, (isolated(pauses), hot(in_blocks)), folder, say)


def _pauses(
    audience: Audience, counts: tuple[int, ...], paces: tuple[Pace, ...], folder: Path, say: Say
) -> list[Figure]:
    with asked_hall(folder) as hall, contextlib.ExitStack() as ending:
        size = asyncio.run(told_bytes(folder / "state", hall.port, audience.path))
        ports = [
            ending.enter_context(bare_servers(hall.niceness, size, core))
            for core in (None, folder / "bare.sock")
        ]
        of_hall = Listeners(hall.port, audience.path)
        askers = [
            *(sender(hall.port, hall.token, of_hall) for sender in (PauseSender, DeskSender)),
            *(PauseSender(port, "", Listeners(port, audience.path)) for port in ports),
        ]
        took = beside_web(hall, lambda: _measure(askers, audience, counts, paces, say))
    rows = []
    for pace in paces:
        by_count = {count: took[pace.suffix, count] for count in sorted(counts)}
        rows += [row for count in by_count for row in _figures(audience, count, pace, by_count[count], size)]
        rows += [_slope(audience, pace, by_count)] if len(counts) > 1 else []
    return rows


Took = dict[str, list[float]]
"""Milliseconds of each pause, by kind."""


async def _measure(
    askers: list[PauseSender], audience: Audience, counts: tuple[int, ...], paces: tuple[Pace, ...], say: Say
) -> dict[tuple[str, int], Took]:
    """By the pace's suffix and the number of listeners."""
    found = {}
    there = 0
    for asker in askers:
        await asker.connect()
    try:
        for count in sorted(counts):
            for listeners in dict.fromkeys(asker.listeners for asker in askers):
                await listeners.join(count - there)
            there = count
            for pace in paces:
                what = f"{pace.events} pauses over HTTP to {count} {audience.who}"
                say(f"{audience.figure}{pace.suffix}: {what}, and as many of each floor")
                kinds = {kind: asker.pause for kind, asker in zip(KINDS, askers, strict=True)}
                found[pace.suffix, count] = await in_turns(kinds, pace)
    finally:
        for asker in askers:
            await asker.close()
    return found


def _figures(audience: Audience, count: int, pace: Pace, took: Took, size: int) -> Iterator[Figure]:
    controller, desk, one, floor = (summary(took[kind]) for kind in KINDS)
    what = f"a pause over HTTP to the last of {count} {audience.who}"
    at_most = limits(p50=round(FEW.get(count, MANY) * floor.p50, 3))
    yield Figure(
        name=f"{audience.figure}.{count}{pace.suffix}",
        what=what,
        unit="ms",
        measured=controller,
        floor=floor,
        floor_is=f"two processes of bare asyncio write {size} bytes to as many on the same request",
        limits=() if pace.suffix else at_most,
        note=f"p50 {controller.p50 / floor.p50:.2f} times the floor, p99 {controller.p99 / floor.p99:.2f};"
        f" of one bare process {controller.p50 / one.p50:.2f} and {controller.p99 / one.p99:.2f} times",
    )
    yield Figure(
        name=f"{audience.figure}.{count}.desk{pace.suffix}",
        what=f"{what}: over the open socket of a desk",
        unit="ms",
        measured=desk,
        floor=floor,
        floor_is="the same",
        limits=() if pace.suffix else at_most,
        note=f"p50 {desk.p50 / floor.p50:.2f} times the floor, p99 {desk.p99 / floor.p99:.2f}",
    )
    yield Figure(
        name=f"{audience.figure}.{count}.one{pace.suffix}",
        what=f"{what}: one process of bare asyncio",
        unit="ms",
        measured=one,
    )


def _slope(audience: Audience, pace: Pace, took: dict[int, Took]) -> Figure:
    controller, _, _, floor = (
        slope_us({n: summary(each[kind]).p50 for n, each in took.items()}) for kind in KINDS
    )
    at_most = FigureLimit(statistic="p50", at_most=round(SLOPE * floor, 2))
    return Figure(
        name=f"{audience.figure}.more{pace.suffix}",
        what=f"one more of the {audience.who}: slope of the p50 by least squares",
        unit="µs",
        measured=summary([controller]),
        floor=summary([floor]),
        floor_is="the same of two processes of bare asyncio",
        limits=() if pace.suffix else (at_most,),
        note=f"{controller / floor:.2f} times the floor" if floor > 0 else "",
    )


def slope_us(ms_by_count: dict[int, float]) -> float:
    """By how many microseconds each further one makes it longer; 0 where chance makes it shorter."""
    mean_count = sum(ms_by_count) / len(ms_by_count)
    mean_ms = sum(ms_by_count.values()) / len(ms_by_count)
    spread = sum((count - mean_count) ** 2 for count in ms_by_count)
    slope_ms = sum((count - mean_count) * (ms - mean_ms) for count, ms in ms_by_count.items()) / spread
    return max(0.0, slope_ms * 1000)


@dataclass(frozen=True, slots=True)
class BenchHall:
    """A running one."""

    pid: int
    port: int
    token: str
    niceness: int
    """Of its web process. Who is compared with it must stand there too, and so must listeners and asker, who
    in a hall have processors of their own."""


@contextlib.contextmanager
def asked_hall(folder: Path, *arguments: str) -> Iterator[BenchHall]:
    """`run` with a round that lasts, which has begun."""
    state_dir, settings = folder / "state", folder / "settings.toml"
    settings.write_text(SETTINGS, encoding="utf-8")
    with pages(state_dir, f"--settings={settings}", *arguments) as (pid, port):
        ask(Client(socket_path(state_dir)), "start")
        token = (state_dir / "web" / "token").read_text(encoding="ascii").strip()
        web = next(child for child in children_of(pid) if "web" in command_line(child))
        yield BenchHall(pid, port, token, os.getpriority(os.PRIO_PROCESS, web))


async def told_bytes(state_dir: Path, port: int, path: str) -> int:
    """How many bytes the message has that tells a listener of a pause."""
    client, listener = Client(socket_path(state_dir)), FeedListener(path)
    try:
        await listener.join(port)
        await asyncio.to_thread(ask, client, "pause")
        while PAUSED not in (came := await listener.next()):
            pass
        await asyncio.to_thread(ask, client, "resume")
    finally:
        listener.close()
    return next(ends - text for text, ends in messages(came) if PAUSED in came[text:ends])


def beside_web(hall: BenchHall, work: Callable[[], Coroutine[Any, Any, Found]]) -> Found:
    """What this comes to, on a thread of the niceness of the web process, which Linux keeps for each of them
    (setpriority(2), notes)."""
    with ThreadPoolExecutor(
        1, initializer=os.setpriority, initargs=(os.PRIO_PROCESS, 0, hall.niceness)
    ) as thread:
        return thread.submit(lambda: asyncio.run(work())).result()


@contextlib.contextmanager
def bare_servers(niceness: int, picture_bytes: int, core: Path | None) -> Iterator[int]:
    """The port of a bare server of this niceness; with a path for `core` a process of its own decides."""
    with contextlib.ExitStack() as ending:
        if core is not None:
            ending.enter_context(_bare("core", str(picture_bytes), str(core)))
        asked = ["server", str(picture_bytes), str(niceness), *(() if core is None else (str(core),))]
        yield int(ending.enter_context(_bare(*asked)))


@contextlib.contextmanager
def _bare(*arguments: str) -> Iterator[str]:
    """The first line of such a program, which runs until its input ends."""
    command = [sys.executable, "-m", "pi_controller.bench.bare_servers", *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        if process.stdin is None or process.stdout is None:
            raise BenchError("A bare server has no pipes.")
        try:
            yield process.stdout.readline()
        finally:
            process.stdin.close()


# What a pause takes of the processor and of the network.


def processor(*, counts: tuple[int, ...], pauses: int, folder: Path, say: Say) -> list[Figure]:
    """Rows for each number of listeners: all processes of the controller from an isolated pause until WORK_S
    later, less what they take in the next WORK_S of the pause."""
    with asked_hall(folder) as hall:
        asker = PauseSender(hall.port, hall.token, Listeners(hall.port, LISTENERS.path))
        took = beside_web(hall, lambda: _processor(asker, hall.pid, counts, pauses, say))
    return [
        Figure(
            name=f"feed.processor.{count}",
            what=f"processor of core, web and `run` for a pause over HTTP to {count} listeners",
            unit="ms",
            measured=summary(values),
            limits=limits(p50=PROCESSOR_MS[count]) if count in PROCESSOR_MS else (),
        )
        for count, values in took.items()
    ]


async def _processor(
    asker: PauseSender, run: int, counts: tuple[int, ...], pauses: int, say: Say
) -> dict[int, list[float]]:
    """Milliseconds, by number of listeners; 0 where chance makes it less."""

    def taken_ns() -> int:
        return sum(map(processor_ns, family(run)))

    async def once() -> float:
        before_ns = taken_ns()
        await asker.post("pause", PAUSED)
        await asyncio.sleep(WORK_S)
        after_ns = taken_ns()
        await asyncio.sleep(WORK_S)
        idle_ns = taken_ns() - after_ns
        await asker.post("resume", RUNNING)
        return max(0, after_ns - before_ns - idle_ns) / 1e6

    found = {}
    await asker.connect()
    try:
        for count in sorted(counts):
            await asker.listeners.join(count - len(asker.listeners.received()))
            say(f"feed.processor: {pauses} pauses to {count} listeners")
            found[count] = (await in_turns({"pause": once}, isolated(pauses)))["pause"]
    finally:
        await asker.close()
    return found


def sizes(*, pauses: int, folder: Path, say: Say) -> list[Figure]:
    """Rows for a pause and a resume, to a page and to a phone."""
    rows = []
    with asked_hall(folder) as hall:
        for audience in (LISTENERS, PHONES):
            say(f"feed.bytes: {pauses} pauses to a {audience.one}")
            found = asyncio.run(_sizes(hall, audience, pauses))
            rows += [_size_figure(audience, name, values) for name, values in found.items()]
    return rows


async def _sizes(hall: BenchHall, audience: Audience, pauses: int) -> dict[str, list[float]]:
    asker = PauseSender(hall.port, hall.token, Listeners(hall.port, audience.path))

    async def once(name: str, text: bytes) -> float:
        ((_, before),) = asker.listeners.received()
        await asker.post(name, text)
        await asyncio.sleep(WORK_S)
        ((_, after),) = asker.listeners.received()
        return after - before

    await asker.connect()
    try:
        await asker.listeners.join(1)
        kinds = {"pause": partial(once, "pause", PAUSED), "resume": partial(once, "resume", RUNNING)}
        return await in_turns(kinds, isolated(pauses))
    finally:
        await asker.close()


def _size_figure(audience: Audience, name: str, values: list[float]) -> Figure:
    return Figure(
        name=f"feed.bytes.{name}" + (".phone" if audience is PHONES else ""),
        what=f"bytes of messages, with their heads and without beats, to a {audience.one} from a {name} until"
        f" {WORK_S:g} s later",
        unit="B",
        measured=summary(values),
        limits=limits(max=MOST_BYTES[audience.one]),
    )
