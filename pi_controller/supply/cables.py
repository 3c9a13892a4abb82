"""Resistance of one conductor, in milliohm per metre at 20 °C, by the name of its size."""

from pi_controller.supply.fault import SupplyFault

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
        raise SupplyFault(f"There is no cable of size {size!r} here: choose one of {known}.")
    return found * (ALUMINIUM if copper_clad_aluminium else 1.0)
