"""Guests are served in turns, a few requests at a time: whoever is logged in passes by all that wait."""

import asyncio
from collections import deque
from collections.abc import Callable

AT_A_TIME = 4
"""Requests begun in one turn of the loop: some milliseconds, after which others are looked at."""


class Turns:
    """Each guest comes with what was read from its connection; nothing more is read before its turn."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()
        self._going = False

    def enter(self, serve: Callable[[], None]) -> None:
        """Have this called when its turn has come, never at once."""
        self._waiting.append(serve)
        if not self._going:
            self._going = True
            asyncio.get_running_loop().call_soon(self._serve)

    def _serve(self) -> None:
        try:
            for _ in range(min(AT_A_TIME, len(self._waiting))):
                self._waiting.popleft()()
        finally:
            self._going = bool(self._waiting)
            if self._going:
                asyncio.get_running_loop().call_soon(self._serve)
