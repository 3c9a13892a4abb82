"""What every job on a segment has in common: it asks for frames to be said and hears what came of them."""

from dataclasses import dataclass
from typing import Any

from pi_controller.bus.errands import ANSWER_US
from pi_controller.bus.messages import Message, Order
from pi_controller.bus.ping_messages import Ping
from pi_controller.bus.values import Loopback, NodePing


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Something to say, and how long its answer is waited for; `of` is the task's own."""

    message: Ping | Order
    dst: int
    of: Any
    wait_us: int = ANSWER_US


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The good frame that answered a request. Times are CLOCK_BOOTTIME in µs."""

    message: Message
    src: int
    sent_us: int
    """When the last bit of the request was on the wire."""
    at_us: int


class Task:
    """A job under way; on its own it has nothing to do. `over`: it is done, or cannot be; then `sentence`
    says why."""

    silent = False
    """No STATE is to be said."""
    quiet = False
    """Nothing but the task's own requests and STATE is to be said."""
    tuned = False
    """The line is to run at MARGIN_BAUD."""

    def __init__(self) -> None:
        self.over = False
        self.sentence: str | None = None

    def turn(self, now_us: int) -> None:
        """Time has passed."""

    def next(self, now_us: int) -> Request | None:
        """What to say now; None: nothing yet."""
        raise NotImplementedError

    def ready_at(self) -> int | None:
        """When it has something to say or to decide, 0: now; None: it waits for an answer."""
        return None

    def answered(self, request: Request, answer: Answer) -> None:
        raise NotImplementedError

    def failed(self, request: Request, *, garbled: bool) -> None:
        """No good answer came; `garbled`: a damaged one."""
        raise NotImplementedError

    def withdrawn(self, request: Request) -> None:
        """It was given up for something urgent: as if it had not been said."""
        raise NotImplementedError

    def changed(self) -> None:
        """Another picture of the game has gone out."""

    def abandon(self, _now_us: int) -> bool:
        """Another job is to begin; True when this one needs some time to tidy up, and then is `over`."""
        return False

    def nodes(self) -> tuple[NodePing, ...]:
        """What is known of the nodes so far."""
        return ()

    def loopback(self) -> Loopback | None:
        return None

    def ends(self, sentence: str | None = None) -> None:
        self.over = True
        self.sentence = sentence
