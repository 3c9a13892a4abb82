"""What nodes measure of themselves: supply, currents, loop."""

from collections.abc import Sequence
from statistics import fmean

import msgspec

from pi_controller.bus.values import MeasureAsked, NodeMeasured, NodeView
from pi_controller.selftest.hall import HallUnderTest

MEASURES = 6
"""The protocol that has MEASURE."""


def able(nodes: Sequence[NodeView]) -> list[NodeView]:
    """Those whose firmware can measure."""
    return [node for node in nodes if node.protocols[1] >= MEASURES]


def measured(hall: HallUnderTest, nodes: Sequence[NodeView], *, times: int = 1) -> dict[str, NodeMeasured]:
    """By unique id, of those of these nodes that are able; no other is asked. The supply is the
    mean of so many answers."""
    uids = tuple(node.uid for node in able(nodes))
    if not uids:
        return {}
    found: dict[str, list[NodeMeasured]] = {}
    for _ in range(times):
        for result in hall.bus(MeasureAsked(uids=uids)):
            for one in result.measured:
                found.setdefault(one.uid, []).append(one)
    return {
        uid: msgspec.structs.replace(every[-1], supply_v=fmean(one.supply_v for one in every))
        for uid, every in found.items()
        if len(every) == times
    }
