"""Work that may take its time, on threads of its own, each with a deadline."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.runtime.threads import Threads
from pi_controller.core.runtime.timers import Timers
from pi_controller.defects import caught
from pi_controller.hal.roles import HardwareError
from pi_controller.journal.errors import JournalError
from pi_controller.language.system_errors import why
from pi_controller.sentence import SaidError, Sentence, said_by

CURRENT_LIMIT_S = 2.0
"""A look at the panel's current."""


class CannotDo(SaidError):  # noqa: N818 - says what is the matter
    """What was asked for cannot be done."""


ResultT = TypeVar("ResultT")


class Work:
    """Called on the loop only. Work of the same name is done one after the other; what hangs is left behind
    and told, and nothing more of its name is begun until it has come back. Whatever it raises, its asker is
    told and the next one begins."""

    def __init__(
        self,
        *,
        loop: GameLoop,
        timers: Timers,
        threads: Threads,
    ) -> None:
        self._loop = loop
        self._timers = timers
        self._threads = threads
        self._queues: dict[Sentence, deque[_Piece]] = {}
        """By name; the first is under way."""

    def do(
        self,
        name: Sentence,
        act: Callable[[], ResultT],
        *,
        limit_s: float,
        done: Callable[[ResultT], None],
        failed: Callable[[Sentence], None],
    ) -> None:
        """`act` is called on a thread; then `done` or, with a sentence, `failed`, on the loop. `name` is such
        as `test.of_disk`; after `limit_s`, of which waiting is a part, it has failed."""
        queue = self._queues.setdefault(name, deque())
        if queue and not queue[0].open:
            failed(Sentence("test.before_still_goes_on", what=name))
            return

        def settle(tell: Callable[[], None]) -> None:
            if piece.open:
                piece.open = False
                alarm.cancel()
                tell()

        def back(error: Exception | None) -> None:
            queue.popleft()
            self._begin_next(name)
            if error is None:
                settle(lambda: done(value[0]))
            else:
                sentence = self._said(name, error)
                settle(lambda: failed(sentence))

        value: list[ResultT] = []

        def work() -> None:
            error = caught(lambda: value.append(act()))
            self._threads.call_on_loop(lambda: back(error))

        late = Sentence("test.hangs", what=name, seconds=limit_s)
        piece = _Piece(work)
        due_ns = self._timers.boot_ns() + round(limit_s * 1e9)
        alarm = self._timers.call_at(due_ns, lambda: settle(lambda: failed(late)))
        queue.append(piece)
        if len(queue) == 1:
            self._begin_next(name)

    def _said(self, name: Sentence, error: Exception) -> Sentence:
        if isinstance(error, CannotDo | HardwareError | JournalError):
            return said_by(error)
        if isinstance(error, OSError):
            return Sentence("test.failed", what=name, why=why(error))
        return self._loop.broke_off(error, name.key)

    def _begin_next(self, name: Sentence) -> None:
        """Pieces that were told to be late while they waited are not begun."""
        queue = self._queues[name]
        while queue and not queue[0].open:
            queue.popleft()
        if queue:
            self._threads.run_in_thread(queue[0].work, name.key)


@dataclass(slots=True)
class _Piece:
    """Open until its asker has been told."""

    work: Callable[[], None]
    open: bool = True
