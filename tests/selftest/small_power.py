"""The 24 V of a small hall: rows fed as the power budget proposes, over cables of which some may be bad."""

from dataclasses import dataclass, field
from random import Random

from pi_controller.supply.zone import SupplyWiring, proposed, row_volts
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
    `broken_wires` of the labels' hops lack one wire of two. `spread` of the hops' resistances."""

    wiring: SupplyWiring = field(default_factory=lambda: SupplyWiring(watts=2.0))
    source_v: float = 24.0
    extra_ohm: dict[str, float] = field(default_factory=dict)
    broken_wires: set[str] = field(default_factory=set)
    spread: dict[str, float] = field(default_factory=dict)

    def volts(self, rows: dict[str, list[Table]]) -> dict[str, float]:
        """At each table, by its label."""
        found: dict[str, float] = {}
        for tables in filter(None, rows.values()):
            found |= self._along(tables)
        return found

    def _along(self, tables: list[Table]) -> dict[str, float]:
        zones = proposed(self.wiring, [len(tables)]).rows[0]
        watts = [table.watts() for table in tables]
        volts = row_volts(
            zones,
            source_v=[self.source_v] * len(zones),
            watts=watts,
            ohms=[self._ohm(table.label) for table in tables],
            back_ohm=self.wiring.hop_ohm,
        )
        return {
            table.label: table.supply_v
            if table.supply_v is not None
            else at - table.stub_ohm * taken / max(at, 1.0)
            for table, taken, at in zip(tables, watts, volts, strict=True)
        }

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
