"""The director's pause over HTTP to the last of many listeners, beside two floors in the same run.

The first floor is one process of bare asyncio that writes as many bytes on the same request. The second has
two of them, with a Unix socket between: the least that it costs to keep the game and the network apart. Both
are programs of `bare_servers.py`.

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
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from pi_controller.bench.figures import Figure, FigureLimit, Say, limits, summary
from pi_controller.bench.processes import (
    ANSWER_WITHIN_S,
    BenchError,
    ask,
    children_of,
    command_line,
    pages,
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
BLOCK = 10
"""Pauses of the controller and of both floors take turns in blocks of so many."""
PAUSED, RUNNING = b'"paused":true', b'"running":true'
ONE = 2.0
"""Times the floor, to one listener."""
MANY = 1.3
MANY_P99 = 1.5
SLOPE = 1.2
KINDS = ("controller", "one process", "two processes")


LONGEST_READ = 16 * 1024
"""Bytes: more than a picture has, and less than what the allocator asks the kernel for each time."""
IN_A_PICTURE = b'"saved_seq":'
HEAD_ENDS = b"\r\n\r\n"


class FeedListener:
    """One socket that has upgraded."""

    def __init__(self, path: str, *, buffer_bytes: int | None = None) -> None:
        """`buffer_bytes`: what the kernel is asked to keep for it; by itself it keeps a megabyte."""
        self.had = b""
        """The last text that was waited for and that this one had."""
        self.received = 0
        """Bytes of messages, with their heads."""
        self.in_pictures = 0
        """Of them, in messages that are pictures."""
        self.pictures = 0
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
            await asyncio.get_running_loop().sock_sendall(self._socket, self._upgrade(port))
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
        """Take the unfragmented frames of a server (RFC 6455, 5.2) out of what has come."""
        data, ends = self._rest, 0
        while len(data) >= ends + 2:
            size, head = data[ends + 1] & 0x7F, 2
            if size >= 126:
                head = 4 if size == 126 else 10
                size = int.from_bytes(data[ends + 2 : ends + head])
            begins, ends = ends, ends + head + size
            if len(data) < ends:
                ends = begins
                break
            if IN_A_PICTURE in data[begins:ends]:
                self.pictures += 1
                self.in_pictures += ends - begins
        self.received += ends
        self._rest = data[ends:]
        return data[:ends]

    def _upgrade(self, port: int) -> bytes:
        key = base64.b64encode(os.urandom(16)).decode()
        return (
            f"GET {self._path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ).encode()


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

    async def leave(self) -> None:
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
    who: str
    path: str


LISTENERS = Audience("feed.pause", "listeners", "/api/feed")
PHONES = Audience("feed.phones", "phones", "/api/phone")


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

    async def post(self, name: str, body: str, text: bytes) -> float:
        """Milliseconds until the last listener has a picture with this text in it."""
        heard = self.listeners.listen_for(text)
        request = (
            f"POST /api/commands/{name} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
            f"Authorization: Bearer {self._token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}"
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
        took_ms = await self.post("pause", "", PAUSED)
        await self.post("resume", "", RUNNING)
        return took_ms

    async def close(self) -> None:
        await self.listeners.leave()
        self._writer.close()


def pause(*, counts: tuple[int, ...], pauses: int, folder: Path, say: Say) -> list[Figure]:
    """Rows for each number of listeners, and one for what a further listener costs."""
    return _pauses(LISTENERS, counts, pauses, folder, say)


def phones(*, counts: tuple[int, ...], pauses: int, folder: Path, say: Say) -> list[Figure]:
    """The same to the phones of a hall, which get a smaller picture."""
    return _pauses(PHONES, counts, pauses, folder, say)


def _pauses(audience: Audience, counts: tuple[int, ...], pauses: int, folder: Path, say: Say) -> list[Figure]:
    with asked_hall(folder) as hall, contextlib.ExitStack() as ending:
        size = paused_picture_bytes(folder / "state", hall.port, audience.path)
        ports = [
            ending.enter_context(bare_servers(hall.niceness, size, core))
            for core in (None, folder / "bare.sock")
        ]
        thread = ending.enter_context(stood_at(hall.niceness))
        tokens = ((hall.port, hall.token), *((port, "") for port in ports))
        askers = [PauseSender(port, token, Listeners(port, audience.path)) for port, token in tokens]
        took = thread.submit(asyncio.run, _measure(askers, audience, counts, pauses, say)).result()
    rows = [row for count in sorted(counts) for row in _figures(audience, count, took[count], size)]
    return rows if len(counts) == 1 else [*rows, _slope(audience, took)]


Took = dict[str, list[float]]
"""Milliseconds of each pause, by kind."""


async def _measure(
    askers: list[PauseSender], audience: Audience, counts: tuple[int, ...], pauses: int, say: Say
) -> dict[int, Took]:
    """By number of listeners."""
    found = {}
    there = 0
    for asker in askers:
        await asker.connect()
    try:
        for count in sorted(counts):
            for asker in askers:
                await asker.listeners.join(count - there)
            there = count
            what = f"{pauses} pauses over HTTP to {count} {audience.who}"
            say(f"{audience.figure}: {what}, and as many of each floor")
            found[count] = await _in_turns(askers, pauses)
    finally:
        for asker in askers:
            await asker.close()
    return found


async def _in_turns(askers: list[PauseSender], pauses: int) -> Took:
    took: Took = {kind: [] for kind in KINDS}
    for _ in range(0, pauses, BLOCK):
        for asker, values in zip(askers, took.values(), strict=True):
            values += [await asker.pause() for _ in range(BLOCK)]
    return took


def _figures(audience: Audience, count: int, took: Took, size: int) -> Iterator[Figure]:
    controller, floor, two = (summary(took[kind]) for kind in KINDS)
    what = f"a pause over HTTP to the last of {count} {audience.who}"
    floor_is = f"bare asyncio writes {size} bytes to as many on the same request"
    many = limits(p50=round(MANY * floor.p50, 3), p99=round(MANY_P99 * floor.p99, 3))
    yield Figure(
        name=f"{audience.figure}.{count}",
        what=what,
        unit="ms",
        measured=controller,
        floor=floor,
        floor_is=floor_is,
        limits=limits(p50=round(ONE * floor.p50, 3)) if count == 1 else many,
        note=f"p50 {controller.p50 / floor.p50:.2f} times the floor, p99 {controller.p99 / floor.p99:.2f};"
        f" of two bare processes {controller.p50 / two.p50:.2f} and {controller.p99 / two.p99:.2f} times",
    )
    yield Figure(
        name=f"{audience.figure}.{count}.two",
        what=f"{what}: two processes of bare asyncio and a Unix socket",
        unit="ms",
        measured=two,
        floor=floor,
        floor_is=floor_is,
    )


def _slope(audience: Audience, took: dict[int, Took]) -> Figure:
    controller, floor, _ = (
        slope_us({n: summary(each[kind]).p50 for n, each in took.items()}) for kind in KINDS
    )
    measured, least = summary([controller]), summary([floor])
    return Figure(
        name=f"{audience.figure}.more",
        what=f"one more of the {audience.who}: slope of the p50 by least squares",
        unit="µs",
        measured=measured,
        floor=least,
        floor_is="the same of one process of bare asyncio",
        limits=(FigureLimit(statistic="p50", at_most=round(SLOPE * floor, 2)),),
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


def paused_picture_bytes(state_dir: Path, port: int, path: str) -> int:
    """How many bytes a listener is written when the game is paused."""
    client = Client(socket_path(state_dir))
    ask(client, "pause")
    size = len(asyncio.run(first_message(port, path)))
    ask(client, "resume")
    return size


def stood_at(niceness: int) -> ThreadPoolExecutor:
    """A thread of this niceness, which Linux keeps for each of them (setpriority(2), notes)."""
    return ThreadPoolExecutor(1, initializer=os.setpriority, initargs=(os.PRIO_PROCESS, 0, niceness))


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
