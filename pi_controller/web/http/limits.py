"""Limits on what clients may take: bytes and frames, guesses of a token, requests begun at once."""

import asyncio
from collections import deque
from collections.abc import Callable

from pi_controller.web.http.origin import is_loopback

WINDOW_S = 3600.0
WRONG_PER_ADDRESS = 10
WRONG_OVERALL = 60
AT_A_TIME = 4
"""Requests begun in one turn of the loop: some milliseconds, after which others are looked at."""


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


class GuessLimit:
    """Counts wrong tokens of other machines; this machine itself is never locked out."""

    def __init__(self, boot_s: Callable[[], float]) -> None:
        self._boot_s = boot_s
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


class RequestQueue:
    """Requests of guests wait for each other, a few are begun in one turn of the loop; whoever is logged in
    does not queue. Each comes with what was read from its connection; nothing more is read meanwhile."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()
        self._going = False

    def add(self, serve: Callable[[], None]) -> None:
        """Have this called when its turn has come, never at once."""
        self._waiting.append(serve)
        if not self._going:
            self._going = True
            asyncio.get_running_loop().call_soon(self._serve)

    def _serve(self) -> None:
        try:
            for _ in range(min(AT_A_TIME, len(self._waiting))):
                self._waiting.popleft()()
        finally:
            self._going = bool(self._waiting)
            if self._going:
                asyncio.get_running_loop().call_soon(self._serve)
