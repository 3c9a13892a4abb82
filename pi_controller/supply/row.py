"""Volts at each node of a row in zones, whose nodes take what they take, over hops that may be bad."""

from collections.abc import Iterator, Sequence

from pi_controller.supply.line import Arm, settle
from pi_controller.supply.zone import Zone

CLOSE_V = 1e-5


def row_volts(
    zones: Sequence[Zone],
    *,
    source_v: Sequence[float],
    watts: Sequence[float],
    ohms: Sequence[float],
    back_ohm: float,
) -> list[float]:
    """At each node, the row's first one first; 0.0 V in an arm that collapses: without a lead-in the arms of
    a zone know nothing of each other.

    Of `zones` only the places of their nodes and injectors count; `source_v` is the supply of each. `ohms` of
    a node is the hop, there and back, between it and the node before it. At an injector that stands between
    two nodes this cable leads to the node behind it, and another one of `back_ohm` to the node before it.
    """
    volts = [0.0] * len(watts)
    for zone, supply_v in zip(zones, source_v, strict=True):
        for nodes, hops in _arms(zone, ohms, back_ohm):
            arm = Arm(watts=tuple(watts[node] for node in nodes), ohms=hops)
            settled = settle(supply_v, 0.0, [arm], close_v=CLOSE_V)
            along = (0.0,) * len(nodes) if settled is None else settled.volts[0]
            for node, at in zip(nodes, along, strict=True):
                volts[node] = at
    return volts


def _arms(
    zone: Zone, ohms: Sequence[float], back_ohm: float
) -> Iterator[tuple[Sequence[int], tuple[float, ...]]]:
    """The places of the nodes on either side of a zone's injector, the nearest first, and the hops in front
    of them."""
    behind = zone.injector_after
    back, ahead = range(behind - 1, zone.first - 2, -1), range(behind, zone.last)
    yield back, (back_ohm, *(ohms[node + 1] for node in back[1:]))[: len(back)]
    yield ahead, tuple(ohms[node] for node in ahead)
