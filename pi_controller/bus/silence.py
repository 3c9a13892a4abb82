"""No STATE for a while, to see how well nodes keep the time by themselves."""

from collections.abc import Callable

from pi_controller.bus.pinging import Pinging
from pi_controller.bus.task import Answer, Request, Task
from pi_controller.bus.values import NodePing

PINGS = 4
"""To each node before and after: the least late of so many is taken."""


class SilenceTask(Task):
    """PINGs, then nothing but polls for so long, then PINGs again, and only then a STATE."""

    def __init__(self, make: Callable[[], Pinging], *, us: int) -> None:
        super().__init__()
        self._make = make
        self._us = us
        self._until_us: int | None = None
        self._before: Pinging | None = None
        self._pinging = make()

    def turn(self, now_us: int) -> None:
        if not self._pinging.over:
            return
        if self._before is None:
            self._before = self._pinging
            self.silent = True
            self._until_us = now_us + self._us
            return
        if self._until_us is None:
            self.ends()
        elif now_us >= self._until_us:
            self._until_us = None
            self._pinging = self._make()

    def next(self, _now_us: int) -> Request | None:
        return self._pinging.next()

    def ready_at(self) -> int | None:
        return 0 if self._pinging.ready else self._until_us

    def answered(self, request: Request, answer: Answer) -> None:
        self._pinging.answered(request, answer)

    def failed(self, request: Request, *, garbled: bool) -> None:
        self._pinging.failed(request, garbled=garbled)

    def withdrawn(self, request: Request) -> None:
        self._pinging.withdrawn(request)

    def changed(self) -> None:
        if self.silent:
            self.ends("another picture had to be shown during the silence")

    def nodes(self) -> tuple[NodePing, ...]:
        if self._before is None or self._before is self._pinging:
            return self._pinging.results()
        before = {count.node.uid: count.offset_us for count in self._before.counts}
        return tuple(
            count.result(_between(before.get(count.node.uid), count.offset_us))
            for count in self._pinging.counts
        )


def _between(before_us: int | None, after_us: int | None) -> int | None:
    return None if before_us is None or after_us is None else after_us - before_us
