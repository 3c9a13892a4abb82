"""A hall as it is cabled: chains of boards from an adapter to a terminator, with injectors between them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from pi_controller.roster.model import Roster, Row
from pi_controller.sentence import Sentence
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
    """`start` and `end` name the sockets that its plugs go into."""

    name: str
    kind: CableKind
    start: Sentence
    end: Sentence
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
        start, zone = Sentence("paper.adapter", chain=chain.name), 0
        for number, (station, its_zone) in enumerate(_stations(chain)):
            kind: CableKind = "head" if number == 0 else "table" if its_zone == zone else "zone"
            length = self.head_m if kind == "head" else self.wiring.hop_m
            name = f"{chain.name}-{number:02}"
            yield Cable(name=name, kind=kind, start=start, end=station.entrance, length_m=length)
            start, zone = station.exit, its_zone
        for number in range(1, len(chain.zones) + 1):
            name = f"{chain.name}-S{number}"
            supply = Sentence("paper.supply_of_a_zone", chain=chain.name, zone=number)
            injector = Sentence("paper.injector", chain=chain.name, zone=number)
            yield Cable(name=name, kind="lead", start=supply, end=injector, length_m=self.wiring.lead_m)


@dataclass(frozen=True, slots=True)
class _Station:
    """A board or an injector on the way of the cable, by its sockets."""

    entrance: Sentence
    exit: Sentence


def _parts(row: Row) -> Iterator[tuple[str, Row, tuple[str, ...]]]:
    names = [board.name for board in row.boards]
    count = -(-len(names) // MOST_CHAIN)
    for number in range(count):
        part = names[number * len(names) // count : (number + 1) * len(names) // count]
        is_last = count > 1 and number == count - 1
        name = row.name if count == 1 else f"{row.name}.{number + 1}"
        yield name, row, tuple(part[::-1] if is_last else part)


def _stations(chain: Chain) -> Iterator[tuple[_Station, int]]:
    """Boards and injectors along the cable, each with the number of its zone."""
    for number, zone in enumerate(chain.zones, 1):
        for place in range(zone.first, zone.last + 1):
            if zone.injector_after == place - 1:
                yield _injector(chain.name, number), number
            yield _board(chain.boards[place - 1]), number


def _injector(chain: str, zone: int) -> _Station:
    return _Station(
        Sentence("paper.injector_in", chain=chain, zone=zone),
        Sentence("paper.injector_out", chain=chain, zone=zone),
    )


def _board(name: str) -> _Station:
    return _Station(Sentence("paper.board_in", board=name), Sentence("paper.board_out", board=name))
