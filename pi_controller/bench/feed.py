"""From a command to the last of many listeners, through the real core and web processes."""

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from pi_controller.bench.figures import Figure, Say, limits, summary
from pi_controller.bench.listeners import Listeners, first_message
from pi_controller.bench.processes import (
    ANSWER_WITHIN_S,
    BenchError,
    ask,
    children_of,
    command_line,
    pages,
)
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.client import Client
from pi_controller.protocol.paths import socket_path

PICTURE_BYTES = 1500
"""Size of a picture in the middle of a game, for the floor."""


def command(*, counts: tuple[int, ...], commands: int, folder: Path, say: Say) -> list[Figure]:
    """A row for each number of listeners."""
    with pages(folder) as (_pid, port):
        return asyncio.run(_measure_commands(folder, port, counts, commands, say))


async def _measure_commands(
    state_dir: Path, port: int, counts: tuple[int, ...], commands: int, say: Say
) -> list[Figure]:
    listeners = Listeners(port)
    client = AsyncClient(socket_path(state_dir))
    figures = []
    there = 0
    try:
        for count in sorted(counts):
            await listeners.join(count - there)
            there = count
            say(f"feed.command: {commands} commands to {count} listeners")
            took = [await _once(listeners, client, f"line {count}-{number}.") for number in range(commands)]
            figures.append(
                Figure(
                    name=f"feed.{count}",
                    what=f"command to the last of {count} listeners",
                    unit="ms",
                    measured=summary(took),
                    floor=summary(await bare_broadcast(count, commands)),
                    floor_is=f"asyncio writes {PICTURE_BYTES} bytes to as many sockets of its own process",
                )
            )
    finally:
        await listeners.leave()
        await client.aclose()
    return figures


async def _once(listeners: Listeners, client: AsyncClient, text: str) -> float:
    heard = listeners.listen_for(text.encode())
    begun = time.monotonic()
    answer = await client.command("say", {"text": text}, source="bench")
    if not answer.accepted:
        raise BenchError(f"The line was refused: {' '.join(answer.reasons)}")
    async with asyncio.timeout(ANSWER_WITHIN_S):
        return (await heard - begun) * 1000


async def bare_broadcast(count: int, times: int) -> list[float]:
    """The same by asyncio alone, from the first write to the last reader; milliseconds."""
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
    took = []
    for _ in range(times):
        begun = time.monotonic()
        for writer in writers:
            writer.write(bytes(PICTURE_BYTES))
        await asyncio.gather(*(reader.readexactly(PICTURE_BYTES) for reader, _ in ends))
        took.append((time.monotonic() - begun) * 1000)
    for writer in [*writers, *(writer for _, writer in ends)]:
        writer.close()
    server.close()
    await server.wait_closed()
    return took


SETTINGS = """\
[game]
schedule = [{from_round = 1, seconds = 3600}]
rounds_without_seven = 999
start_countdown_seconds = 0
resume_countdown_seconds = 0
"""
BLOCK = 10
"""Pauses of the controller and of bare asyncio take turns in blocks of so many."""
LIMIT_MS = 1.2
"""To one listener."""


@dataclass(frozen=True, slots=True)
class Audience:
    """Whom a pause is to reach, on which feed. The floor writes `picture_bytes`, or as many as this feed."""

    figure: str
    who: str
    path: str
    picture_bytes: int = 0


LISTENERS = Audience("feed.pause", "listeners", "/api/feed", PICTURE_BYTES)
PHONES = Audience("feed.phones", "phones", "/api/phone")


class Asker:
    """Posts on one connection that stays, as a browser does, and tells its listeners what to wait for."""

    def __init__(self, port: int, token: str, path: str = "/api/feed") -> None:
        self.listeners = Listeners(port, path)
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
        """A pause, and play again; milliseconds of the pause."""
        took_ms = await self.post("pause", "", b'"paused":true')
        await self.post("resume", "", b'"paused":false')
        return took_ms

    async def close(self) -> None:
        await self.listeners.leave()
        self._writer.close()


def pause(*, counts: tuple[int, ...], pauses: int, folder: Path, say: Say) -> list[Figure]:
    """A row for each number of listeners; controller and bare server in turns."""
    return _pauses(LISTENERS, counts, pauses, folder, say)


def phones(*, counts: tuple[int, ...], pauses: int, folder: Path, say: Say) -> list[Figure]:
    """The same to the phones of a hall, which get a smaller picture."""
    return _pauses(PHONES, counts, pauses, folder, say)


def _pauses(audience: Audience, counts: tuple[int, ...], pauses: int, folder: Path, say: Say) -> list[Figure]:
    state_dir, settings = folder / "state", folder / "settings.toml"
    settings.write_text(SETTINGS, encoding="utf-8")
    with pages(state_dir, f"--settings={settings}") as (pid, port):
        ask(Client(socket_path(state_dir)), "start")
        token = (state_dir / "web" / "token").read_text(encoding="ascii").strip()
        niceness = _niceness_of_web(pid)
        if not audience.picture_bytes:
            size = len(asyncio.run(first_message(port, audience.path)))
            audience = replace(audience, picture_bytes=size)
        with _bare_server(niceness, audience.picture_bytes) as bare_port, _stood_at(niceness) as thread:
            askers = Asker(port, token, audience.path), Asker(bare_port, "", audience.path)
            measure = _measure_pauses(askers, audience, counts, pauses, say)
            return thread.submit(asyncio.run, measure).result()


async def _measure_pauses(
    askers: tuple[Asker, Asker], audience: Audience, counts: tuple[int, ...], pauses: int, say: Say
) -> list[Figure]:
    figures = []
    there = 0
    for asker in askers:
        await asker.connect()
    try:
        for count in sorted(counts):
            for asker in askers:
                await asker.listeners.join(count - there)
            there = count
            what = f"{pauses} pauses over HTTP to {count} {audience.who}"
            say(f"{audience.figure}: {what}, and as many of bare asyncio")
            figures.append(_figure(audience, count, *await _in_turns(askers, pauses)))
    finally:
        for asker in askers:
            await asker.close()
    return figures


async def _in_turns(askers: tuple[Asker, Asker], pauses: int) -> tuple[list[float], list[float]]:
    took: tuple[list[float], list[float]] = ([], [])
    for _ in range(0, pauses, BLOCK):
        for asker, values in zip(askers, took, strict=True):
            values += [await asker.pause() for _ in range(BLOCK)]
    return took


def _figure(audience: Audience, count: int, took: list[float], bare: list[float]) -> Figure:
    floor = summary(bare)
    return Figure(
        name=f"{audience.figure}.{count}",
        what=f"a pause over HTTP to the last of {count} {audience.who}",
        unit="ms",
        measured=summary(took),
        floor=floor,
        floor_is=f"bare asyncio writes {audience.picture_bytes} bytes to as many on the same request",
        limits=limits(p50=LIMIT_MS if count == 1 else round(1.3 * floor.p50, 3)),
    )


def _stood_at(niceness: int) -> ThreadPoolExecutor:
    """A thread of this niceness, which Linux keeps for each of them (setpriority(2), notes)."""
    return ThreadPoolExecutor(1, initializer=os.setpriority, initargs=(os.PRIO_PROCESS, 0, niceness))


def _niceness_of_web(run_pid: int) -> int:
    """Web stands behind core. Who is compared with it must stand there too, and so must listeners and asker,
    who in a hall have processors of their own."""
    web = next(pid for pid in children_of(run_pid) if "web" in command_line(pid))
    return os.getpriority(os.PRIO_PROCESS, web)


@contextlib.contextmanager
def _bare_server(niceness: int, picture_bytes: int) -> Iterator[int]:
    """Its port."""
    command = [sys.executable, "-m", "pi_controller.bench.bare_server", str(picture_bytes), str(niceness)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        if server.stdin is None or server.stdout is None:
            raise BenchError("The bare server has no pipes.")
        try:
            yield int(server.stdout.readline())
        finally:
            server.stdin.close()
