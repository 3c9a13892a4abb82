"""Frames to nobody, and how many of them the adapter returns."""

from typing import Final

from pi_controller.bus.conversation import Conversation
from pi_controller.bus.frame import Frame
from pi_controller.bus.ping_messages import PING_BYTES, Ping
from pi_controller.bus.prbs import Prbs
from pi_controller.bus.task import Answer, Request, Task
from pi_controller.bus.values import Loopback

NOBODY: Final = 0xFE
"""An address that no node answers to (PROTOCOL.md)."""
ECHO_US: Final = 25_000
"""So long an echo may take: more than the 16 ms that an adapter's driver may hold bytes back."""
ENOUGH: Final = 20
"""So many frames without any echo: the adapter gives none."""


class LoopbackTask(Task):
    def __init__(self, conversation: Conversation, *, frames: int, data: Prbs) -> None:
        super().__init__()
        self._conversation = conversation
        self._frames = frames
        self._data = data
        self._sent = 0
        self._echoed = 0
        self._damaged = 0
        self._damaged_before = 0

    def next(self, _now_us: int) -> Request | None:
        if self.over:
            return None
        self._sent += 1
        self._damaged_before = self._conversation.receiver.damaged
        message = Ping(data=self._data.take(PING_BYTES))
        return Request(message=message, dst=NOBODY, of=None, wait_us=ECHO_US)

    def ready_at(self) -> int | None:
        return 0

    def is_back(self, frame: Frame) -> bool:
        """Whether the request's own frame has come back, which ends the wait for it."""
        return self._conversation.echo.has_returned(frame)

    def came_back(self) -> None:
        self._echoed += 1
        self._end()

    def answered(self, _request: Request, _answer: Answer) -> None:
        """Somebody answers to an address that nobody may have."""
        self.ends("a table answers to an address that none can have: replace it")

    def failed(self, _request: Request, *, garbled: bool) -> None:
        self._damaged += garbled or self._conversation.receiver.damaged > self._damaged_before
        self._end()

    def withdrawn(self, _request: Request) -> None:
        self._sent -= 1

    def loopback(self) -> Loopback | None:
        return Loopback(sent=self._sent, echoed=self._echoed, damaged=self._damaged)

    def _end(self) -> None:
        if self._sent >= ENOUGH and not self._echoed and 2 * self._damaged < self._sent:
            self.ends("the adapter returns nothing of what it is given, so that there is no echo to count")
        elif self._sent >= self._frames:
            self.ends()
