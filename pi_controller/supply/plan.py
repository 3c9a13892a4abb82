"""Where supplies, injectors and fuses go in a hall, and what arrives at the last table."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from pi_controller.sentence import Sentence
from pi_controller.supply.wiring import MOST_NODES, SupplyFault, Wiring
from pi_controller.supply.zone import Feed, Zone, zone

MOST_ZONE_NODES = 20
"""That `proposed` hangs on one injector, so that one fault darkens no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`rows[row]` are that row's zones."""

    wiring: Wiring
    rows: tuple[tuple[Zone, ...], ...]

    @property
    def zones(self) -> tuple[Zone, ...]:
        return tuple(part for row in self.rows for part in row)

    @property
    def holds(self) -> bool:
        return not any(part.faults for part in self.zones)


def planned(wiring: Wiring, rows: Sequence[int], *, feed: Feed, zone_nodes: int | None = None) -> Plan:
    """Rows of so many nodes, each cut into even zones of at most `zone_nodes` (None: one zone a row).

    SupplyFault when there is no node, or more than MOST_NODES.
    """
    _check(rows, zone_nodes)
    parts = [1 if zone_nodes is None else -(-nodes // zone_nodes) for nodes in rows]
    made = (zones_of(wiring, nodes, count=count, feed=feed) for nodes, count in zip(rows, parts, strict=True))
    return Plan(wiring=wiring, rows=tuple(made))


def proposed(wiring: Wiring, rows: Sequence[int]) -> Plan:
    """The fewest zones that hold, each fed in its middle. A row for which none hold keeps its faults."""
    _check(rows, None)
    return Plan(wiring=wiring, rows=tuple(_best(wiring, nodes) for nodes in rows))


def _check(rows: Sequence[int], zone_nodes: int | None) -> None:
    if any(nodes < 0 for nodes in rows) or not 1 <= sum(rows) <= MOST_NODES:
        raise SupplyFault(Sentence("supply.hall_of_no_size", count=sum(rows), most=MOST_NODES))
    if zone_nodes is not None and zone_nodes < 1:
        raise SupplyFault(Sentence("supply.zone_without_boards", count=zone_nodes))


def _best(wiring: Wiring, nodes: int) -> tuple[Zone, ...]:
    fewest = -(-nodes // MOST_ZONE_NODES)
    tries = (zones_of(wiring, nodes, count=count, feed="middle") for count in range(fewest, nodes + 1))
    holding = (zones for zones in tries if not any(part.faults for part in zones))
    return next(holding, zones_of(wiring, nodes, count=fewest, feed="middle"))


def zones_of(wiring: Wiring, nodes: int, *, count: int, feed: Feed) -> tuple[Zone, ...]:
    """A row of so many nodes in `count` even zones."""
    if not nodes:
        return ()
    small, larger = divmod(nodes, count)
    ends = list(accumulate(small + (1 if index < larger else 0) for index in range(count)))
    return tuple(zone(wiring, first=start + 1, last=end, feed=feed) for start, end in pairwise([0, *ends]))
