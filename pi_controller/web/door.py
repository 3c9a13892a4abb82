"""Connections before they say anything: how many there may be, and how long they may stay silent."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import cast

from aiohttp import web

from pi_controller.web.addresses import is_loopback

MOST_CONNECTIONS = 1024
"""Every listener of a full feed has its socket and a second connection for the page itself."""
KEPT_FOR_LOOPBACK = 32
MOST_PER_ADDRESS = 512
REQUEST_WITHIN_S = 10.0
"""A connection whose first request is not complete by then is cut: bytes that drip in hold no place."""


class Door:
    """Makes the protocol of each new connection. `request_came` is told by the gate."""

    def __init__(self, boot_s: Callable[[], float]) -> None:
        self._server: web.Server | None = None
        self._boot_s = boot_s
        self._addresses: Counter[str] = Counter()
        self._silent: dict[asyncio.BaseTransport, float] = {}
        self.turned_away = 0
        self.count = 0

    def lead_to(self, runner: web.AppRunner) -> None:
        """To be called after the runner's set-up and before the first connection."""
        self._server = runner.server

    def __call__(self) -> asyncio.Protocol:
        if self._server is None:
            raise RuntimeError("the door leads nowhere yet: call lead_to first")
        return Visitor(self, self._server())

    def enter(self, transport: asyncio.BaseTransport, address: str) -> bool:
        """Whether there is room; otherwise the connection is cut at once."""
        local = is_loopback(address)
        places = MOST_CONNECTIONS if local else MOST_CONNECTIONS - KEPT_FOR_LOOPBACK
        if self.count >= places or (not local and self._addresses[address] >= MOST_PER_ADDRESS):
            self.turned_away += 1
            return False
        self.count += 1
        self._addresses[address] += 1
        self._silent[transport] = self._boot_s() + REQUEST_WITHIN_S
        return True

    def leave(self, transport: asyncio.BaseTransport, address: str) -> None:
        self.count -= 1
        self._addresses[address] -= 1
        if not self._addresses[address]:
            del self._addresses[address]
        self._silent.pop(transport, None)

    def request_came(self, request: web.Request) -> None:
        """The first request of this connection is complete."""
        if request.transport is not None:
            self._silent.pop(request.transport, None)

    def sweep(self) -> None:
        """Cut connections that have been silent for too long; to be called about once a second."""
        now_s = self._boot_s()
        for transport, until_s in tuple(self._silent.items()):
            if now_s >= until_s:
                cast(asyncio.Transport, transport).abort()


class Visitor(asyncio.Protocol):
    """One connection: counted at the door, then served by the library's own protocol."""

    def __init__(self, door: Door, inner: asyncio.Protocol) -> None:
        self._door = door
        self._inner = inner
        self._address = ""
        self._transport: asyncio.BaseTransport | None = None
        """None while it is not inside."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) else ""
        if not self._door.enter(transport, address):
            cast(asyncio.Transport, transport).abort()
            return
        self._address = address
        self._transport = transport
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if self._transport is not None:
            self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received() if self._transport is not None else None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._transport is not None:
            self._door.leave(self._transport, self._address)
            self._transport = None
            self._inner.connection_lost(exc)

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()
