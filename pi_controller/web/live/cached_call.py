"""One call for everybody who asks the same: guests cost core few questions a second."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

AnswerT = TypeVar("AnswerT")


class CachedCall(Generic[AnswerT]):
    """Who comes while a call is under way gets its result, as does who comes within `lasts_s` of it."""

    def __init__(
        self, call: Callable[[], Coroutine[Any, Any, AnswerT]], *, lasts_s: float, boot_s: Callable[[], float]
    ) -> None:
        self._call = call
        self._lasts_s = lasts_s
        self._boot_s = boot_s
        self._running: asyncio.Task[AnswerT] | None = None
        self._kept: tuple[AnswerT, float] | None = None
        """With the moment until which it is given again."""

    async def get(self) -> AnswerT:
        """Raises what the call raises; that is never kept."""
        if self._kept is not None and self._boot_s() < self._kept[1]:
            return self._kept[0]
        if self._running is None:
            self._running = asyncio.create_task(self._call())
            self._running.add_done_callback(self._ended)
        return await asyncio.shield(self._running)

    def forget(self) -> None:
        """The next who comes calls anew, also when a result is on its way."""
        self._kept = None
        self._running = None

    def _ended(self, running: asyncio.Task[AnswerT]) -> None:
        # The exception counts as seen with this, also when everybody who asked has gone.
        failed = running.cancelled() or running.exception() is not None
        if self._running is running:
            self._running = None
            self._kept = None if failed else (running.result(), self._boot_s() + self._lasts_s)
