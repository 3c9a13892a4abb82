"""Takes the newest state to the segments on a thread of its own.

Waking eight segments' threads takes up to half a millisecond on a busy machine; no freeze must wait for it.
"""

import queue
import threading
from typing import Protocol

from pi_controller.bus.values import TableState

JOIN_S = 1.0


class StateShower(Protocol):
    def show(self, state: TableState) -> None:
        """Have all tables show this soon: the newest state wins."""


class TablePost:
    """Shows on the thread what it is given, the newest state only."""

    def __init__(self, bus: StateShower) -> None:
        self._bus = bus
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
                self._bus.show(state)
                delivered = state
