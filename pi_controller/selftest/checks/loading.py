"""How far the supply of nodes falls when their displays are white, a third of each row at a time."""

from collections.abc import Sequence

from pi_controller.bus.values import PATTERNS, NodeMeasured, NodeView
from pi_controller.protocol.probes import IdentifyProbe
from pi_controller.selftest.checks.measuring import measured
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.row_supply import REST, Fall
from pi_controller.supply.zone import Wiring

PARTS = 3
"""White displays on one board in three at once: on all, they would be too much for the fuse of a zone."""
SHOWN_S = 30
SETTLE_S = 0.5
SPREAD = 4.0
"""Standard deviations at least between the least and the greatest of 64 readings: 4.7 on the average."""
RAIL_V = 5.0
"""Of the node's converter: the displays' 3.3 V come out of it through a linear regulator."""
WHITE_MA = 300.0
"""That two white displays take more than black ones, where the board does not measure it."""
PICO_W = 0.25
"""Of the Pico alone, behind the converter."""


def loaded(
    hall: HallUnderTest, nodes: Sequence[NodeView], *, reads: int
) -> tuple[dict[str, Fall], dict[str, NodeMeasured]]:
    """The falls of these nodes under the load of all, from so many `reads` in each part; and what they read
    without it. By unique id, of those that can measure."""
    _pattern(hall, None, "black")
    hall.pause(SETTLE_S)
    rest = measured(hall, nodes, times=REST * reads)
    parts: list[dict[str, NodeMeasured]] = []
    try:
        for number in range(PARTS if rest else 0):
            chosen = [node for _row, seats in hall.rows() for _board, node in seats[number::PARTS]]
            for node in chosen:
                _pattern(hall, node.uid, "white")
            hall.pause(SETTLE_S)
            parts.append(measured(hall, nodes, times=reads))
            for node in chosen:
                _pattern(hall, node.uid, "black")
    finally:
        hall.probe(IdentifyProbe(uid=None, what="off", seconds=0))
    return {
        uid: _fall(first, [part[uid] for part in parts], reads)
        for uid, first in rest.items()
        if all(uid in part for part in parts)
    }, rest


def _pattern(hall: HallUnderTest, uid: str | None, name: str) -> None:
    hall.probe(IdentifyProbe(uid=uid, what="pattern", seconds=SHOWN_S, number=PATTERNS.index(name)))


def _fall(rest: NodeMeasured, parts: Sequence[NodeMeasured], reads: int) -> Fall:
    currents = [one.displays_ma - (rest.displays_ma or 0.0) for one in parts if one.displays_ma is not None]
    return Fall(
        reads=reads,
        rest_v=rest.supply_v,
        parts=tuple(rest.supply_v - one.supply_v for one in parts),
        rest_amps=_amps(PICO_W + (rest.displays_ma or 0.0) / 1000 * RAIL_V, rest),
        amps=max(_amps(max(currents, default=WHITE_MA) / 1000 * RAIL_V, rest), 0.0),
        noise_v=rest.spread_v / SPREAD,
        calibrated=rest.calibrated,
    )


def _amps(watts: float, rest: NodeMeasured) -> float:
    """From the line, for so much behind the node's converter."""
    return watts / Wiring().efficiency / max(1.0, rest.supply_v)
