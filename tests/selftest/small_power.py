"""The 24 V of a small hall: rows fed as the power budget proposes, over cables of which some may be bad."""

from dataclasses import dataclass, field
from operator import sub
from random import Random

from pi_controller.supply.zone import MOST_STEPS, ROW_CLOSE_V, SupplyWiring, proposed
from pi_controller.virtual_hall.board import draw
from pi_controller.vocabulary import SIDES
from tests.selftest.small_panel import SmallPanel
from tests.selftest.small_tables import Table

LAMPS_MA = ((8.0, 20.7), (8.0, 20.7), (5.0, 35.0), (5.0, 35.0))
"""hardware/spice/node_lamps.cir: of Sun, Moon and their buttons."""
ONE_WIRE = 0.5
"""One broken wire of a rail's two adds so much of a hop's resistance."""


@dataclass
class SmallPower:
    """`extra_ohm`: more than the cable has, in the hop between the table of this label and the one before it;
    `broken_wires` of the labels' hops lack one wire of two. `spread` of the hops' resistances. `sources` of the
    zones that begin at these labels, in the place of `source_v`; in front of the `joined` labels, where two zones
    meet, is a table cable."""

    wiring: SupplyWiring = field(default_factory=lambda: SupplyWiring(watts=2.0))
    source_v: float = 24.0
    sources: dict[str, float] = field(default_factory=dict)
    joined: set[str] = field(default_factory=set)
    extra_ohm: dict[str, float] = field(default_factory=dict)
    broken_wires: set[str] = field(default_factory=set)
    spread: dict[str, float] = field(default_factory=dict)

    def volts(self, rows: dict[str, list[Table]]) -> dict[str, float]:
        """At each table, by its label."""
        along: list[tuple[Table | None, float]] = []
        found: dict[str, float] = {}
        for tables in filter(None, rows.values()):
            for zone in proposed(self.wiring, [len(tables)]).rows[0]:
                of_zone = tables[zone.first - 1 : zone.last]
                first = of_zone[0].label
                if first not in self.joined:
                    found |= self._at_rest(along)
                    along = []
                source_v = self.sources.get(first, self.source_v)
                places: list[tuple[Table | None, float]] = [
                    (table, self._ohm(table.label)) for table in of_zone
                ]
                places.insert(zone.injector_after - zone.first + 1, (None, source_v))
                along += places
        return found | self._at_rest(along)

    def _at_rest(self, along: list[tuple[Table | None, float]]) -> dict[str, float]:
        """Of tables with the hop in front of each, and injectors (None) with their volts, joined by cables: how
        they stand when each takes what it takes."""
        watts = [0.0 if table is None else table.watts() for table, _ in along]
        volts = [self.source_v if table is not None else value for table, value in along]
        for _ in range(MOST_STEPS):
            amps = [taken / max(at, 1.0) for taken, at in zip(watts, volts, strict=True)]
            new = self._solved(along, amps)
            settled = max(map(abs, map(sub, new, volts)), default=0.0) < ROW_CLOSE_V
            volts = new
            if settled:
                break
        return {
            table.label: table.supply_v
            if table.supply_v is not None
            else at - table.stub_ohm * taken / max(at, 1.0)
            for (table, _), taken, at in zip(along, watts, volts, strict=True)
            if table is not None
        }

    def _solved(self, along: list[tuple[Table | None, float]], amps: list[float]) -> list[float]:
        """The volts of a line of resistors with these currents taken from it: elimination from the left, then
        back."""
        ohms = [self.wiring.hop_ohm if table is None else ohm for table, ohm in along]
        slope, offset = [0.0] * len(along), [0.0] * len(along)  # volts[at] = slope * volts[at + 1] + offset
        for at, (table, value) in enumerate(along):
            if table is None:
                offset[at] = value
                continue
            left = 0.0 if at == 0 else 1 / ohms[at]
            right = 0.0 if at + 1 == len(along) else 1 / ohms[at + 1]
            kept = left + right - (left * slope[at - 1] if at else 0.0)
            slope[at] = right / kept
            offset[at] = ((left * offset[at - 1] if at else 0.0) - amps[at]) / kept
        volts = [0.0] * len(along)
        for at in reversed(range(len(along))):
            behind = volts[at + 1] if at + 1 < len(along) else 0.0
            volts[at] = slope[at] * behind + offset[at]
        return volts

    def _ohm(self, label: str) -> float:
        usual = self.wiring.hop_ohm * self.spread.get(label, 1.0)
        return usual * (1 + ONE_WIRE * (label in self.broken_wires)) + self.extra_ohm.get(label, 0.0)


def drawn(power: SmallPower, panel: SmallPanel, tables: dict[str, Table], random: Random) -> None:
    """All parts as they may come from the drawer."""
    power.source_v = random.uniform(23.5, 24.5)
    panel.volts = random.uniform(23.5, 24.5)
    panel.gain = 1 + random.uniform(-0.011, 0.011)
    panel.leak_a = random.uniform(0, 0.002)
    for label, table in tables.items():
        power.spread[label] = random.uniform(0.9, 1.1)
        table.tolerances = draw(random)
        table.lamp_ma = [random.uniform(*limits) for limits in LAMPS_MA]
        table.display_ma = {side: random.uniform(0.8, 1.2) for side in SIDES}
        table.p50_ms += table.tolerances.turnaround_ms
        table.p99_ms += table.tolerances.turnaround_ms
        table.drift_us = round(60 * table.tolerances.crystal_ppm)
        table.temperature_c = random.randint(22, 34)
