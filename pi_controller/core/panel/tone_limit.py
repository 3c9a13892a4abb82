"""Ends tones that last too long, on one thread for all: a thread for each would delay a freeze."""

import threading
import time
from collections.abc import Callable


class _Call:
    def __init__(self, at_s: float, act: Callable[[], None]) -> None:
        self.at_s = at_s
        self.act: Callable[[], None] | None = act

    def cancel(self) -> None:
        self.act = None


class ToneLimit:
    """`start` fits `open_buzzer(start_timer=…)`; the newest call stands, an earlier one is dropped."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._call: _Call | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._wait, name="tone limit", daemon=True)
        self._thread.start()

    def start(self, after_s: float, act: Callable[[], None]) -> _Call:
        """Call `act` after so many seconds, also while the loop hangs, unless it is cancelled before."""
        call = _Call(time.monotonic() + after_s, act)
        with self._news:
            self._call = call
            self._news.notify()
        return call

    def close(self) -> None:
        with self._news:
            self._closing = True
            self._news.notify()
        self._thread.join(1.0)

    def _wait(self) -> None:
        while not self._closing:
            with self._news:
                call = self._call
                left_s = None if call is None else call.at_s - time.monotonic()
                if left_s is None or left_s > 0:
                    self._news.wait(left_s)
                    continue
                self._call = None
            if call is not None and call.act is not None:
                call.act()
