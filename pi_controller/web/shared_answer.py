"""One question to core for everybody who asks the same: guests cost core few questions a second."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

AnswerT = TypeVar("AnswerT")


class SharedAnswer(Generic[AnswerT]):
    """Who asks while the question is under way gets its answer, as does who comes within `lasts_s` of it."""

    def __init__(
        self, ask: Callable[[], Coroutine[Any, Any, AnswerT]], *, lasts_s: float, boot_s: Callable[[], float]
    ) -> None:
        self._ask = ask
        self._lasts_s = lasts_s
        self._boot_s = boot_s
        self._asking: asyncio.Task[AnswerT] | None = None
        self._kept: tuple[AnswerT, float] | None = None
        """With the moment until which it is given again."""

    async def get(self) -> AnswerT:
        """Raises what the question raises; that is never kept."""
        if self._kept is not None and self._boot_s() < self._kept[1]:
            return self._kept[0]
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask())
            self._asking.add_done_callback(self._asked)
        return await asyncio.shield(self._asking)

    def forget(self) -> None:
        """The next who comes asks anew, also when an answer is on its way."""
        self._kept = None
        self._asking = None

    def _asked(self, asking: asyncio.Task[AnswerT]) -> None:
        # The exception counts as seen with this, also when everybody who asked has gone.
        failed = asking.cancelled() or asking.exception() is not None
        if self._asking is asking:
            self._asking = None
            self._kept = None if failed else (asking.result(), self._boot_s() + self._lasts_s)
