"""Volts at each node of a row in zones, whose nodes take what they take, over hops that may be bad."""

from collections.abc import Sequence

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
        behind = zone.injector_after
        back = list(range(behind - 1, zone.first - 2, -1))
        ahead = list(range(behind, zone.last))
        back_ohms = [back_ohm, *(ohms[node + 1] for node in back[1:])][: len(back)]
        for nodes, hops in ((back, back_ohms), (ahead, [ohms[node] for node in ahead])):
            arm = Arm(watts=tuple(watts[node] for node in nodes), ohms=tuple(hops))
            settled = settle(supply_v, 0.0, [arm], close_v=CLOSE_V)
            if settled is not None:
                for node, at in zip(nodes, settled.volts[0], strict=True):
                    volts[node] = at
    return volts
