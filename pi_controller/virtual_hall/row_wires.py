"""The supply wires and the spare wire of a row of virtual tables: what arrives at each, and what may be wrong
with them."""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random

from pi_controller.protocol.simulated import VirtualAction
from pi_controller.supply.plan import proposed
from pi_controller.supply.row import row_volts
from pi_controller.supply.wiring import Wiring
from pi_controller.virtual_hall.board import SUPPLY_V
from pi_controller.virtual_hall.table import Table
from pi_controller.virtual_hall.transmitter import NEVER

LOOK_US = 100_000
"""What the tables take is looked at as often as this."""
OFF_V, ON_V = 10.0, 12.1
"""A node's lockout switches it off below the one and on again above the other (hardware/spice)."""
HOPS_DIFFER = 0.1
SUPPLIES_DIFFER_V = 0.5
"""2 % of 24 V, as makers of supplies allow themselves."""
ONE_WIRE = 0.5
"""One broken wire of a rail's two adds so much of a hop's resistance."""


class RowWires:
    """Of `tables` in their order, at the positions 1, 2, …; `is_cut` says of a position whether the cable
    before it is cut: its bus wires and its spare wire are, its supply wires are not. The row is fed as the
    power budget proposes.

    Hops and supplies differ as drawn from `random`; with None all are alike.
    """

    def __init__(
        self, tables: Sequence[Table], *, is_cut: Callable[[int], bool], random: Random | None
    ) -> None:
        wiring = Wiring()
        self._tables = tuple(tables)
        self._is_cut = is_cut
        self._zones = proposed(wiring, [len(self._tables)]).rows[0]
        self._hop_ohm = wiring.hop_ohm
        self._spread = [1 + _within(random, HOPS_DIFFER) for _ in self._tables]
        self._source_v = [SUPPLY_V + _within(random, SUPPLIES_DIFFER_V) for _ in self._zones]
        self._dead: set[int] = set()
        """Zones without their supply, counted from 0."""
        self._contact_ohm: dict[int, float] = {}
        """More than the cable has, in the hop before the table at this position."""
        self._plug_ohm: dict[int, float] = {}
        """In the table's own plugs."""
        self._one_wire: set[int] = set()
        self._spare: set[int] = set()
        """Of the cables before these tables a wire is broken."""
        self._terminator = True
        self._reckoned: tuple[list[float], list[float], list[float]] | None = None
        """Watts, ohms and supplies of which the rails were reckoned."""
        self._rails: list[float] = []
        self.due_us = 0
        """When to `look`; at once after a change."""
        self._reckon()
        for place, table in enumerate(self._tables):
            table.board.rail_v = partial(self.volts, place + 1)
            table.board.loop_closed = partial(self.loop_closed, place + 1)

    def volts(self, position: int) -> float:
        """At this table's node, when the row was looked at last."""
        rail_v = self._rails[position - 1]
        amps = self._tables[position - 1].watts() / max(rail_v, 1.0)
        return rail_v - self._plug_ohm.get(position, 0.0) * amps

    def loop_closed(self, position: int) -> bool:
        """Whether the spare wire is whole from this table to the terminator behind the last one."""
        beyond = range(position + 1, len(self._tables) + 1)
        return self._terminator and not any(at in self._spare or self._is_cut(at) for at in beyond)

    def spoil(self, do: VirtualAction, position: int, value: float) -> None:
        """What an action, whose fields have been checked, does here; a `value` of 0 undoes it."""
        match do:
            case "contact":
                _keep(self._contact_ohm, position, value)
            case "plug":
                _keep(self._plug_ohm, position, value)
            case "one_wire":
                _mark(self._one_wire, position, there=value > 0)
            case "spare":
                _mark(self._spare, position, there=value > 0)
            case "dead_supply":
                _mark(self._dead, self._zone(position), there=value > 0)
            case "terminator":
                self._terminator = value > 0

    def mend_cable(self, position: int) -> None:
        """The cable before this table is as new."""
        self._contact_ohm.pop(position, None)
        self._one_wire.discard(position)
        self._spare.discard(position)

    def mend_plugs(self, position: int) -> None:
        self._plug_ohm.pop(position, None)

    def faults(self, position: int) -> list[VirtualAction]:
        """What is wrong with the cable before this table, its plugs, the supply of its zone and the segment's
        terminator."""
        wrong: dict[VirtualAction, bool] = {
            "contact": position in self._contact_ohm,
            "one_wire": position in self._one_wire,
            "plug": position in self._plug_ohm,
            "spare": position in self._spare,
            "dead_supply": self._zone(position) in self._dead,
            "terminator": not self._terminator,
        }
        return [name for name, is_so in wrong.items() if is_so]

    def next_us(self) -> int:
        """When to `look` next; NEVER while no table takes or waits for anything."""
        return self.due_us if any(table.alive or table.starved for table in self._tables) else NEVER

    def look(self, now_us: int) -> None:
        """What the tables take now, and what then arrives; who gets too little goes out, and who gets enough
        again starts."""
        self.due_us = now_us + LOOK_US
        for table, volts in zip(self._tables, self._rails, strict=True):
            if table.starved and volts >= ON_V:
                table.feed(now_us)
        self._reckon()
        while (lowest := self._lowest()) is not None:
            self._tables[lowest].starve()
            self._reckon()

    def _lowest(self) -> int | None:
        """Of the tables that are on and get too little, the one that goes out first."""
        low = [
            place
            for place, (table, volts) in enumerate(zip(self._tables, self._rails, strict=True))
            if volts < OFF_V and not table.starved
        ]
        return min(low, key=lambda place: (self._rails[place], -self._hops_to(place)), default=None)

    def _hops_to(self, place: int) -> int:
        """Cables between the injector and the table at this place, counted from 0."""
        behind = self._zones[self._zone(place + 1)].injector_after
        return place - behind + 1 if place >= behind else behind - place

    def _zone(self, position: int) -> int:
        return next(at for at, zone in enumerate(self._zones) if position <= zone.last)

    def _reckon(self) -> None:
        watts = [table.watts() for table in self._tables]
        ohms = [self._ohm(position) for position in range(1, len(self._tables) + 1)]
        source_v = [0.0 if at in self._dead else v for at, v in enumerate(self._source_v)]
        if self._reckoned != (watts, ohms, source_v):
            self._reckoned = watts, ohms, source_v
            back_ohm = self._hop_ohm
            self._rails = row_volts(self._zones, source_v=source_v, watts=watts, ohms=ohms, back_ohm=back_ohm)

    def _ohm(self, position: int) -> float:
        usual = self._hop_ohm * self._spread[position - 1]
        one_wire = ONE_WIRE * (position in self._one_wire)
        return usual * (1 + one_wire) + self._contact_ohm.get(position, 0.0)


def _within(random: Random | None, most: float) -> float:
    return 0.0 if random is None else random.uniform(-most, most)


def _keep(places: dict[int, float], position: int, value: float) -> None:
    if value:
        places[position] = value
    else:
        places.pop(position, None)


def _mark(places: set[int], position: int, *, there: bool) -> None:
    if there:
        places.add(position)
    else:
        places.discard(position)
