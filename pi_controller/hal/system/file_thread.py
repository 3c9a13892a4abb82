"""Files beside an event loop: one thread for each thing that can hang alone, such as a card or a stick.

book = FileThread("log-ins")
link = await book.do(lambda: links.make("judge", "Ada"))
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pi_controller.language.words import WordedError
from pi_controller.sentence import Sentence

PATIENCE_S = 10.0
"""Longest wait of a caller, whether the disk has answered or not."""
MOST_WAITING = 64

DoneT = TypeVar("DoneT")


class DiskSlow(WordedError, TimeoutError):  # noqa: N818 - an answer to whoever asked
    """The disk has not answered in time; the request may still be carried out."""

    def __init__(self) -> None:
        super().__init__(Sentence("disk.does_not_answer"))


class FileThread:
    """Runs requests one after the other. A process with such a thread ends by `os._exit`: Python itself would
    wait for a thread that hangs."""

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._waiting = 0

    def begin(self, act: Callable[[], None]) -> None:
        """Queue this; returns at once. It must not raise."""
        self._thread.submit(act)

    async def do(self, act: Callable[[], DoneT], *, patience_s: float = PATIENCE_S) -> DoneT:
        """Run `act`; returns or raises what it does. Raises DiskSlow if it was not done within `patience_s`
        or too much is waiting. What has not begun by then is left out."""
        if self._waiting >= MOST_WAITING:
            raise DiskSlow
        self._waiting += 1
        try:
            async with asyncio.timeout(patience_s):
                return await asyncio.get_running_loop().run_in_executor(self._thread, act)
        except TimeoutError as error:
            raise DiskSlow from error
        finally:
            self._waiting -= 1
