"""From the director's pause over HTTP to the last of many listeners, beside bare asyncio doing as little."""

import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pi_controller.bench.children import answers, children_of, command_line, port_of, product
from pi_controller.bench.feed import PICTURE_BYTES
from pi_controller.bench.figures import Figure, Say, limits, summary
from pi_controller.bench.hall import ANSWER_WITHIN_S, BenchError
from pi_controller.bench.listeners import Listeners
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
"""Pauses of the controller and of bare asyncio take turns in blocks of so many."""
LIMIT_MS = 1.2
"""To one listener."""


class Asker:
    """Posts on one connection that stays, as a browser does, and tells its listeners what to wait for."""

    def __init__(self, port: int, token: str) -> None:
        self.listeners = Listeners(port)
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


def pause(*, counts: tuple[int, ...], pauses: int, folder: Path | None, say: Say) -> list[Figure]:
    """A row for each number of listeners."""
    with tempfile.TemporaryDirectory(prefix="bench-", dir=folder) as name:
        state_dir, settings = Path(name) / "state", Path(name) / "settings.toml"
        settings.write_text(SETTINGS, encoding="utf-8")
        with product("run", state_dir, "--port=0", f"--settings={settings}") as run:
            port = port_of(run)
            answers(state_dir, run)
            if not Client(socket_path(state_dir)).command("start", source="bench").accepted:
                raise BenchError("The game could not be started.")
            token = (state_dir / "web" / "token").read_text(encoding="ascii").strip()
            niceness = _niceness_of_web(run.pid)
            with _bare_server(niceness) as bare_port, _stood_at(niceness) as thread:
                askers = Asker(port, token), Asker(bare_port, "")
                return thread.submit(asyncio.run, _measure(askers, counts, pauses, say)).result()


async def _measure(
    askers: tuple[Asker, Asker], counts: tuple[int, ...], pauses: int, say: Say
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
            say(f"pause: {pauses} pauses over HTTP to {count} listeners, and as many of bare asyncio")
            figures.append(_figure(count, *await _in_turns(askers, pauses)))
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


def _figure(count: int, took: list[float], bare: list[float]) -> Figure:
    floor = summary(bare)
    return Figure(
        name=f"pause.{count}",
        what=f"a pause over HTTP to the last of {count} listeners",
        unit="ms",
        measured=summary(took),
        floor=floor,
        floor_is=f"a bare asyncio server writes {PICTURE_BYTES} bytes to as many on the same request",
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
def _bare_server(niceness: int) -> Iterator[int]:
    """Its port."""
    command = [sys.executable, "-m", "pi_controller.bench.bare_server", str(PICTURE_BYTES), str(niceness)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        if server.stdin is None or server.stdout is None:
            raise BenchError("The bare server has no pipes.")
        try:
            yield int(server.stdout.readline())
        finally:
            server.stdin.close()
