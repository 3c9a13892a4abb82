"""Calls at moments of CLOCK_BOOTTIME, and coroutines. The only place where asyncio's clock and CLOCK_BOOTTIME
meet."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from pi_controller.hal.roles import Clock

LONGEST_WAIT_S = 60.0
"""Waits are split into pieces of this length, so that after a suspend a call is late by one piece at most."""


class Alarm(Protocol):
    def cancel(self) -> None:
        """Cancel the call. May be called twice."""


class Timers(Protocol):
    def boot_ns(self) -> int: ...

    def call_at(self, boot_ns: int, action: Callable[[], None]) -> Alarm:
        """Call once, not before this CLOCK_BOOTTIME; soon if that is past."""

    def future(self) -> asyncio.Future[Any]:
        """A future of this loop."""


class LoopTimers:
    """Timers of a running asyncio loop. asyncio's clock stops in suspend, CLOCK_BOOTTIME does not; each
    wake-up checks the latter."""

    def __init__(self, loop: asyncio.AbstractEventLoop, clock: Clock) -> None:
        self._loop = loop
        self._clock = clock

    def boot_ns(self) -> int:
        return self._clock.boot_ns()

    def call_at(self, boot_ns: int, action: Callable[[], None]) -> Alarm:
        return _LoopAlarm(self._loop, self._clock, boot_ns=boot_ns, action=action)

    def future(self) -> asyncio.Future[Any]:
        return self._loop.create_future()


class _LoopAlarm:
    def __init__(
        self, loop: asyncio.AbstractEventLoop, clock: Clock, *, boot_ns: int, action: Callable[[], None]
    ) -> None:
        self._loop = loop
        self._clock = clock
        self._boot_ns = boot_ns
        self._action = action
        self._handle = self._arm()

    def cancel(self) -> None:
        self._handle.cancel()

    def _arm(self) -> asyncio.Handle:
        wait_s = (self._boot_ns - self._clock.boot_ns()) / 1e9
        if wait_s <= 0:
            return self._loop.call_soon(self._action)
        return self._loop.call_later(min(wait_s, LONGEST_WAIT_S), self._wake)

    def _wake(self) -> None:
        if self._clock.boot_ns() >= self._boot_ns:
            self._action()
        else:
            self._handle = self._arm()


class Tasks:
    """Coroutines running on a loop. Each is referenced until it ends; exceptions go to the loop's exception
    handler."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._under_way: set[asyncio.Task[None]] = set()

    def start(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        """Start a coroutine, after those started before it."""
        task = self._loop.create_task(coroutine)
        self._under_way.add(task)
        task.add_done_callback(self._ended)

    async def stop(self) -> None:
        """Cancel what is still running."""
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._loop.call_exception_handler({"message": f"{task} failed", "exception": error, "task": task})
