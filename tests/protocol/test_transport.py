"""Memory that stays, and a server that closes at the very moment at which somebody comes."""

import asyncio
import contextlib
import gc
import socket
import sys
from pathlib import Path

import pytest

from pi_controller.protocol.lines import READ_AT_ONCE, Buffered, close_server, read_buffer
from tests.patience import DEADLINE_S


class Kept(Buffered):
    def __init__(self, buffer: memoryview) -> None:
        super().__init__(buffer)
        self.came: list[bytes] = []
        self.over = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self.came.append(data)

    def connection_lost(self, _exc: Exception | None) -> None:
        self.over.set()


def test_what_came_stays_as_it_was_when_more_comes_into_the_same_memory() -> None:
    async def test() -> None:
        loop, buffer = asyncio.get_running_loop(), read_buffer()
        for sent in ([b"first", b"second"], [b"x" * (READ_AT_ONCE + 5)]):
            near, far = socket.socketpair()
            with near, far:
                far.setblocking(False)
                transport, kept = await loop.create_unix_connection(lambda: Kept(buffer), sock=near)
                for each in sent:
                    before = len(b"".join(kept.came))
                    await loop.sock_sendall(far, each)
                    while len(b"".join(kept.came)) < before + len(each):  # noqa: ASYNC110 - it waits for the loop itself
                        await asyncio.sleep(0)
                far.close()
                await kept.over.wait()
                assert b"".join(kept.came) == b"".join(sent)
                assert max(map(len, kept.came)) <= READ_AT_ONCE
                transport.close()

    asyncio.run(test())


async def met(path: Path, rounds: int) -> int:
    """How many callers were met by a server that is closed so many rounds of the loop after somebody called."""
    protocols: list[asyncio.Protocol] = []

    class Protocol(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            protocols.append(self)
            transport.close()

    loop = asyncio.get_running_loop()
    server = await loop.create_unix_server(Protocol, path)
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(str(path))
        caller.setblocking(False)
        for _ in range(rounds):
            await asyncio.sleep(0)
        await close_server(server)
        with contextlib.suppress(ConnectionResetError):
            assert await asyncio.wait_for(loop.sock_recv(caller, 1), DEADLINE_S) == b""
    return len(protocols)


@pytest.mark.parametrize("rounds", range(5))
def test_who_comes_while_it_closes_is_met_or_turned_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rounds: int
) -> None:
    """After two rounds the connection is accepted, but its transport not yet made."""
    lost: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    assert asyncio.run(met(tmp_path / "s", rounds)) == (rounds >= 2)
    gc.collect()
    assert lost == []
