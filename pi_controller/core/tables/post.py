"""Takes the newest state to the segments on a thread of its own.

Waking eight segments' threads takes up to half a millisecond on a busy machine; no freeze must wait for it.
"""

import queue
import threading
from collections.abc import Callable

from pi_controller.bus.values import TableState

JOIN_S = 1.0


class TablePost:
    """`deliver` is called on the thread, with the newest state only."""

    def __init__(self, deliver: Callable[[TableState], None]) -> None:
        self._deliver = deliver
        self._newest: TableState | None = None
        self._calls: queue.SimpleQueue[TableState | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="tables' post", daemon=True)
        self._thread.start()

    def show(self, state: TableState) -> None:
        """Hands over and returns."""
        self._newest = state
        self._calls.put(state)

    def alive(self) -> bool:
        return self._thread.is_alive()

    def close(self) -> None:
        """Nothing is delivered any more; may be called twice."""
        self._calls.put(None)
        self._thread.join(JOIN_S)

    def _work(self) -> None:
        delivered: TableState | None = None
        while self._calls.get() is not None:
            state = self._newest
            if state is not None and state is not delivered:
                self._deliver(state)
                delivered = state
