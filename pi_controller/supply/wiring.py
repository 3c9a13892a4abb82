"""What a hall's tables are wired with."""

from dataclasses import dataclass

from pi_controller.supply.cables import conductor_mohm
from pi_controller.supply.fault import SupplyFault

MOST_NODES = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """SupplyFault when a value cannot be meant."""

    volts: float = 24.0
    watts: float = 1.0
    """One node's own need, behind its converter: 0.5 with 1.3-inch displays, 1.0 with 2.42-inch ones."""
    efficiency: float = 0.85
    """Of the node's converter."""
    gauge: str = "26"
    """Of the cable from table to table, see `cables`."""
    hop_m: float = 2.0
    conductors: int = 2
    """In parallel for each rail."""
    contact_mohm: float = 20.0
    """One mated contact; a hop has two in series, a plug at each end."""
    copper_clad_aluminium: bool = False
    lead_m: float = 0.0
    """From the supply to the injector."""
    lead_gauge: str = "0.75mm2"
    """One conductor for each rail."""

    def __post_init__(self) -> None:
        _within("voltage", self.volts, 3, 60, "V")
        _within("power of a node", self.watts, 0.01, 20, "W")
        _within("converter's efficiency", self.efficiency, 0.3, 1, "")
        _within("distance from table to table", self.hop_m, 0.1, 50, "m")
        _within("number of conductors for each rail", self.conductors, 1, 4, "")
        _within("resistance of a contact", self.contact_mohm, 0, 1000, "milliohm")
        _within("length of the lead-in", self.lead_m, 0, 200, "m")
        conductor_mohm(self.gauge)
        conductor_mohm(self.lead_gauge)

    @property
    def node_w(self) -> float:
        """What one node takes from the line."""
        return self.watts / self.efficiency

    @property
    def hop_ohm(self) -> float:
        """There and back."""
        cable = conductor_mohm(self.gauge, copper_clad_aluminium=self.copper_clad_aluminium) * self.hop_m
        return 2 * (cable + 2 * self.contact_mohm) / self.conductors / 1000

    @property
    def lead_ohm(self) -> float:
        """There and back."""
        return 2 * conductor_mohm(self.lead_gauge) * self.lead_m / 1000


def _within(what: str, value: float, least: float, most: float, unit: str) -> None:
    if not least <= value <= most:
        tail = f" {unit}" if unit else ""
        raise SupplyFault(f"The {what} is {value:g}{tail}; it must lie between {least:g} and {most:g}{tail}.")
