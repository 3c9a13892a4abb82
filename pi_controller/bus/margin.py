"""PING at twice the usual rate: a line that carries that is well within its margin."""

import math
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, Literal

from pi_controller.bus.messages import Health, Order
from pi_controller.bus.pinging import Pinging
from pi_controller.bus.requests import Reply, Request, Task
from pi_controller.bus.snapshot import Node
from pi_controller.bus.values import NodePing
from pi_controller.sentence import Sentence, listed

TRIES: Final = 3
"""So often a node is asked whether it knows PING, and told the other rate."""
PING_US: Final = 9_000
"""A generous time for a PING, its answer and what else goes on."""
LONGEST_S: Final = 90
EARLY_US: Final = 300_000
"""The line returns so long before the first node does: crystals differ, and so do moments of telling."""
RETURN_US: Final = 1_800_000
"""Nodes that hear no good frame at the other rate return within 1.5 s (PROTOCOL.md)."""

Stage = Literal["asking", "ordering", "measuring", "returning"]


class MarginTask(Task):
    """Asks all nodes whether they know tests, orders them to the other rate, pings them there, and returns
    after them: without a good frame at that rate they come back by themselves."""

    def __init__(self, nodes: Sequence[Node], *, frames: int, make: Callable[[int], Pinging]) -> None:
        super().__init__()
        self._stage: Stage = "asking"
        self._asking = make(TRIES)
        self._measuring = make(frames)
        self._nodes = nodes
        self._to_tell = deque((node, TRIES) for node in nodes)
        self._out = 0
        self._seconds = min(LONGEST_S, math.ceil(2 + frames * len(nodes) * PING_US / 1e6))
        self._first_us: int | None = None
        self._until_us: int | None = None
        self._why: Sentence | None = None
        if not nodes:
            self.ends(Sentence("bus.no_table_to_measure"))

    def turn(self, now_us: int) -> None:
        match self._stage:
            case "asking":
                self._know()
            case "ordering":
                self._told()
            case "measuring":
                self._measured(now_us)
            case "returning":
                if self._until_us is not None and now_us >= self._until_us:
                    self.quiet = False
                    self.ends(self._why)

    def abandon(self, now_us: int) -> bool:
        """Back to the usual rate, as far as it was left."""
        left = self.quiet or self.tuned
        if left:
            self._return(now_us, None)
        return left

    def next(self, now_us: int) -> Request | None:
        if self._stage == "asking":
            return self._asking.next()
        if self._stage == "measuring":
            return self._measuring.next()
        if self._stage == "returning" or not self._to_tell:
            return None
        node, tries = self._to_tell.popleft()
        self._out += 1
        if self._first_us is None:
            self._first_us = now_us
        return Request(message=Order(what="rate", argument=self._seconds), dst=node.address, of=(node, tries))

    def ready_at(self) -> int | None:
        if self._stage == "ordering":
            return 0 if self._to_tell else None
        return 0 if self._stage != "returning" and self._pinging.ready else self._until_us

    def answered(self, request: Request, answer: Reply) -> None:
        if self._stage != "ordering":
            self._pinging.answered(request, answer)
            return
        self._out -= 1
        if not isinstance(answer.message, Health):
            self._again(request)

    def failed(self, request: Request, *, garbled: bool) -> None:
        if self._stage != "ordering":
            self._pinging.failed(request, garbled=garbled)
            return
        self._out -= 1
        self._again(request)

    def withdrawn(self, request: Request) -> None:
        if self._stage != "ordering":
            self._pinging.withdrawn(request)
            return
        self._out -= 1
        self._to_tell.appendleft(request.of)

    def nodes(self) -> tuple[NodePing, ...]:
        return self._pinging.results()

    @property
    def _pinging(self) -> Pinging:
        return self._asking if self._stage == "asking" else self._measuring

    def _know(self) -> None:
        if not self._asking.over:
            return
        silent = [count.node for count in self._asking.counts if not count.answered]
        if silent:
            self.ends(Sentence("bus.know_no_ping", tables=listed([_name(node) for node in silent])))
            return
        self._stage = "ordering"
        self.quiet = True

    def _told(self) -> None:
        if self._to_tell or self._out or self._first_us is None:
            return
        self._stage = "measuring"
        self.quiet = False
        self.tuned = True
        self._until_us = self._first_us + self._seconds * 1_000_000 - EARLY_US

    def _again(self, request: Request) -> None:
        node, tries = request.of
        if tries > 1:
            self._to_tell.append((node, tries - 1))
            return
        # Whether it has followed is not known; its PINGs will tell.

    def _measured(self, now_us: int) -> None:
        if self._measuring.over:
            self._return(now_us, None)
        elif self._until_us is not None and now_us >= self._until_us:
            self._return(now_us, Sentence("bus.other_rate_ran_out"))

    def _return(self, now_us: int, why: Sentence | None) -> None:
        self._why = why
        self._stage = "returning"
        self.tuned = False
        self.quiet = True
        self._until_us = now_us + RETURN_US


def _name(node: Node) -> Sentence:
    if node.board:
        return Sentence("bus.board", board=node.board)
    return Sentence("bus.node", digits=node.uid[-4:])
