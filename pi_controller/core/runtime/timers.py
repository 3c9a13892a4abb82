"""Calls at moments of the machine's clock, and coroutines. Only here asyncio's clock and ours meet."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from pi_controller.hal.roles import Clock

LONGEST_WAIT_S = 60.0
"""A wait is cut into pieces of this length, so that a suspended machine is late by one piece at most."""


class Alarm(Protocol):
    def cancel(self) -> None:
        """Never called any more; may be cancelled twice."""


class Timers(Protocol):
    def boot_ns(self) -> int: ...

    def call_at(self, boot_ns: int, action: Callable[[], None]) -> Alarm:
        """Call once, not before this CLOCK_BOOTTIME; a moment in the past means soon."""

    def future(self) -> asyncio.Future[Any]:
        """Something that a coroutine of this loop can wait for."""


class LoopTimers:
    """Timers of a running asyncio loop. Its clock stops in suspend, ours does not: every waking looks at
    ours."""

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
    """Coroutines under way on a loop: each is kept until it ends, and its failure is told to the loop's
    exception handler."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._under_way: set[asyncio.Task[None]] = set()

    def start(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        """It begins soon, after those that were started before it."""
        task = self._loop.create_task(coroutine)
        self._under_way.add(task)
        task.add_done_callback(self._ended)

    async def stop(self) -> None:
        """Break off what is still under way."""
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._loop.call_exception_handler({"message": f"{task} failed", "exception": error, "task": task})
