"""How many connections there may be, which always get a place, and how long each may take to ask."""

import asyncio
import contextlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

from aiohttp import web

from pi_controller.web.http.limits import RequestQueue, TokenBucket
from pi_controller.web.http.logged_in import LoggedInAddresses
from pi_controller.web.http.origin import is_loopback

MOST_CONNECTIONS = 1024
"""Every listener of a full feed has its socket and a second connection for the page itself."""
KEPT_FOR_STAFF = 64
"""Places for this machine itself, and for addresses from which somebody who is logged in has asked."""
ONE_REQUEST_PLACES = 32
"""Places for one request each when all others are taken: whoever logs in meanwhile is not shut out."""
MOST_PER_ADDRESS = 512
REQUEST_WITHIN_S = 10.0
"""A request whose head is not complete by then is cut, the first one and each further one: bytes that drip
in hold no place. So is an answer that nobody takes."""
ONE_REQUEST_WITHIN_S = 2.0
INPUT_BYTES_A_S = 512
INPUT_BYTES = 2048
"""At once, from a connection that is only told things: some pings and a closing frame are all it needs."""
IDLE_S = 75.0
"""A connection on which nothing is asked for so long is cut."""
IDLE_BEFORE_OTHERS_S = 1.0
"""So long nothing was asked on it: it makes room for another one of a full address."""


@dataclass(slots=True)
class _ConnectionState:
    """`heard`: something came since the newest request began. `apart`: its place is counted elsewhere."""

    address: str
    until_s: float
    for_one_request: bool
    serving: bool = False
    heard: bool = False
    apart: bool = False
    answered_s: float | None = None


class ConnectionLimiter:
    """Knows each connection from its first byte to its end; the guard says when a request of it is served."""

    def __init__(self, boot_s: Callable[[], float], logged_in: LoggedInAddresses) -> None:
        self._boot_s = boot_s
        self._logged_in = logged_in
        self._addresses: Counter[str] = Counter()
        self._apart = 0
        self._connections: dict[asyncio.BaseTransport, _ConnectionState] = {}
        self._idle: defaultdict[str, dict[asyncio.BaseTransport, None]] = defaultdict(dict)
        """By address, who has been answered and asks nothing, the longest first."""
        self._guests = RequestQueue()
        self.turned_away = 0

    @property
    def count(self) -> int:
        """Without those that are counted elsewhere."""
        return len(self._connections) - self._apart

    def admit(self, transport: asyncio.BaseTransport, address: str) -> bool:
        """Whether there is room; otherwise the connection is cut at once."""
        known = is_loopback(address) or self._logged_in.has(address)
        free = MOST_CONNECTIONS - self.count - (0 if known else KEPT_FOR_STAFF)
        for_one_request = not known and free <= ONE_REQUEST_PLACES
        most = _most_from(address, known=known, for_one_request=for_one_request)
        full = self._addresses[address] >= most and not self._end_idle(address)
        if free <= 0 or full:
            self.turned_away += 1
            return False
        self._addresses[address] += 1
        within_s = ONE_REQUEST_WITHIN_S if for_one_request else REQUEST_WITHIN_S
        until_s = self._boot_s() + within_s
        self._connections[transport] = _ConnectionState(address, until_s, for_one_request, heard=True)
        return True

    def remove(self, transport: asyncio.BaseTransport) -> None:
        state = self._connections.pop(transport)
        self._no_longer_idle(transport, state)
        if state.apart:
            self._apart -= 1
        else:
            self._give_back(state.address)

    def count_apart(self, transport: asyncio.BaseTransport) -> None:
        """From now on this one has a place elsewhere."""
        state = self._connections[transport]
        if not state.apart:
            state.apart = True
            self._apart += 1
            self._give_back(state.address)

    def received(self, transport: asyncio.BaseTransport) -> None:
        """Bytes came. When they begin a further request, it must be complete in time."""
        state = self._connections[transport]
        if not state.heard:
            self._no_longer_idle(transport, state)
            state.heard = True
            state.until_s = self._boot_s() + REQUEST_WITHIN_S

    def knows(self, address: str) -> bool:
        """Whether it is this machine, or somebody has asked from there who is logged in."""
        return is_loopback(address) or self._logged_in.has(address)

    def goes_first(self, transport: asyncio.BaseTransport) -> bool:
        """Whether its requests need not queue behind those of guests."""
        address = self._connections[transport].address
        return is_loopback(address) or self._logged_in.has(address)

    def queue(self, serve: Callable[[], None]) -> None:
        self._guests.add(serve)

    def input_bucket(self) -> TokenBucket:
        """Of bytes, for a connection that is only told things."""
        return TokenBucket(per_s=INPUT_BYTES_A_S, at_once=INPUT_BYTES, boot_s=self._boot_s)

    @contextlib.contextmanager
    def serving(self, request: web.Request) -> Iterator[None]:
        """The head of a request is complete, and its answer is made for the length of the block."""
        state = self._state(request)
        if state is None:
            yield
            return
        state.serving, state.heard = True, False
        try:
            yield
        finally:
            state.serving = False
            state.answered_s = now_s = self._boot_s()
            state.until_s = now_s + (REQUEST_WITHIN_S if state.heard else IDLE_S)
            if not state.heard and request.transport in self._connections:
                self._idle[state.address][request.transport] = None

    def is_for_one_request(self, request: web.Request) -> bool:
        """Whether this connection holds its place for one request only."""
        state = self._state(request)
        return state is not None and state.for_one_request

    def keep(self, request: web.Request) -> None:
        """Who asks is logged in."""
        state = self._state(request)
        if state is not None:
            state.for_one_request = False

    def sweep(self) -> None:
        """Cut connections that have taken too long; to be called about once a second."""
        now_s = self._boot_s()
        for transport, state in tuple(self._connections.items()):
            if not state.serving and (now_s >= state.until_s or _untaken(transport, state, now_s)):
                cast(asyncio.Transport, transport).abort()

    def _end_idle(self, address: str) -> bool:
        """Whether a connection of this address could be ended on which nothing is asked: browsers keep
        several for a while, and a whole audience behind one router would have none left for newcomers."""
        for transport in self._idle.get(address, ()):
            state = self._connections[transport]
            if state.answered_s is None or self._boot_s() - state.answered_s < IDLE_BEFORE_OTHERS_S:
                return False
            self._no_longer_idle(transport, state)
            cast(asyncio.Transport, transport).abort()
            return True
        return False

    def _no_longer_idle(self, transport: asyncio.BaseTransport, state: _ConnectionState) -> None:
        own = self._idle.get(state.address, {})
        own.pop(transport, None)
        if not own:
            self._idle.pop(state.address, None)

    def _give_back(self, address: str) -> None:
        self._addresses[address] -= 1
        if not self._addresses[address]:
            del self._addresses[address]

    def _state(self, request: web.Request) -> _ConnectionState | None:
        return None if request.transport is None else self._connections.get(request.transport)


def _most_from(address: str, *, known: bool, for_one_request: bool) -> int:
    """So many connections this address may have; this machine itself any number."""
    if is_loopback(address):
        return MOST_CONNECTIONS
    if for_one_request:
        return 1
    return MOST_PER_ADDRESS + (KEPT_FOR_STAFF if known else 0)


def _untaken(transport: asyncio.BaseTransport, state: _ConnectionState, now_s: float) -> bool:
    """Whether the answer has been waiting for its reader for too long."""
    waiting = cast(asyncio.Transport, transport).get_write_buffer_size() > 0
    return waiting and state.answered_s is not None and now_s - state.answered_s >= REQUEST_WITHIN_S
