"""Listeners of the benchmarks: what befalls them reaches whoever measures."""

import asyncio

import pytest

from benchmarks.hall import HallListeners
from pi_controller.bench.processes import BenchError

PICTURE = b'{"seq":1}'
UPGRADED = b"HTTP/1.1 101 Switching Protocols\r\n\r\n" + bytes((0x81, len(PICTURE))) + PICTURE


async def _left_alone() -> None:
    """A feed gives its listener one picture and hangs up while another is waited for."""
    told = asyncio.Event()

    async def feed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(UPGRADED)
        await told.wait()
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(feed, "127.0.0.1", 0) as server:
        listeners = HallListeners(server.sockets[0].getsockname()[1])
        await listeners.join(1)
        told.set()
        with pytest.raises(BenchError, match="hung up"):
            await listeners.listen_for(b"another picture")
        with pytest.raises(BenchError, match="hung up"):
            listeners.received()
        await listeners.leave()


def test_a_feed_that_hangs_up_is_told_to_who_measures(caplog: pytest.LogCaptureFixture) -> None:
    asyncio.run(_left_alone())
    assert caplog.text == ""
