"""Holds commands back while one that waits for the disk is under way; presses of the big button pass by."""

from collections import deque
from collections.abc import Callable

from pi_controller.core.asked import Asked


class Gate:
    """Commands go through in the order in which they came."""

    def __init__(self, *, handle: Callable[[Asked], None]) -> None:
        self._handle = handle
        self._closed = False
        self._queue: deque[Asked] = deque()

    def enter(self, asked: Asked) -> None:
        if self._closed:
            self._queue.append(asked)
        else:
            self._handle(asked)

    def close(self) -> None:
        self._closed = True

    def open(self) -> None:
        """Let the waiting ones through, until one of them closes the gate again."""
        self._closed = False
        while self._queue and not self._closed:
            self._handle(self._queue.popleft())
