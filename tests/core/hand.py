"""A hand-moved clock with timers, lamps that remember, and a room picture to start from."""

import asyncio
import atexit
import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from pi_controller.hal.roles import StatusFace
from pi_controller.protocol.picture import Picture
from pi_controller.sentence import Sentence
from tests.protocol.pictures import typed

S = 1_000_000_000
MS = 1_000_000


EVENTS = asyncio.new_event_loop()
"""Runs the coroutines of all tests that move their clock by hand, and only when `settle` says so."""
atexit.register(EVENTS.close)
STEPS = 12
"""More than any coroutine needs from one wait to the next."""
READY = vars(EVENTS)["_ready"]
"""What the loop calls next; asyncio tells nobody that it is empty."""


def events() -> asyncio.AbstractEventLoop:
    """The loop of a test that runs one itself, otherwise the common one."""
    running = asyncio._get_running_loop()
    return EVENTS if running is None else running


def settle() -> None:
    """Everything that waits for nothing more goes on; a test with a loop of its own lets it go on by itself."""
    if events() is not EVENTS:
        return
    steps = iter(range(STEPS))

    def step() -> None:
        """Once in each turn of the loop, until there is nothing left to do."""
        if not READY or next(steps, None) is None:
            EVENTS.stop()
        else:
            EVENTS.call_soon(step)

    EVENTS.call_soon(step)
    EVENTS.run_forever()


class HandAlarm:
    def __init__(self, action: Callable[[], None]) -> None:
        self.action: Callable[[], None] | None = action

    def cancel(self) -> None:
        self.action = None


class HandTimers:
    """Time stands still until a test moves it; then everything due is called in order, each at its own moment."""

    def __init__(self, boot_ns: int = 1000 * S) -> None:
        self.now_ns = boot_ns
        self._order = count()
        self._alarms: list[tuple[int, int, HandAlarm]] = []

    def boot_ns(self) -> int:
        return self.now_ns

    def wall(self) -> str:
        return "2026-11-21T19:00:00Z"

    boot_id = "5b1e0c1e-0000-4000-8000-000000000001"

    def call_at(self, boot_ns: int, action: Callable[[], None]) -> HandAlarm:
        alarm = HandAlarm(action)
        heapq.heappush(self._alarms, (boot_ns, next(self._order), alarm))
        return alarm

    def future(self) -> asyncio.Future[Any]:
        return events().create_future()

    def move(self, ns: int) -> None:
        self.move_to(self.now_ns + ns)

    def move_to(self, until_ns: int) -> None:
        while self._alarms and self._alarms[0][0] <= until_ns:
            moment, _, alarm = heapq.heappop(self._alarms)
            self.now_ns = max(self.now_ns, moment)
            self.fire(alarm)
        self.now_ns = until_ns

    def jump(self, ns: int) -> None:
        """The process stood still: everything due is called late, at the new time."""
        self.now_ns += ns
        self.move(0)

    def waiting(self) -> int:
        return sum(alarm.action is not None for _, _, alarm in self._alarms)

    @staticmethod
    def fire(alarm: HandAlarm) -> None:
        action, alarm.action = alarm.action, None
        if action is not None:
            action()


@dataclass
class HandLamp:
    lit: bool = False
    shown: int = 0
    closed: bool = False
    error: Exception | None = None

    def show(self, *, lit: bool) -> None:
        if self.error is not None:
            raise self.error
        self.lit = lit
        self.shown += 1

    def close(self) -> None:
        self.lit, self.closed = False, True


@dataclass
class HandBuzzer:
    on: bool = False
    steps: list[tuple[int, bool]] = field(default_factory=list)
    clock: HandTimers | None = None
    closed: bool = False

    def sound(self, *, on: bool) -> None:
        self.on = on
        self.steps.append((self.clock.now_ns if self.clock else 0, on))

    def close(self) -> None:
        self.on, self.closed = False, True


@dataclass
class HandDisplay:
    faces: list[StatusFace] = field(default_factory=list)
    said: Sentence | None = None
    beat: int = 0
    closed: bool = False

    def draw(self, face: StatusFace) -> None:
        self.faces.append(face)

    def shows(self, face: StatusFace) -> bool:
        return self.said is None and bool(self.faces) and self.faces[-1] == face

    def trouble(self) -> Sentence | None:
        return self.said

    def beat_ns(self) -> int:
        return self.beat

    def close(self) -> None:
        self.closed = True


def room(**changes: Any) -> Picture:
    """A running round 3 of the Sun side with 20 s left, changed as told."""
    return typed(**{"remaining_ms": 20_000} | changes)
