from typing import Any

import pytest

from pi_controller.language.words import words
from pi_controller.supply.zone import AREA_MOHM, AWG_MOHM, SupplyFault, SupplyWiring, conductor_mohm


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"volts": 230}, "The voltage is 230 V; it must lie between 3 and 60 V."),
        ({"watts": 0}, "The power of a node is 0 W; it must lie between 0.01 and 20 W."),
        ({"watts": float("nan")}, "The power of a node is nan W; it must lie between 0.01 and 20 W."),
        ({"efficiency": 1.2}, "The converter's efficiency is 1.2; it must lie between 0.3 and 1."),
        ({"hop_m": -2}, "The distance from table to table is -2 m; it must lie between 0.1 and 50 m."),
        ({"conductors": 0}, "The number of conductors for each rail is 0; it must lie between 1 and 4."),
        (
            {"contact_mohm": -1},
            "The resistance of a contact is -1 mΩ; it must lie between 0 and 1000 mΩ.",
        ),
        ({"lead_m": 1e9}, "The length of the lead-in is 1e+09 m; it must lie between 0 and 200 m."),
        (
            {"gauge": "25"},
            "There is no cable of size '25' here: choose one of 22, 23, 24, 26, 28, 0.5mm2, 0.75mm2, 1mm2, 1.5mm2, 2.5mm2.",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SupplyFault) as told:
        SupplyWiring(**change)
    assert words(told.value.sentence) == sentence


def test_thicker_cable_resists_less() -> None:
    for table in (AWG_MOHM, AREA_MOHM):
        values = [conductor_mohm(size) for size in table]
        assert values == sorted(values, reverse=table is AREA_MOHM)


def test_the_values_of_one_hop() -> None:
    assert SupplyWiring().hop_ohm == pytest.approx(0.309)
    assert SupplyWiring(watts=1.0).node_w == pytest.approx(1.176, abs=0.001)
    assert SupplyWiring(lead_m=10).lead_ohm == pytest.approx(0.52)
