"""How many connections there may be, who gets a place when they are taken, and how long each may take to
ask."""

import asyncio
import contextlib
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import cast

from aiohttp import web

from pi_controller.web.http.limits import HERE, Places, RequestQueue, TokenBucket
from pi_controller.web.http.logged_in import KnownAddresses
from pi_controller.web.http.origin import is_loopback, plain

MOST_STRANGERS = 960
"""Every listener of a full feed has its socket and a second connection for the page itself."""
MOST_KEYED = 1024
"""Of those who have shown a key, of this machine itself, and of addresses from which a key was shown."""
MOST_PER_ADDRESS = 512
REQUEST_WITHIN_S = 10.0
"""A request whose head is not complete by then is cut, the first one and each further one: bytes that drip
in hold no place. So is an answer that nobody takes."""
INPUT_BYTES_A_S = 512
INPUT_BYTES = 2048
"""At once, from a connection that is only told things: some pings and a closing frame are all it needs."""
IDLE_S = 75.0
"""A connection on which nothing is asked for so long is cut."""
QUIET_S = 1.0
"""So long nothing whole was asked on it, and no key shown: it makes room for another one."""


@dataclass(slots=True)
class _ConnectionState:
    """`heard`: something came since the newest request began. `since_s`: when it was opened or last
    answered."""

    address: str
    until_s: float
    since_s: float
    has_key: bool = False
    serving: bool = False
    heard: bool = True
    answered_s: float | None = None


class ConnectionLimiter:
    """Knows each connection from its first byte to its end; the guard says when a request of it is served."""

    def __init__(self, boot_s: Callable[[], float], known: KnownAddresses) -> None:
        self._boot_s = boot_s
        self._known = known
        self._connections: dict[asyncio.BaseTransport, _ConnectionState] = {}
        self._places: Places[asyncio.BaseTransport] = Places(
            strangers=MOST_STRANGERS,
            per_address=MOST_PER_ADDRESS,
            keyed=MOST_KEYED,
            end=_abort,
            rested=self._is_quiet,
        )
        self._guests = RequestQueue()
        self.turned_away = 0

    @property
    def count(self) -> int:
        """Without those that are counted elsewhere."""
        return len(self._places)

    def admit(self, transport: asyncio.BaseTransport, address: str) -> bool:
        """Whether there is room, or whoever has most makes some; otherwise the connection is cut at once."""
        address = plain(address)
        key = HERE if is_loopback(address) else address if self._known.has(address) else None
        if not self._places.take(transport, address, key):
            self.turned_away += 1
            return False
        now_s = self._boot_s()
        self._connections[transport] = _ConnectionState(address, now_s + REQUEST_WITHIN_S, now_s)
        self._places.rests(transport, rests=True)
        return True

    def remove(self, transport: asyncio.BaseTransport) -> None:
        del self._connections[transport]
        self._places.give_back(transport)

    def count_apart(self, transport: asyncio.BaseTransport) -> None:
        """From now on this one has a place elsewhere."""
        self._places.give_back(transport)

    def owes_key(self, transport: asyncio.BaseTransport) -> None:
        """What it is served needs a key, which it has not shown yet: until it does it may have to make
        room."""
        self._connections[transport].since_s = self._boot_s()
        self._places.rests(transport, rests=True)

    def received(self, transport: asyncio.BaseTransport) -> None:
        """Bytes came. When they begin a further request, it must be complete in time."""
        state = self._connections[transport]
        if not state.heard:
            state.heard = True
            state.until_s = self._boot_s() + REQUEST_WITHIN_S

    def knows(self, address: str) -> bool:
        """Whether it is this machine, or somebody has asked from there who has shown a key."""
        return is_loopback(address) or self._known.has(plain(address))

    def goes_first(self, transport: asyncio.BaseTransport) -> bool:
        """Whether its requests need not queue behind those of guests."""
        state = self._connections[transport]
        return state.has_key or self.knows(state.address)

    def queue(self, address: str, serve: Callable[[], None]) -> None:
        """Have this done when it is the turn of whoever is at this address."""
        self._guests.add(address, serve)

    def input_bucket(self) -> TokenBucket:
        """Of bytes, for a connection that is only told things."""
        return TokenBucket(per_s=INPUT_BYTES_A_S, at_once=INPUT_BYTES, boot_s=self._boot_s)

    @contextlib.contextmanager
    def serving(self, request: web.Request) -> Iterator[None]:
        """The head of a request is complete, and its answer is made for the length of the block."""
        state = self._state(request)
        if state is None or request.transport is None:
            yield
            return
        transport = request.transport
        state.serving, state.heard = True, False
        self._places.rests(transport, rests=False)
        try:
            yield
        finally:
            state.serving = False
            self._places.rests(transport, rests=True)
            state.answered_s = state.since_s = now_s = self._boot_s()
            state.until_s = now_s + (REQUEST_WITHIN_S if state.heard else IDLE_S)

    def shown(self, request: web.Request, key: Hashable) -> None:
        """Who asks on this connection has shown this key."""
        state = self._state(request)
        if state is not None and request.transport is not None:
            state.has_key = True
            self._places.show_key(request.transport, key)

    def sweep(self) -> None:
        """Cut connections that have taken too long; to be called about once a second."""
        now_s = self._boot_s()
        for transport, state in tuple(self._connections.items()):
            if not state.serving and (now_s >= state.until_s or _untaken(transport, state, now_s)):
                _abort(transport)

    def _is_quiet(self, transport: asyncio.BaseTransport) -> bool:
        """Whether it can be ended for another one: browsers keep several connections for a while, and a whole
        audience behind one router would have none left for newcomers."""
        return self._boot_s() - self._connections[transport].since_s >= QUIET_S

    def _state(self, request: web.Request) -> _ConnectionState | None:
        return None if request.transport is None else self._connections.get(request.transport)


def _abort(transport: asyncio.BaseTransport) -> None:
    cast(asyncio.Transport, transport).abort()


def _untaken(transport: asyncio.BaseTransport, state: _ConnectionState, now_s: float) -> bool:
    """Whether the answer has been waiting for its reader for too long."""
    waiting = cast(asyncio.Transport, transport).get_write_buffer_size() > 0
    return waiting and state.answered_s is not None and now_s - state.answered_s >= REQUEST_WITHIN_S
