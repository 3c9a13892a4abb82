"""MEASURE to some nodes in turn: what each reads of its supply, its currents and the spare wire."""

from collections import deque
from collections.abc import Iterable
from typing import Final

from pi_controller.bus.measure_messages import Measure, Measured
from pi_controller.bus.messages import MEASURE_SINCE
from pi_controller.bus.requests import TEST_ANSWER_US, Reply, Request, Task
from pi_controller.bus.snapshot import Node
from pi_controller.bus.values import NodeMeasured

TRIES: Final = 3
"""So often a node is asked until it answers."""


class MeasureTask(Task):
    """Nodes that do not know MEASURE are left out: they would take themselves for outdated."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        super().__init__()
        self._waiting = deque((node, TRIES) for node in nodes if node.info.proto_max >= MEASURE_SINCE)
        self._out = 0
        self._found: dict[str, tuple[Node, Measured]] = {}
        self._end()

    def next(self, _now_us: int) -> Request | None:
        if not self._waiting:
            return None
        node, tries = self._waiting.popleft()
        self._out += 1
        return Request(message=Measure(), dst=node.address, of=(node, tries), wait_us=TEST_ANSWER_US)

    def ready_at(self) -> int | None:
        return 0 if self._waiting else None

    def answered(self, request: Request, answer: Reply) -> None:
        node, _tries = request.of
        if not isinstance(answer.message, Measured) or answer.src != node.address:
            self.failed(request, garbled=True)
            return
        self._out -= 1
        self._found[node.uid] = node, answer.message
        self._end()

    def failed(self, request: Request, *, garbled: bool) -> None:  # noqa: ARG002 - asked again either way
        self._out -= 1
        node, tries = request.of
        if tries > 1:
            self._waiting.append((node, tries - 1))
        self._end()

    def withdrawn(self, request: Request) -> None:
        self._out -= 1
        self._waiting.append(request.of)

    def measured(self) -> tuple[NodeMeasured, ...]:
        """Of those that have answered with a supply, in the order of their addresses."""
        found = sorted(self._found.values(), key=lambda pair: pair[0].address)
        return tuple(
            NodeMeasured(
                uid=node.uid,
                supply_v=said.supply_mv / 1000,
                spread_v=(said.spread_mv or 0) / 1000,
                lamps_ma=None if said.lamps is None else said.lamps / 100,
                displays_ma=None if said.displays is None else said.displays / 10,
                loop=said.loop,
            )
            for node, said in found
            if said.supply_mv is not None
        )

    def _end(self) -> None:
        if not self._waiting and not self._out:
            self.ends()
