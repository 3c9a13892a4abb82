"""Who is asked when: one poll about every 13 ms, whatever the number of nodes, so that a pause waits as long
at one table as in a large hall. Who does not answer is asked less and less often."""

from collections import deque
from typing import Final

from pi_controller.bus.discovery import SLOW_BAUD
from pi_controller.bus.snapshot import Node
from pi_controller.bus.values import NodeState

PERIOD_US: Final = 13_100
"""From poll to poll: 32 nodes are each asked 2.4 times a second. Longer than an unanswered poll (12 ms and
its own bytes), and no divisor of the 200 ms between two state frames."""
SLOW_PERIOD_US: Final = 14_500
"""The same at the fallback rate. There a poll takes so long that of eight segments one would nearly always be
busy, and a pause waits for the last of them. So polls are due at the multiples of this on the clock of the
computer, which all segments have in common: most of the time all lines are free."""
SUSPECT_MISSES: Final = 3
LOST_MISSES: Final = 10
SUSPECT_US: Final = 1_000_000
LOST_US: Final = 2_000_000
MOST_HURRIED: Final = 2
"""So often a node is asked at once between two of its turns: to acknowledge its claim and to tell what became
of it. A node that claims without end must not take the line from the others."""


class Polling:
    """The order in which nodes are asked. A node stands in it from `add` to `remove`."""

    def __init__(self, baud: int) -> None:
        self._on_beat = baud < SLOW_BAUD
        self._ring: deque[Node] = deque()
        self._slow: list[Node] = []
        self._again: deque[Node] = deque()
        self._urgent: deque[Node] = deque()
        self._slot_us = 0
        self._slow_last = False

    def add(self, node: Node) -> None:
        self.remove(node)
        node.misses = 0
        node.retrying = False
        self._ring.append(node)

    def remove(self, node: Node) -> None:
        for queue in (self._ring, self._slow, self._again, self._urgent):
            if node in queue:
                queue.remove(node)

    @property
    def hurried(self) -> bool:
        """Somebody has to be asked at once."""
        return bool(self._urgent)

    def hurry(self, node: Node) -> None:
        """Ask this node next, between two slots: there is something to acknowledge. When that has been done
        often enough, it waits for its turn."""
        if node.hurried < MOST_HURRIED and node not in self._urgent and self._has(node):
            node.hurried += 1
            self._urgent.append(node)

    def ready_at(self) -> int | None:
        """When the next poll is due; None: nobody is there to be asked."""
        if self._urgent:
            return 0
        if self._ring or self._again:
            return self._slot_us
        if self._slow:
            return max(self._slot_us, min(node.due_us for node in self._slow))
        return None

    def next(self, now_us: int) -> Node | None:
        """The node to ask now; None: not yet."""
        if self._urgent:
            return self._urgent.popleft()
        if now_us < self._slot_us:
            return None
        node = self._chosen(now_us)
        if node is not None:
            node.hurried = 0
            self._slot_us = self._slot_after(now_us)
        return node

    def _slot_after(self, now_us: int) -> int:
        if self._on_beat:
            return now_us - now_us % SLOW_PERIOD_US + SLOW_PERIOD_US
        on_time = now_us - self._slot_us < PERIOD_US
        return (self._slot_us if on_time else now_us) + PERIOD_US

    def _has(self, node: Node) -> bool:
        return node in self._ring or node in self._slow

    def _chosen(self, now_us: int) -> Node | None:
        if self._again:
            return self._again.popleft()
        if self._slow and not (self._slow_last and self._ring):
            for node in self._slow:
                if node.due_us <= now_us:
                    self._slow_last = True
                    return node
        self._slow_last = False
        if not self._ring:
            return None
        node = self._ring.popleft()
        self._ring.append(node)
        return node

    def answered(self, node: Node) -> NodeState | None:
        """The node is there; its new state when it was another."""
        node.misses = 0
        node.retrying = False
        if node.state == "good":
            return None
        node.state = "good"
        self.remove(node)
        self._ring.append(node)
        return "good"

    def abandoned(self, node: Node) -> None:
        """The poll was broken off for something urgent: no miss, it comes first in the next slot."""
        if node in self._ring:
            self._again.append(node)

    def unanswered(self, node: Node, now_us: int) -> NodeState | None:
        """Nothing good came; its new state when that has changed. A good node is asked once more at once."""
        node.missed += 1
        asked_often = node.state not in ("suspect", "lost")
        if asked_often and not node.retrying:
            node.retrying = True
            self._again.append(node)
            return None
        node.retrying = False
        node.misses += 1
        if asked_often and node.misses >= SUSPECT_MISSES:
            self.remove(node)
            self._slow.append(node)
            node.state = "suspect"
            node.due_us = now_us + SUSPECT_US
            return "suspect"
        if node.state == "suspect" and node.misses >= LOST_MISSES:
            node.state = "lost"
            node.due_us = now_us + LOST_US
            return "lost"
        node.due_us = now_us + (LOST_US if node.state == "lost" else SUSPECT_US)
        return None
