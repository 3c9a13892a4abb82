"""Connections: how many there may be, who always gets in, and how long each may take to say what it wants."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

from aiohttp import web

from pi_controller.protocol.buffered import Buffered, read_buffer
from pi_controller.web.addresses import is_loopback
from pi_controller.web.budget import Budget
from pi_controller.web.plain_http import PlainHttp
from pi_controller.web.turns import Turns

MOST_CONNECTIONS = 1024
"""Every listener of a full feed has its socket and a second connection for the page itself."""
KEPT_FOR_STAFF = 64
"""Places for this machine itself, and for addresses from which somebody who is logged in has asked."""
MOST_PASSING = 32
"""Places for one request each when all others are taken: whoever logs in meanwhile is not shut out."""
MOST_PER_ADDRESS = 512
REQUEST_WITHIN_S = 10.0
"""A request whose head is not complete by then is cut, the first one and each further one: bytes that drip
in hold no place. So is an answer that nobody takes."""
PASSING_WITHIN_S = 2.0
DEAF_BYTES_A_S = 512
DEAF_BYTES = 2048
"""At once, from a connection that is only told things: some pings and a closing frame are all it needs."""
POLICY_VIOLATION = b"\x88\x02" + (1008).to_bytes(2, "big")
"""A whole closing frame (RFC 6455, 5.5.1)."""
IDLE_S = 75.0
"""A connection on which nothing is asked for so long is cut."""


@dataclass(slots=True)
class _Visit:
    """One connection inside. `heard`: something came since the newest request began."""

    address: str
    until_s: float
    passing: bool
    serving: bool = False
    heard: bool = False
    answered_s: float | None = None


class Door:
    """Makes the protocol of each new connection; the gate says when a request is served."""

    def __init__(self, boot_s: Callable[[], float]) -> None:
        self._server: web.Server | None = None
        self._boot_s = boot_s
        self._is_known: Callable[[str], bool] = lambda _address: False
        self._addresses: Counter[str] = Counter()
        self._visits: dict[asyncio.BaseTransport, _Visit] = {}
        self._turns = Turns()
        self._buffer = read_buffer()
        self.turned_away = 0

    @property
    def count(self) -> int:
        return len(self._visits)

    def lead_to(self, runner: web.AppRunner, is_known: Callable[[str], bool]) -> None:
        """To be called after the runner's set-up and before the first connection. `is_known`: whether
        somebody who is logged in has asked from this address."""
        self._server = runner.server
        self._is_known = is_known

    def __call__(self) -> "Visitor":
        if self._server is None:
            raise RuntimeError("the door leads nowhere yet: call lead_to first")
        return Visitor(self, self._server, self._buffer)

    def enter(self, transport: asyncio.BaseTransport, address: str) -> bool:
        """Whether there is room; otherwise the connection is cut at once."""
        own = self._addresses[address]
        if is_loopback(address):
            room, passing = self.count < MOST_CONNECTIONS, False
        elif self._is_known(address):
            room, passing = self.count < MOST_CONNECTIONS and own < MOST_PER_ADDRESS + KEPT_FOR_STAFF, False
        else:
            passing = self.count >= MOST_CONNECTIONS - KEPT_FOR_STAFF - MOST_PASSING
            room = self.count < MOST_CONNECTIONS - KEPT_FOR_STAFF and own < (
                1 if passing else MOST_PER_ADDRESS
            )
        if not room:
            self.turned_away += 1
            return False
        self._addresses[address] += 1
        within_s = PASSING_WITHIN_S if passing else REQUEST_WITHIN_S
        self._visits[transport] = _Visit(address, self._boot_s() + within_s, passing, heard=True)
        return True

    def leave(self, transport: asyncio.BaseTransport) -> None:
        visit = self._visits.pop(transport)
        self._addresses[visit.address] -= 1
        if not self._addresses[visit.address]:
            del self._addresses[visit.address]

    def hear(self, transport: asyncio.BaseTransport) -> None:
        """Bytes came. When they begin a further request, it must be complete in time."""
        visit = self._visits[transport]
        if not visit.heard:
            visit.heard = True
            visit.until_s = self._boot_s() + REQUEST_WITHIN_S

    def passes_by(self, transport: asyncio.BaseTransport) -> bool:
        """Whether this connection need not wait for its turn behind the guests."""
        address = self._visits[transport].address
        return is_loopback(address) or self._is_known(address)

    def wait_for_turn(self, serve: Callable[[], None]) -> None:
        self._turns.enter(serve)

    def budget(self) -> Budget:
        """Of bytes, for a connection that is only told things."""
        return Budget(per_s=DEAF_BYTES_A_S, at_once=DEAF_BYTES, boot_s=self._boot_s)

    @contextlib.contextmanager
    def serving(self, request: web.Request) -> Iterator[None]:
        """The head of a request is complete, and its answer is made for the length of the block."""
        visit = self._visit(request)
        if visit is None:
            yield
            return
        visit.serving, visit.heard = True, False
        try:
            yield
        finally:
            visit.serving = False
            visit.answered_s = now_s = self._boot_s()
            visit.until_s = now_s + (REQUEST_WITHIN_S if visit.heard else IDLE_S)

    def is_passing(self, request: web.Request) -> bool:
        """Whether this connection holds its place for one request only."""
        visit = self._visit(request)
        return visit is not None and visit.passing

    def let_stay(self, request: web.Request) -> None:
        """Who asks is logged in."""
        visit = self._visit(request)
        if visit is not None:
            visit.passing = False

    def sweep(self) -> None:
        """Cut connections that have taken too long; to be called about once a second."""
        now_s = self._boot_s()
        for transport, visit in tuple(self._visits.items()):
            if not visit.serving and (now_s >= visit.until_s or _untaken(transport, visit, now_s)):
                cast(asyncio.Transport, transport).abort()

    def _visit(self, request: web.Request) -> _Visit | None:
        return None if request.transport is None else self._visits.get(request.transport)


def _untaken(transport: asyncio.BaseTransport, visit: _Visit, now_s: float) -> bool:
    """Whether the answer has been waiting for its reader for too long."""
    waiting = cast(asyncio.Transport, transport).get_write_buffer_size() > 0
    return waiting and visit.answered_s is not None and now_s - visit.answered_s >= REQUEST_WITHIN_S


class Visitor(Buffered):
    """One connection: counted at the door, then served by the library's own protocol."""

    def __init__(self, door: Door, server: web.Server, buffer: memoryview) -> None:
        super().__init__(buffer)
        self._door = door
        self._server = server
        self._inner: asyncio.Protocol
        """Made once it is inside: whoever is turned away costs as little as can be."""
        self._transport: asyncio.Transport | None = None
        """None while it is not inside."""
        self._budget: Budget | None = None
        """Once it is deaf: bytes that it may send."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) else ""
        if not self._door.enter(transport, address):
            cast(asyncio.Transport, transport).abort()
            return
        self._transport = cast(asyncio.Transport, transport)
        self._inner = PlainHttp(self._server)
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if self._transport is None:
            return
        if self._budget is not None and not self._budget.take(len(data)):
            self._transport.write(POLICY_VIOLATION)
            self._transport.abort()
            return
        self._door.hear(self._transport)
        if self._door.passes_by(self._transport):
            self._inner.data_received(data)
        else:
            self._transport.pause_reading()
            self._door.wait_for_turn(lambda: self._serve(data))

    def deafen(self) -> None:
        """From now on it is told things and has nothing to say: who sends much all the same is cut off before
        anything of it is read."""
        self._budget = self._door.budget()

    def _serve(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.resume_reading()
            self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received() if self._transport is not None else None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._transport is not None:
            self._door.leave(self._transport)
            self._transport = None
            self._inner.connection_lost(exc)

    def pause_writing(self) -> None:
        if self._transport is not None:
            self._inner.pause_writing()

    def resume_writing(self) -> None:
        if self._transport is not None:
            self._inner.resume_writing()


def deafen(transport: asyncio.BaseTransport) -> None:
    """See `Visitor.deafen`."""
    visitor = cast(asyncio.Transport, transport).get_protocol()
    if isinstance(visitor, Visitor):
        visitor.deafen()
