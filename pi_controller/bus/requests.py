"""What a master may have to say or ask: orders (IDENTIFY and ORDER, rare and said until they have surely
arrived), tasks under way, and what it hands to the port."""

from collections import deque
from typing import Any, Final, Literal

from msgspec import Struct

from pi_controller.bus.frame import Frame
from pi_controller.bus.messages import (
    BlockMessage,
    IdentifyMessage,
    Measure,
    Message,
    OfferMessage,
    Order,
    Ping,
    StepMessage,
)
from pi_controller.bus.snapshot import Node
from pi_controller.bus.values import FirmwareProgress, Loopback, NodeMeasured, NodePing, NodeUpdated
from pi_controller.sentence import Sentence

ANSWER_US: Final = 12_000
"""From the end of a request: so long an answer may take to be complete (PROTOCOL.md, timing)."""
TEST_ANSWER_US: Final = 40_000
"""That to a PING or a MEASURE: a node reads and tidies up meanwhile, and a computer that is busy hears late,
which is no fault of the line."""
TIMES: Final = 3
"""A message without answer is said so often; one with an answer at most so often."""
APART_US: Final = 60_000


class PendingOrder(Struct):
    """To the node with this uid, to whoever listens on `address` instead of one, or to everybody."""

    message: IdentifyMessage | Order
    uid: str | None = None
    address: int | None = None
    left: int = TIMES
    not_before_us: int = 0
    wait_us: int = ANSWER_US

    @property
    def expects_answer(self) -> bool:
        """A rebooting node does not answer."""
        return isinstance(self.message, Order) and self.message.what != "reboot"


class PendingOrders:
    """First come, first served; a newer IDENTIFY to the same node replaces the older one."""

    def __init__(self) -> None:
        self._waiting: deque[PendingOrder] = deque()

    def add(self, order: PendingOrder) -> None:
        kept = (one for one in self._waiting if not _replaces(order, one))
        self._waiting = deque([*kept, order])

    def ready_at(self) -> int | None:
        """None: there is nothing to do."""
        return min(one.not_before_us for one in self._waiting) if self._waiting else None

    def next(self, now_us: int) -> PendingOrder | None:
        """What has to be said now; it counts as said once."""
        for order in self._waiting:
            if order.not_before_us <= now_us:
                order.left -= 1
                order.not_before_us = now_us + (APART_US if order.address is None else 0)
                if order.left == 0:
                    self._waiting.remove(order)
                return order
        return None

    def done(self, order: PendingOrder) -> None:
        """It was answered, or there is nobody for it. On an address there may be two: it is said again."""
        if order.address is None and order in self._waiting:
            self._waiting.remove(order)


def _replaces(new: PendingOrder, old: PendingOrder) -> bool:
    return (
        isinstance(new.message, IdentifyMessage)
        and isinstance(old.message, IdentifyMessage)
        and new.uid == old.uid
    )


class Request(Struct, frozen=True, kw_only=True):
    """Something to say, and how long its answer is waited for; `of` is the task's own. What goes to everybody
    has no answer: behind it the line is silent for so long."""

    message: Ping | Order | Measure | OfferMessage | BlockMessage | StepMessage
    dst: int
    of: Any
    wait_us: int = ANSWER_US


class Reply(Struct, frozen=True, kw_only=True):
    """The good frame that answered a request. Times are CLOCK_BOOTTIME in µs."""

    message: Message
    src: int
    sent_us: int
    """When the last bit of the request was on the wire."""
    at_us: int


class RunningJob:
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
        self.sentence: Sentence | None = None

    def turn(self, now_us: int) -> None:
        """Time has passed."""

    def next(self, now_us: int) -> Request | None:
        """What to say now; None: nothing yet."""
        raise NotImplementedError

    def ready_at(self) -> int | None:
        """When it has something to say or to decide, 0: now; None: it waits for an answer."""
        return None

    def answered(self, request: Request, answer: Reply) -> None:
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

    def measured(self) -> tuple[NodeMeasured, ...]:
        return ()

    def updated(self) -> tuple[NodeUpdated, ...]:
        return ()

    def progress(self) -> FirmwareProgress | None:
        return None

    def ends(self, sentence: Sentence | None = None) -> None:
        self.over = True
        self.sentence = sentence


What = Literal["poll", "assign", "order", "discover", "job"]


class Send(Struct, frozen=True):
    """Write these bytes now."""

    data: bytes
    expects_answer: bool


class Tune(Struct, frozen=True):
    """Let the port run at this rate from now on; nothing is on the line."""

    baud: int


class Rest(Struct, frozen=True):
    """Nothing to write before then, unless bytes arrive or there is something new to show or to do."""

    until_us: int


class Asked(Struct, kw_only=True):
    """A request on the line; `what` says which of the fields below it holds."""

    what: What
    node: Node | None = None
    uid: str = ""
    order: PendingOrder | None = None
    job: tuple[RunningJob, Request] | None = None
    frame: Frame | None = None
    """What was said."""
    wait_us: int = ANSWER_US
    seq: int = 0
    sent_us: int = 0
    """When its last bit is on the wire."""
    until_us: int = 0
    garbled: bool = False
    """Something damaged came back."""
