"""A hall as it is cabled: chains of boards from an adapter to a terminator, with injectors between them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from pi_controller.roster.model import Roster, Row
from pi_controller.supply.plan import Plan, proposed
from pi_controller.supply.wiring import Wiring
from pi_controller.supply.zone import Zone

MOST_CHAIN = 32
"""Nodes on one segment of the bus."""
SPARES = 10
"""One in so many, rounded up, is laid in beside what the hall needs."""

CableKind = Literal["head", "table", "zone", "lead"]
"""head and zone: +24 V (pins 1 and 2) open. lead: two wires from a supply to an injector."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """One segment: boards in the order of the cable, from the adapter on. `zones` count along it, from 1."""

    name: str
    row: Row
    boards: tuple[str, ...]
    zones: tuple[Zone, ...]

    @property
    def ends(self) -> frozenset[int]:
        """Places after which a zone ends and +24 V is cut, the last board left out."""
        return frozenset(zone.last for zone in self.zones[:-1])

    @property
    def injectors(self) -> dict[int, Zone]:
        """By the place after which the injector sits; 0: before the first board."""
        return {zone.injector_after: zone for zone in self.zones}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cable:
    name: str
    kind: CableKind
    start: str
    end: str
    length_m: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperHall:
    """What is printed of. `addresses`: segment and address of each node's uid, where they are known."""

    roster: Roster
    wiring: Wiring
    head_m: float = 10.0
    """From an adapter at the controller to the first board of a chain."""
    addresses: Mapping[str, str] = field(default_factory=dict)

    @property
    def chains(self) -> tuple[Chain, ...]:
        """Rows of more than MOST_CHAIN boards are several chains; the last starts at the row's far end."""
        parts = [part for row in self.roster.rows if row.boards for part in _parts(row)]
        plan = self.plan
        return tuple(
            Chain(name=name, row=row, boards=boards, zones=zones)
            for (name, row, boards), zones in zip(parts, plan.rows, strict=True)
        )

    @property
    def plan(self) -> Plan:
        """The supply, one entry of `rows` a chain."""
        parts = [part for row in self.roster.rows if row.boards for part in _parts(row)]
        return proposed(self.wiring, [len(boards) for _, _, boards in parts])

    @property
    def cables(self) -> tuple[Cable, ...]:
        """All cables, chain by chain in the order in which they are laid."""
        return tuple(cable for chain in self.chains for cable in self._of(chain))

    def _of(self, chain: Chain) -> Iterator[Cable]:
        start, zone = f"adapter {chain.name}", 0
        for number, (station, its_zone) in enumerate(_stations(chain)):
            kind: CableKind = "head" if number == 0 else "table" if its_zone == zone else "zone"
            length = self.head_m if kind == "head" else self.wiring.hop_m
            name = f"{chain.name}-{number:02}"
            yield Cable(name=name, kind=kind, start=_out(start), end=f"{station} IN", length_m=length)
            start, zone = station, its_zone
        for number in range(1, len(chain.zones) + 1):
            name = f"{chain.name}-S{number}"
            supply, injector = f"supply {chain.name}/{number}", f"injector {chain.name}/{number}"
            yield Cable(name=name, kind="lead", start=supply, end=injector, length_m=self.wiring.lead_m)


def boards(count: int) -> str:
    return f"{count} board" if count == 1 else f"{count} boards"


def _parts(row: Row) -> Iterator[tuple[str, Row, tuple[str, ...]]]:
    names = [board.name for board in row.boards]
    count = -(-len(names) // MOST_CHAIN)
    for number in range(count):
        part = names[number * len(names) // count : (number + 1) * len(names) // count]
        is_last = count > 1 and number == count - 1
        name = row.name if count == 1 else f"{row.name}.{number + 1}"
        yield name, row, tuple(part[::-1] if is_last else part)


def _stations(chain: Chain) -> Iterator[tuple[str, int]]:
    """Boards and injectors along the cable, each with the number of its zone."""
    for number, zone in enumerate(chain.zones, 1):
        for place in range(zone.first, zone.last + 1):
            if zone.injector_after == place - 1:
                yield f"injector {chain.name}/{number}", number
            yield chain.boards[place - 1], number


def _out(station: str) -> str:
    return station if station.startswith("adapter") else f"{station} OUT"
