"""A server that closes at the very moment at which somebody comes."""

import asyncio
import contextlib
import gc
import socket
import sys
from pathlib import Path

import pytest

from pi_controller.protocol.closing import close_server

DEADLINE_S = 120.0


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
