"""What a row's supply is built of: volts, watts, lengths, and the conductors that can be bought."""

from dataclasses import dataclass

from pi_controller.sentence import SaidError, Sentence


class SupplyFault(SaidError):  # noqa: N818 - a finding, told to people
    """A wiring that cannot be meant; `sentence` says what to change."""


AWG_MOHM = {"22": 53.0, "23": 66.8, "24": 93.8, "26": 134.5, "28": 214.0}
"""24 and 26: stranded patch cable, which a row is made of. The others: solid copper of the nominal area."""

AREA_MOHM = {"0.5mm2": 39.0, "0.75mm2": 26.0, "1mm2": 19.5, "1.5mm2": 13.3, "2.5mm2": 7.98}
"""Flexible conductors, IEC 60228 class 5."""

ALUMINIUM = 1.5
"""Copper-clad aluminium against copper of the same gauge."""


def conductor_mohm(size: str, *, copper_clad_aluminium: bool = False) -> float:
    """Of an AWG number or an area such as `0.75mm2`. SupplyFault names the sizes there are."""
    found = {**AWG_MOHM, **AREA_MOHM}.get(size)
    if found is None:
        known = ", ".join([*AWG_MOHM, *AREA_MOHM])
        raise SupplyFault(Sentence("supply.no_such_cable", size=size, known=known))
    return found * (ALUMINIUM if copper_clad_aluminium else 1.0)


MOST_NODES = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """SupplyFault when a value cannot be meant."""

    volts: float = 24.0
    watts: float = 2.0
    """One node's greatest own need, behind its converter: 2.0 is planned for two 2.42-inch displays, 1.0 for
    smaller or shared ones, until one has been measured."""
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
        _within(Sentence("supply.voltage"), self.volts, 3, 60, "V")
        _within(Sentence("supply.power_of_a_node"), self.watts, 0.01, 20, "W")
        _within(Sentence("supply.efficiency"), self.efficiency, 0.3, 1, "")
        _within(Sentence("supply.distance"), self.hop_m, 0.1, 50, "m")
        _within(Sentence("supply.number_of_conductors"), self.conductors, 1, 4, "")
        _within(Sentence("supply.resistance_of_a_contact"), self.contact_mohm, 0, 1000, "mΩ")
        _within(Sentence("supply.length_of_the_lead_in"), self.lead_m, 0, 200, "m")
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


def _within(what: Sentence, value: float, least: float, most: float, unit: str) -> None:
    if least <= value <= most:
        return
    if unit:
        raise SupplyFault(
            Sentence("supply.out_of_range", what=what, value=value, least=least, most=most, unit=unit)
        )
    raise SupplyFault(Sentence("supply.number_out_of_range", what=what, value=value, least=least, most=most))
