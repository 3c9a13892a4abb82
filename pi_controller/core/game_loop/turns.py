"""Commands go through one at a time, in the order in which they came, and each for a while only."""

import asyncio
from collections import deque
from typing import TypeVar

from pi_controller.core.game_loop.pending import NotDone
from pi_controller.core.runtime.timers import Timers
from pi_controller.sentence import Sentence

PATIENCE_NS = 5_000_000_000
"""So long may a command be on its way; afterwards it is refused, and never done. A client waits longer."""

TOO_LATE = Sentence("answer.disk_kept_it_waiting", seconds=PATIENCE_NS // 1_000_000_000)

Value = TypeVar("Value")


class Turns:
    """Whoever has `take`n the turn has it until `end`. Called on the loop only."""

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self._taken = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def take(self, deadline_ns: int) -> None:
        """Raises NotDone when the turn has not come by this CLOCK_BOOTTIME."""
        if not self._taken:
            self._taken = True
            return
        turn: asyncio.Future[None] = self._timers.future()
        self._waiting.append(turn)
        await self.before(deadline_ns, turn)

    def next(self) -> asyncio.Future[None]:
        """The turn after the present one, before all who wait for theirs already, without a deadline."""
        turn: asyncio.Future[None] = self._timers.future()
        self._waiting.appendleft(turn)
        return turn

    def end(self) -> None:
        """The next one's turn, if anybody waits for it."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._taken = False

    async def before(self, deadline_ns: int, future: asyncio.Future[Value]) -> Value:
        """What the future brings. Raises NotDone when it brings nothing by this CLOCK_BOOTTIME."""

        def give_up() -> None:
            if not future.done():
                future.set_exception(NotDone(TOO_LATE))

        alarm = self._timers.call_at(deadline_ns, give_up)
        try:
            return await future
        finally:
            alarm.cancel()
