"""Connections that end are gone at once: nothing of them waits for the garbage collector, which in a flood would
stop everybody for a tenth of a second."""

import asyncio
import contextlib
import gc
import ssl
import weakref
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pi_controller.web.api import games
from pi_controller.web.http.connections import Connection
from tests.matrix import further
from tests.web.hall import Hall, until
from tests.web.http.test_tls import client_hello, secured, staff_port, trusting
from tests.web.live.test_broadcaster import UPGRADE

PINGS = b"\x89\x80\x00\x00\x00\x00" * 2000


def at_work() -> int:
    """Tasks beside those of the scripted core, whose connections stay for ten seconds."""
    return sum("FakeCore" not in repr(task.get_coro()) for task in asyncio.all_tasks())


@contextlib.asynccontextmanager
async def left_alone(
    hall: Hall, *, tls: ssl.SSLContext | None = None
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection; after the block it is closed, and nothing of it is there any more."""
    before = at_work()
    port = hall.port if tls is None else staff_port(hall)
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls)
    await until(lambda: hall.limiter.count == 1)
    (transport,) = hall.limiter._connections
    assert isinstance(transport, asyncio.Transport)
    connection = transport.get_protocol()
    assert isinstance(connection, Connection)
    inside = weakref.ref(connection._inner)
    below = weakref.ref(transport if tls is None else transport._raw)
    del transport, connection
    gc.collect()
    gc.disable()
    try:
        yield reader, writer
        writer.close()
        await until(lambda: hall.limiter.count == 0 and at_work() <= before)
        for _ in range(5):  # the loop's next passes let go of the transport
            await asyncio.sleep(0)
        assert (inside(), below()) == (None, None)
    finally:
        gc.enable()


@pytest.mark.parametrize("path", ["/api/state", *further("/api/games/none/export", "/nowhere", "/director")])
async def test_after_an_answer(hall: Hall, path: str) -> None:
    async with left_alone(hall) as (reader, writer):
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {hall.host}\r\nConnection: close\r\n\r\n".encode())
        assert (await reader.read()).startswith(b"HTTP/1.1 ")


async def test_after_a_refused_download(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "EXPORTS_AT_ONCE", 0)
    async with left_alone(hall) as (reader, writer):
        writer.write(
            f"GET /api/games/g/export HTTP/1.1\r\nHost: {hall.host}\r\nConnection: close\r\n\r\n".encode()
        )
        assert b" 503 " in await reader.read()


@pytest.mark.parametrize("sent", [b"", PINGS], ids=["leaves", "is cut"])
async def test_after_a_feed(hall: Hall, sent: bytes) -> None:
    async with left_alone(hall) as (reader, writer):
        writer.write(UPGRADE.format(host=hall.host).encode())
        await reader.readuntil(b"\r\n\r\n")
        await until(lambda: any(each.ready for each in hall.feed._listeners))
        writer.write(sent)
        with contextlib.suppress(ConnectionError):
            while sent and await reader.read(1 << 16):
                pass


@pytest.mark.parametrize("path", ["/nowhere", *further("/api/state", "/director")])
async def test_after_an_encrypted_answer(tmp_path: Path, path: str) -> None:
    async with secured(tmp_path) as hall, left_alone(hall, tls=trusting(tmp_path / "own")) as ends:
        reader, writer = ends
        host = f"127.0.0.1:{staff_port(hall)}"
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        assert (await reader.read()).startswith(b"HTTP/1.1 ")


@pytest.mark.parametrize("sent", ["nothing", "nonsense", "half a hello", "a hello"])
async def test_after_no_handshake(tmp_path: Path, sent: str) -> None:
    hello = client_hello()
    said = {"nothing": b"", "nonsense": b"nonsense", "half a hello": hello[:99], "a hello": hello}
    async with secured(tmp_path) as hall:
        reader, writer = await asyncio.open_connection("127.0.0.1", staff_port(hall))
        pools, came = hall.side.handshakes, weakref.WeakSet[asyncio.BaseTransport]()
        await until(lambda: len(pools.waiting) == 1)
        came.update(each._raw for each in pools.waiting)
        gc.collect()
        gc.disable()
        try:
            writer.write(said[sent])
            if sent == "a hello":
                await reader.read(1)
            writer.close()
            await until(lambda: not len(pools.waiting) and not len(pools.shaking))
            for _ in range(5):
                await asyncio.sleep(0)
            assert not list(came)
        finally:
            gc.enable()
