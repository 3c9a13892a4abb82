"""PING to some nodes in turn, and the job that is nothing else."""

from collections import deque
from collections.abc import Iterable

from pi_controller.bus.frame import near
from pi_controller.bus.ping_messages import PING_BYTES, Ping, Pong, Prbs
from pi_controller.bus.requests import TEST_ANSWER_US, Reply, Request, Task
from pi_controller.bus.snapshot import Node, round_trip
from pi_controller.bus.values import NodePing
from pi_controller.sentence import Sentence


class Count:
    """How one node has answered so far."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.sent = 0
        self.bad = 0
        self.offset_us: int | None = None
        """The least of all: a node hears late, never early."""
        self._trips_us: list[int] = []

    @property
    def answered(self) -> int:
        return len(self._trips_us)

    def hear(self, answer: Reply, data: bytes) -> None:
        message = answer.message
        if not isinstance(message, Pong) or answer.src != self.node.address or message.data != data:
            self.bad += 1
            return
        self._trips_us.append(answer.at_us - answer.sent_us)
        if message.master_us:
            offset_us = near(message.master_us, answer.sent_us) - answer.sent_us
            self.offset_us = offset_us if self.offset_us is None else min(self.offset_us, offset_us)

    def result(self, drift_us: int | None = None) -> NodePing:
        trip = round_trip(self._trips_us)
        return NodePing(
            uid=self.node.uid,
            sent=self.sent,
            answered=self.answered,
            bad=self.bad,
            p50_ms=None if trip is None else trip.p50,
            p99_ms=None if trip is None else trip.p99,
            worst_ms=None if trip is None else max(self._trips_us) / 1000,
            clock_offset_us=self.offset_us,
            drift_us=drift_us,
        )


class Pinging:
    """So many PINGs to each of these nodes, one to each in turn."""

    def __init__(self, nodes: Iterable[Node], *, frames: int, data: Prbs) -> None:
        self.counts = [Count(node) for node in nodes]
        self._frames = frames
        self._data = data
        self._waiting = deque(self.counts)
        self._out = 0

    @property
    def over(self) -> bool:
        return not self._waiting and not self._out

    @property
    def ready(self) -> bool:
        """There is one to be said."""
        return bool(self._waiting)

    def next(self) -> Request | None:
        """None when all have been said."""
        if not self._waiting:
            return None
        count = self._waiting.popleft()
        count.sent += 1
        if count.sent < self._frames:
            self._waiting.append(count)
        self._out += 1
        message = Ping(data=self._data.take(PING_BYTES))
        return Request(message=message, dst=count.node.address, of=count, wait_us=TEST_ANSWER_US)

    def answered(self, request: Request, answer: Reply) -> None:
        self._out -= 1
        if isinstance(request.message, Ping):
            request.of.hear(answer, request.message.data)

    def failed(self, request: Request, *, garbled: bool) -> None:
        self._out -= 1
        request.of.bad += garbled

    def withdrawn(self, request: Request) -> None:
        self._out -= 1
        count: Count = request.of
        if count.sent == self._frames:
            self._waiting.append(count)
        count.sent -= 1

    def results(self) -> tuple[NodePing, ...]:
        return tuple(count.result() for count in self.counts)


class PingTask(Task):
    """Ends when all have been asked, and at `until_us`; an end by time is as wanted when `timed`."""

    def __init__(self, pinging: Pinging, *, until_us: int, timed: bool) -> None:
        super().__init__()
        self._pinging = pinging
        self._until_us = until_us
        self._timed = timed
        self._end()

    def turn(self, now_us: int) -> None:
        if now_us >= self._until_us:
            self.ends(None if self._timed else Sentence("bus.measurement_ran_out"))

    def next(self, _now_us: int) -> Request | None:
        return self._pinging.next()

    def ready_at(self) -> int | None:
        return 0 if self._pinging.ready else self._until_us

    def answered(self, request: Request, answer: Reply) -> None:
        self._pinging.answered(request, answer)
        self._end()

    def failed(self, request: Request, *, garbled: bool) -> None:
        self._pinging.failed(request, garbled=garbled)
        self._end()

    def withdrawn(self, request: Request) -> None:
        self._pinging.withdrawn(request)

    def nodes(self) -> tuple[NodePing, ...]:
        return self._pinging.results()

    def _end(self) -> None:
        if self._pinging.over:
            self.ends()
