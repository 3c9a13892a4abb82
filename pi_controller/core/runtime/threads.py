"""Work that may block, on threads beside the loop, and the way back onto the loop."""

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from pi_controller.defects import caught

MOST_THREADS = 16
"""More than there are uses, each of which waits for its own work before it begins more: one that hangs in a
driver or in a disk keeps its thread and holds up no other use."""


AGAIN_S = 1.0
"""Where the system gives no thread, the work waits, and one is asked for again so much later."""


class Threads(Protocol):
    """From the loop onto a thread, and back; both return at once and may be used from any thread."""

    def run_in_thread(self, act: Callable[[], None], name: str) -> None:
        """Have something done that may block; in the order of asking, as soon as a thread is free. `name` is
        the thread's meanwhile."""

    def call_on_loop(self, act: Callable[[], None]) -> None:
        """Have this done on the loop, in the order of asking."""


class LoopThreads:
    """Threads beside this asyncio loop. None of them holds up the end of the process."""

    def __init__(self, events: asyncio.AbstractEventLoop, *, most: int = MOST_THREADS) -> None:
        self._events = events
        self._most = most
        self._lock = threading.Lock()
        self._waiting: deque[tuple[Callable[[], None], str]] = deque()
        self._running = 0

    def run_in_thread(self, act: Callable[[], None], name: str) -> None:
        with self._lock:
            self._waiting.append((act, name))
            self._begin()

    def call_on_loop(self, act: Callable[[], None]) -> None:
        """After the loop's end nobody is there to do anything."""
        with contextlib.suppress(RuntimeError):
            self._events.call_soon_threadsafe(act)

    def _begin(self) -> None:
        """One thread more, where there is work for it."""
        if self._waiting and self._running < self._most:
            self._running += 1
            error = caught(threading.Thread(target=self._work, daemon=True).start)
            if error is not None:
                self._running -= 1
                self._tell(error, "no thread could be started")
                self.call_on_loop(self._wait)

    def _wait(self) -> None:
        self._events.call_later(AGAIN_S, self._begin_again)

    def _begin_again(self) -> None:
        with self._lock:
            self._begin()

    def _work(self) -> None:
        """What raises is told to the loop's exception handler, and costs the others nothing."""
        while (next_one := self._next()) is not None:
            act, threading.current_thread().name = next_one
            if (error := caught(act)) is not None:
                self._tell(error, f"the thread that {next_one[1]} broke off")
        with self._lock:
            self._running -= 1
            self._begin()

    def _tell(self, error: Exception, what: str) -> None:
        context: dict[str, Any] = {"message": what, "exception": error}
        self.call_on_loop(partial(self._events.call_exception_handler, context))

    def _next(self) -> tuple[Callable[[], None], str] | None:
        with self._lock:
            return self._waiting.popleft() if self._waiting else None
