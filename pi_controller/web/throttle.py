"""A limit on guessing: so many wrong tokens an hour from one address, and so many from all together."""

from collections import deque
from collections.abc import Callable

from pi_controller.web.addresses import is_loopback

WINDOW_S = 3600.0
WRONG_PER_ADDRESS = 10
WRONG_OVERALL = 60


class Throttle:
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
