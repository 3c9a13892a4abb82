"""Limits on what clients may take: bytes and frames, places, guesses of a token, requests begun at once."""

import asyncio
import contextlib
import errno
import logging
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Literal, TypeVar, cast, get_args

from aiohttp import web

from pi_controller.sentence import Sentence
from pi_controller.web.http.addresses import is_loopback, plain

WINDOW_S = 3600.0
WRONG_PER_ADDRESS = 10
WRONG_OVERALL = 60
AT_A_TIME = 4
"""Requests begun in one turn of the loop: some milliseconds, after which others are looked at."""
HERE = "this machine"
"""In the place of a key: this machine itself needs none."""
ONE_PAGES = 8
"""Places that one page needs: so many an address finds also when all others have no more."""
MOST_BUCKETS = 512
MOST_PER_KEY = 32
"""Places of one kind that one key reserves; what it opens beyond them is treated like a stranger's."""

HolderT = TypeVar("HolderT")
AnswerT = TypeVar("AnswerT")


class TokenBucket:
    """So much a second, and so much at once. It fills with `per_s` up to `at_once`."""

    def __init__(self, *, per_s: float, at_once: float, boot_s: Callable[[], float]) -> None:
        self._per_s = per_s
        self._at_once = at_once
        self._boot_s = boot_s
        self._left = at_once
        self._seen_s = boot_s()

    def take(self, amount: float) -> bool:
        """Whether there was so much left; otherwise nothing is taken."""
        now_s = self._boot_s()
        self._left = min(self._at_once, self._left + (now_s - self._seen_s) * self._per_s)
        self._seen_s = now_s
        if amount > self._left:
            return False
        self._left -= amount
        return True


class BucketsByKey:
    """A bucket for each key that takes from one; of too many the one that was used longest ago goes."""

    def __init__(self, *, per_s: float, at_once: float, boot_s: Callable[[], float]) -> None:
        self._make = partial(TokenBucket, per_s=per_s, at_once=at_once, boot_s=boot_s)
        self._buckets: dict[Hashable, TokenBucket] = {}
        """The one that was used last at the end."""

    def take(self, key: Hashable, amount: float) -> bool:
        """As the key's bucket does."""
        bucket = self._buckets.pop(key, None) or self._make()
        self._buckets[key] = bucket
        while len(self._buckets) > MOST_BUCKETS:
            del self._buckets[next(iter(self._buckets))]
        return bucket.take(amount)


class Places(Generic[HolderT]):
    """Who has a place. Those who have shown a key have theirs apart from the strangers, who share by address.

    When the strangers' places are taken, the address that has most of them gives one up to an address that
    would still have fewer: however many somebody opens, others get in. `end` is called with whoever loses
    its place. Who rests, and has `rested` long enough, loses it also to another one of the same address when
    that has all it may have, and of any address that has few.
    """

    def __init__(
        self,
        *,
        strangers: int,
        per_address: int,
        keyed: int,
        end: Callable[[HolderT], None],
        rested: Callable[[HolderT], bool] = lambda _holder: True,
    ) -> None:
        self._most_strangers = strangers
        self._most_per_address = per_address
        self._most_keyed = keyed
        self._end = end
        self._rested = rested
        self._holders: dict[HolderT, tuple[str, Hashable | None]] = {}
        """With address and key; no key where it is a stranger's place."""
        self._by_address: dict[str, dict[HolderT, None]] = {}
        """The strangers, the one that came first at the beginning."""
        self._resting: dict[HolderT, None] = {}
        """Of the strangers, the one that rests longest at the beginning."""
        self._resting_at: dict[str, dict[HolderT, None]] = {}
        """The same by address."""
        self._by_key: Counter[Hashable] = Counter()
        self.strangers = 0

    def __len__(self) -> int:
        return len(self._holders)

    def take(self, holder: HolderT, address: str, key: Hashable | None = None) -> bool:
        """Whether there is a place for this one, which has it from now on until `give_back`."""
        if key is not None and self._key_has_room(key):
            self._holders[holder] = (address, key)
            self._by_key[key] += 1
        elif self._make_room(address):
            self._holders[holder] = (address, None)
            self._by_address.setdefault(address, {})[holder] = None
            self.strangers += 1
        else:
            return False
        return True

    def show_key(self, holder: HolderT, key: Hashable) -> None:
        """A stranger shows a key: its place is free for another one."""
        address, known = self._holders.get(holder, ("", key))
        if known is None and self._key_has_room(key):
            self.give_back(holder)
            self.take(holder, address, key)

    def give_back(self, holder: HolderT) -> None:
        """Nothing happens for one that has no place any more."""
        if holder not in self._holders:
            return
        self.rests(holder, rests=False)
        address, key = self._holders.pop(holder)
        if key is None:
            _remove(self._by_address, address, holder)
            self.strangers -= 1
        else:
            self._by_key[key] -= 1
            if not self._by_key[key]:
                del self._by_key[key]

    def rests(self, holder: HolderT, *, rests: bool) -> None:
        """It does nothing from now on, or is at work."""
        address, key = self._holders.get(holder, ("", HERE))
        if key is not None:
            return
        if holder in self._resting:
            del self._resting[holder]
            _remove(self._resting_at, address, holder)
        if rests:
            self._resting[holder] = None
            self._resting_at.setdefault(address, {})[holder] = None

    def _key_has_room(self, key: Hashable) -> bool:
        keyed = len(self._holders) - self.strangers
        return keyed < self._most_keyed and (key == HERE or self._by_key[key] < MOST_PER_KEY)

    def _make_room(self, address: str) -> bool:
        has = len(self._by_address.get(address, ()))
        if has >= self._most_per_address and not is_loopback(address):
            return self._end_rested(self._resting_at.get(address, {}))
        if self.strangers < self._most_strangers:
            return True
        greediest = max(self._by_address, key=lambda other: len(self._by_address[other]), default=address)
        if len(self._by_address.get(greediest, ())) < has + 2:
            return has < ONE_PAGES and self._end_rested(self._resting)
        return self._end_first(self._resting_at.get(greediest) or self._by_address[greediest])

    def _end_rested(self, resting: dict[HolderT, None]) -> bool:
        longest = next(iter(resting), None)
        return longest is not None and self._rested(longest) and self._end_first(resting)

    def _end_first(self, found: dict[HolderT, None]) -> bool:
        holder = next(iter(found))
        self.give_back(holder)
        self._end(holder)
        return True


def _remove(by_address: dict[str, dict[HolderT, None]], address: str, holder: HolderT) -> None:
    own = by_address[address]
    del own[holder]
    if not own:
        del by_address[address]


class GuessLimit:
    """Counts wrong tokens of other machines; this machine itself is never locked out."""

    def __init__(self, boot_s: Callable[[], float]) -> None:
        self._boot_s = boot_s
        self._looking = False
        self._line: list[tuple[str, asyncio.Future[None]]] = []
        """Who waits with a guess, in the order of coming."""
        self._wrong: deque[tuple[float, str]] = deque()
        """At most WRONG_OVERALL entries of other machines: who is locked out is not counted any further."""

    def wait_s(self, address: str) -> float:
        """Seconds until a token from this address is looked at again; 0 when it may try now."""
        if is_loopback(address):
            return 0.0
        now = self._boot_s()
        while self._wrong and now - self._wrong[0][0] >= WINDOW_S:
            self._wrong.popleft()
        own = [at for at, who in self._wrong if who == address]
        waits = [0.0]
        if len(own) >= WRONG_PER_ADDRESS:
            waits.append(own[-WRONG_PER_ADDRESS] + WINDOW_S - now)
        if len(self._wrong) >= WRONG_OVERALL:
            waits.append(self._wrong[-WRONG_OVERALL][0] + WINDOW_S - now)
        return max(waits)

    def wrong(self, address: str) -> int:
        """A wrong token came from this address; how many other machines have sent within the window, 0 when
        it is this machine itself."""
        if is_loopback(address):
            return 0
        self._wrong.append((self._boot_s(), address))
        return len(self._wrong)

    @contextlib.asynccontextmanager
    async def turn(self, address: str) -> AsyncIterator[None]:
        """One guess is looked at at a time, for the length of the block. Whoever has guessed wrong least
        often goes first: who comes with the right one does not wait for those who try them all."""
        if self._looking:
            called = asyncio.get_running_loop().create_future()
            self._line.append((address, called))
            try:
                await called
            except asyncio.CancelledError:
                self._line = [one for one in self._line if one[1] is not called]
                if called.done() and not called.cancelled():
                    self._next()
                raise
        self._looking = True
        try:
            yield
        finally:
            self._next()

    def _next(self) -> None:
        wrong = Counter(who for _, who in self._wrong)
        self._line = [one for one in self._line if not one[1].done()]
        self._looking = bool(self._line)
        if self._line:
            first = min(self._line, key=lambda one: wrong[one[0]])
            self._line.remove(first)
            first[1].set_result(None)


class RequestQueue:
    """Requests of guests wait for each other, a few are begun in one turn of the loop, one of each address
    after the other; whoever has shown a key does not queue. Each comes with what was read from its
    connection; nothing more is read meanwhile."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[Callable[[], None]]] = {}
        """By address; the one whose turn it is at the beginning."""
        self._going = False

    def add(self, address: str, serve: Callable[[], None]) -> None:
        """Have this called when its turn has come, never at once."""
        self._waiting.setdefault(address, deque()).append(serve)
        if not self._going:
            self._going = True
            asyncio.get_running_loop().call_soon(self._serve)

    def _serve(self) -> None:
        try:
            for _ in range(AT_A_TIME):
                if self._waiting:
                    self._first()()
        finally:
            self._going = bool(self._waiting)
            if self._going:
                asyncio.get_running_loop().call_soon(self._serve)

    def _first(self) -> Callable[[], None]:
        address = next(iter(self._waiting))
        own = self._waiting.pop(address)
        serve = own.popleft()
        if own:
            self._waiting[address] = own
        return serve


# One call for everybody who asks the same: guests cost core few questions a second.


class CachedCall(Generic[AnswerT]):
    """Who comes while a call is under way gets its result, as does who comes within `lasts_s` of it."""

    def __init__(
        self, call: Callable[[], Coroutine[Any, Any, AnswerT]], *, lasts_s: float, boot_s: Callable[[], float]
    ) -> None:
        self._call = call
        self._lasts_s = lasts_s
        self._boot_s = boot_s
        self._running: asyncio.Task[AnswerT] | None = None
        self._kept: tuple[AnswerT, float] | None = None
        """With the moment until which it is given again."""

    async def get(self) -> AnswerT:
        """Raises what the call raises; that is never kept."""
        if self._kept is not None and self._boot_s() < self._kept[1]:
            return self._kept[0]
        if self._running is None:
            self._running = asyncio.create_task(self._call())
            self._running.add_done_callback(self._ended)
        return await asyncio.shield(self._running)

    def forget(self) -> None:
        """The next who comes calls anew, also when a result is on its way."""
        self._kept = None
        self._running = None

    def _ended(self, running: asyncio.Task[AnswerT]) -> None:
        # The exception counts as seen with this, also when everybody who asked has gone.
        failed = running.cancelled() or running.exception() is not None
        if self._running is running:
            self._running = None
            self._kept = None if failed else (running.result(), self._boot_s() + self._lasts_s)


# What strangers do wrong is counted, never logged line by line; so is what this program does wrong.


LOG = logging.getLogger(__name__)

Kind = Literal["frame", "handshake", "hang_up", "no_file", "request", "tls"]
"""A broken WebSocket frame; no handshake; an end without a word or in the middle of an answer, by the peer or
by us who had enough; no file left for another connection; no HTTP, or not understood; a record that cannot be
decrypted."""
BROKEN_OFF = Sentence("defect.broken_off_unnamed")
LINE_S = 60.0
MOST_PLACES = 256
NO_FILE_LEFT = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""What accept(2) says when nobody else gets in."""
NO_WAY = frozenset(
    {errno.ETIMEDOUT, errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EHOSTDOWN, errno.ENETDOWN, errno.ENONET}
)
"""What a connection ends with when the peer is out of reach (tcp(7), ip(7))."""


class DefectCounter:
    """Mistakes of this program that requests and connections have met since the start."""

    def __init__(self, boot_s: Callable[[], float]) -> None:
        self.count = 0
        self._boot_s = boot_s
        self._logged_s: dict[str, float] = {}
        """By their place in the code, when each was logged last."""

    def is_new(self, problem: BaseException | None) -> bool:
        """Count one; whether it is to be logged, which it is once in LINE_S for each place in the code: what
        anybody can ask for, anybody can ask for a thousand times."""
        self.count += 1
        place, now_s = _place(problem), self._boot_s()
        if now_s - self._logged_s.get(place, now_s - LINE_S) < LINE_S:
            return False
        if len(self._logged_s) >= MOST_PLACES:
            self._logged_s.clear()
        self._logged_s[place] = now_s
        return True

    def told(self, error: Exception, at: str) -> Sentence:
        """Count what was raised `at` this place, and log it where it is new. The sentence is the answer; it
        says nothing of the program's inside, which is no business of guests."""
        if self.is_new(error):
            LOG.error("%s broke off", at, exc_info=error)
        return BROKEN_OFF


class Misbehaviour:
    def __init__(self, boot_s: Callable[[], float], defects: DefectCounter) -> None:
        self.counted: Counter[Kind] = Counter(dict.fromkeys(get_args(Kind), 0))
        self.defects = defects
        """What broke off for no reason that a peer could have."""
        self._boot_s = boot_s
        self._told: Counter[Kind] = Counter()
        self._told_s: float | None = None

    def count(self, kind: Kind) -> None:
        self.counted[kind] += 1

    def sweep(self) -> None:
        """One line with what is new, once in LINE_S at most; to be called about once a second."""
        now_s = self._boot_s()
        new = self.counted - self._told
        if not new or (self._told_s is not None and now_s - self._told_s < LINE_S):
            return
        self._told, self._told_s = self.counted.copy(), now_s
        said = ", ".join(f"{kind} {count}" for kind, count in sorted(new.items()))
        LOG.info("connections that misbehaved: %s", said)

    def of_loop(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """For `loop.set_exception_handler`: what a connection's end leaves behind is no fault of ours."""
        problem = context.get("exception")
        if isinstance(problem, OSError) and problem.errno in NO_FILE_LEFT:
            self.count("no_file")
        elif not is_gone(problem) and self.defects.is_new(problem):
            loop.default_exception_handler(context)


def is_gone(problem: object) -> bool:
    """Whether this says only that the peer of a connection is there no more; its end is counted where it is
    lost."""
    return isinstance(problem, ConnectionError) or (isinstance(problem, OSError) and problem.errno in NO_WAY)


def _place(problem: BaseException | None) -> str:
    trace = None if problem is None else problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = "" if trace is None else f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
    return f"{type(problem).__name__} {where}"


# How many connections there may be, who gets a place when they are taken, and how long each may take to ask.


MOST_STRANGERS = 960
"""Every listener of a full feed has its socket and a second connection for the page itself."""
MOST_KEYED = 1024
"""Of those who have shown a key, of this machine itself, and of addresses from which a key was shown."""
MOST_PER_ADDRESS = 512
MOST_ADDRESSES = 512
"""From which a key was shown."""
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


@dataclass(frozen=True, slots=True)
class ShownKey:
    """What a request shows besides a log-in: the key of a screen, the code of a seat."""

    holder: Hashable
    """By which its places are counted."""
    is_good: Callable[[], bool] | None = None
    """Whether it still is: as long as that, its address is known as one of ours. None: it is not noted."""


class ConnectionLimiter:
    """Knows each connection from its first byte to its end; the guard says when a request of it is served.
    Addresses from which somebody asks who has shown a key find a place when the others are taken."""

    def __init__(self, boot_s: Callable[[], float]) -> None:
        self._boot_s = boot_s
        self._known: dict[str, Callable[[], bool]] = {}
        """By address, whether the key that was shown from there still is good."""
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
        key = HERE if is_loopback(address) else address if self.knows(address) else None
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
        state = self._connections.get(transport)
        if state is not None:
            state.since_s = self._boot_s()
            self._places.rests(transport, rests=True)

    def received(self, transport: asyncio.BaseTransport) -> bool:
        """Bytes came. When they begin a further request, it must be complete in time. Returns whether it need
        not queue behind those of guests."""
        state = self._connections[transport]
        if not state.heard:
            state.heard = True
            state.until_s = self._boot_s() + REQUEST_WITHIN_S
        return state.has_key or self.knows(state.address)

    def knows(self, address: str) -> bool:
        """Whether it is this machine, or somebody has asked from there who has shown a key."""
        is_good = self._known.get(plain(address))
        return is_loopback(address) or (is_good is not None and is_good())

    def queue(self, address: str, serve: Callable[[], None]) -> None:
        """Have this done when it is the turn of whoever is at this address."""
        self._guests.add(address, serve)

    def input_bucket(self) -> TokenBucket:
        """Of bytes, for a connection that is only told things."""
        return TokenBucket(per_s=INPUT_BYTES_A_S, at_once=INPUT_BYTES, boot_s=self._boot_s)

    @contextlib.contextmanager
    def serving(self, request: web.Request) -> Iterator[None]:
        """The head of a request is complete, and its answer is made for the length of the block."""
        transport = request.transport
        state = None if transport is None else self._connections.get(transport)
        if transport is None or state is None:
            yield
            return
        state.serving, state.heard = True, False
        self._places.rests(transport, rests=False)
        try:
            yield
        finally:
            state.serving = False
            self._places.rests(transport, rests=True)
            state.answered_s = state.since_s = now_s = self._boot_s()
            state.until_s = now_s + (REQUEST_WITHIN_S if state.heard else IDLE_S)

    def shown(self, request: web.Request, key: ShownKey) -> None:
        """Who asks on this connection has shown this key."""
        transport, address = request.transport, request.remote or ""
        state = None if transport is None else self._connections.get(transport)
        if transport is not None and state is not None:
            state.has_key = True
            self._places.show_key(transport, key.holder)
        if key.is_good is not None:
            self._known.pop(address, None)
            self._known[address] = key.is_good
            while len(self._known) > MOST_ADDRESSES:
                del self._known[next(iter(self._known))]

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


def _abort(transport: asyncio.BaseTransport) -> None:
    cast(asyncio.Transport, transport).abort()


def _untaken(transport: asyncio.BaseTransport, state: _ConnectionState, now_s: float) -> bool:
    """Whether the answer has been waiting for its reader for too long."""
    waiting = cast(asyncio.Transport, transport).get_write_buffer_size() > 0
    return waiting and state.answered_s is not None and now_s - state.answered_s >= REQUEST_WITHIN_S
