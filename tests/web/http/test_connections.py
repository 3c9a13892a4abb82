"""Connections that end are gone at once: nothing of them waits for the garbage collector, which in a flood would
stop everybody for a tenth of a second."""

import asyncio
import contextlib
import gc
import weakref
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pi_controller.web.api import games
from pi_controller.web.http.connections import Connection
from tests.web.hall import Hall, served, until
from tests.web.live.test_broadcaster import UPGRADE

PINGS = b"\x89\x80\x00\x00\x00\x00" * 2000


def at_work() -> int:
    """Tasks beside those of the scripted core, whose connections stay for ten seconds."""
    return sum("FakeCore" not in repr(task.get_coro()) for task in asyncio.all_tasks())


@contextlib.asynccontextmanager
async def left_alone(hall: Hall) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection; after the block it is closed, and nothing of it is there any more."""
    before = at_work()
    reader, writer = await asyncio.open_connection("127.0.0.1", hall.port)
    await until(lambda: hall.limiter.count == 1)
    (transport,) = hall.limiter._connections
    assert isinstance(transport, asyncio.Transport)
    connection = transport.get_protocol()
    assert isinstance(connection, Connection)
    inside = weakref.ref(connection._inner)
    del transport, connection
    gc.collect()
    gc.disable()
    try:
        yield reader, writer
        writer.close()
        await until(lambda: hall.limiter.count == 0 and at_work() <= before)
        for _ in range(5):  # the loop's next passes let go of the transport
            await asyncio.sleep(0)
        assert inside() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("path", ["/api/state", "/api/games/none/export", "/nowhere", "/director"])
async def test_after_an_answer(tmp_path: Path, path: str) -> None:
    async with served(tmp_path) as hall, left_alone(hall) as (reader, writer):
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {hall.host}\r\nConnection: close\r\n\r\n".encode())
        assert (await reader.read()).startswith(b"HTTP/1.1 ")


async def test_after_a_refused_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "EXPORTS_AT_ONCE", 0)
    async with served(tmp_path) as hall, left_alone(hall) as (reader, writer):
        writer.write(
            f"GET /api/games/g/export HTTP/1.1\r\nHost: {hall.host}\r\nConnection: close\r\n\r\n".encode()
        )
        assert b" 503 " in await reader.read()


@pytest.mark.parametrize("sent", [b"", PINGS], ids=["leaves", "is cut"])
async def test_after_a_feed(tmp_path: Path, sent: bytes) -> None:
    async with served(tmp_path) as hall, left_alone(hall) as (reader, writer):
        writer.write(UPGRADE.format(host=hall.host).encode())
        await reader.readuntil(b"\r\n\r\n")
        await until(lambda: any(each.begun for each in hall.feed._listeners))
        writer.write(sent)
        with contextlib.suppress(ConnectionError):
            while sent and await reader.read(1 << 16):
                pass
