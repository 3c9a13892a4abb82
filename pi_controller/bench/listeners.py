"""Clients of the feed, as cheap as can be: bare WebSocket readers on one loop."""

import asyncio
import base64
import os
import time

from pi_controller.bench.processes import ANSWER_WITHIN_S, BenchError


class Listeners:
    """`heard` gives the moment at which the last of them had a message with some text in it."""

    def __init__(self, port: int, path: str = "/api/feed") -> None:
        self._path = path
        self._port = port
        self._tasks: list[asyncio.Task[None]] = []
        self._writers: list[asyncio.StreamWriter] = []
        self._wanted = b""
        self._missing = 0
        self._all: asyncio.Future[float] | None = None

    async def join(self, count: int) -> None:
        """Have so many more of them, each of which has had its first picture."""
        for _ in range(count):
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            self._writers.append(writer)
            await _upgrade(reader, writer, self._port, self._path)
            await _message(reader)
            self._tasks.append(asyncio.create_task(self._read(reader)))

    def listen_for(self, text: bytes) -> "asyncio.Future[float]":
        """The monotonic time at which the last one has it."""
        self._wanted = text
        self._missing = len(self._tasks)
        self._all = asyncio.get_running_loop().create_future()
        return self._all

    async def leave(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for writer in self._writers:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        had = b""
        while True:
            message = await _message(reader)
            wanted = self._wanted
            if wanted and wanted != had and wanted in message:
                had = wanted
                self._missing -= 1
                if not self._missing and self._all is not None:
                    self._all.set_result(time.monotonic())


async def first_message(port: int, path: str) -> bytes:
    """What a listener gets when it comes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await _upgrade(reader, writer, port, path)
    try:
        return await _message(reader)
    finally:
        writer.close()


async def _upgrade(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int, path: str) -> None:
    key = base64.b64encode(os.urandom(16)).decode()
    writer.write(
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    async with asyncio.timeout(ANSWER_WITHIN_S):
        head = await reader.readuntil(b"\r\n\r\n")
    status = head.split(b"\r\n")[0].decode("latin-1")
    if " 101 " not in status:
        raise BenchError(f"The feed takes no listener: {status}")


async def _message(reader: asyncio.StreamReader) -> bytes:
    """One unfragmented frame of a server (RFC 6455, 5.2)."""
    head = await reader.readexactly(2)
    size = head[1] & 0x7F
    if size == 126:
        size = int.from_bytes(await reader.readexactly(2))
    elif size == 127:
        size = int.from_bytes(await reader.readexactly(8))
    return await reader.readexactly(size)
