"""Threads that a test moves by hand."""

from collections.abc import Callable


class HandThreads:
    """Implements `core.runtime.Threads`. What is to run on a thread is done on the spot, or waits for
    `work`; what is to be called on the loop is called on the spot, or goes to `call`."""

    def __init__(
        self, call: Callable[[Callable[[], None]], object] = lambda act: act(), *, at_once: bool = True
    ) -> None:
        self._call = call
        self._at_once = at_once
        self.waiting: list[Callable[[], None]] = []

    def run_in_thread(self, act: Callable[[], None], name: str) -> None:
        assert name
        self.waiting.append(act)
        if self._at_once:
            self.work()

    def call_on_loop(self, act: Callable[[], None]) -> None:
        self._call(act)

    def work(self) -> None:
        """All that waits."""
        while self.waiting:
            self.waiting.pop(0)()
