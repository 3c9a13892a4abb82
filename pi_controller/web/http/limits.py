"""Limits on what clients may take: bytes and frames, places, guesses of a token, requests begun at once."""

import asyncio
import contextlib
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Hashable
from functools import partial
from typing import Generic, TypeVar

from pi_controller.web.http.origin import is_loopback

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
