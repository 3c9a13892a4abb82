"""Parts behind a suppressor bear what it lets through."""

from dataclasses import replace

import pytest

from tests.architecture.sources import ROOT
from tools import netlist
from tools.kicad_files import DrawingError

LISTED = netlist.load(ROOT / "hardware" / "netlist.toml")


def test_no_part_carries_more_than_it_bears() -> None:
    netlist.bear(LISTED)


@pytest.mark.parametrize(
    ("value", "bears", "sentence"),
    [
        ("SS16", 40, "node: D3.2 A (SS16) bears 40 V, but 24V_FUSED can carry 45.4 V; fit a part for more."),
        ("2u2", 50, None),
        ("2u2", 35, "node: C11 (2u2) bears 35 V, but 24V_ON can carry 45.4 V; fit a part for more."),
        (
            "TSR 1-4850WI IN",
            36,
            "node: U2.1 IN (TSR 1-4850WI) bears 36 V, but 24V_FILTERED can carry 45.4 V; fit a",
        ),
        (
            "INA226 VBUS",
            36,
            "panel: U3.8 VBUS (INA226) bears 36 V, but VBUS can carry 38.9 V; fit a part for more.",
        ),
    ],
)
def test_a_part_for_less_is_told(value: str, bears: float, sentence: str | None) -> None:
    other = replace(LISTED, ratings=LISTED.ratings | {value: bears})
    if sentence is None:
        netlist.bear(other)
        return
    with pytest.raises(DrawingError) as told:
        netlist.bear(other)
    assert str(told.value).startswith(sentence)


def test_another_suppressor_is_told() -> None:
    panel = LISTED.boards["panel"]
    volts = {net: 45.4 if most == 38.9 else most for net, most in panel.volts.items()}
    other = replace(LISTED, boards={"panel": replace(panel, volts=volts)})
    with pytest.raises(DrawingError, match=r"\(SMAJ24A\) bears 38\.9 V|\(12V\) bears 38\.9 V"):
        netlist.bear(other)


@pytest.mark.parametrize(
    ("volts", "sentence"),
    [
        ({"others": 3.6, "24V_OUT": 24.0}, "[node.volts] names 24V_OUT, which is no net; mend its name."),
        ({"GND": 0.0}, '[node.volts] needs "others" for nets that it does not name.'),
    ],
)
def test_a_wrong_list_of_volts_is_told(volts: dict[str, float], sentence: str) -> None:
    other = replace(LISTED, boards={"node": replace(LISTED.boards["node"], volts=volts)})
    with pytest.raises(DrawingError) as told:
        netlist.bear(other)
    assert str(told.value) == f"netlist.toml: {sentence}"


def test_a_part_without_a_rating_is_told() -> None:
    fewer = {value: volts for value, volts in LISTED.ratings.items() if value != "AO3400A"}
    with pytest.raises(DrawingError, match=r"\[ratings\] has no volts for AO3400A \(Q\d of the node\)"):
        netlist.bear(replace(LISTED, ratings=fewer))
