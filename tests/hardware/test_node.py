"""What the table node's sheet is for: loop and currents."""

import re
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tools import netlist
from tools.kicad_files import file, joined, opened, sheet_parts

HARDWARE = ROOT / "hardware"
PARTS = sheet_parts("node")
NETS = joined(opened(file("node", "kicad_sch")))
PREFIX = {"": 1.0, "k": 1e3, "M": 1e6}


def ohm(ref: str) -> float:
    """Of a value such as 47k, 2R2 or 47 0.5W."""
    number, prefix = re.match(r"([\d.]+)([kM]?)", PARTS[ref].kind.value.replace("R", ".")).groups()  # type: ignore[union-attr]
    return float(number) * PREFIX[prefix]


def terminator_ohm() -> float:
    """R2's, between the loop and 0 V."""
    text = Path(HARDWARE / "wiring" / "terminator.yml").read_text(encoding="utf-8")
    return float(re.findall(r"resistor ([\d.]+) kOhm", text)[0]) * 1e3


@pytest.mark.parametrize(("nodes", "shift_v"), [(1, 0.0), (32, 0.0), (32, 0.4)])
def test_a_closed_loop_reads_low_on_each_of_the_boards(nodes: int, shift_v: float) -> None:
    """RP2040: low below 0.8 V, 1 µA of leakage at most; 3.3 V on all boards, resistors at their worst by 1 %."""
    series, up = ohm("R32") * 1.01, ohm("R33") * 0.99
    wire = shift_v + nodes * 3.3 / (series + up) * terminator_ohm() * 1.05
    pin = (wire * up + 3.3 * series) / (series + up) + 1e-6 * series * up / (series + up)
    assert pin < 0.8


def test_an_open_loop_reads_high() -> None:
    assert 3.3 - 1e-6 * ohm("R33") * 1.01 > 2.0


def test_24_volts_on_the_spare_wire_harm_no_pin() -> None:
    """Through the pin's own diode to 3.3 V; a tenth of what its output may drive."""
    assert (24 - 3.6) / ohm("R32") < 1e-3


def test_a_surge_on_the_cable_drives_little_into_the_pin_that_measures_it() -> None:
    """GP26 then stands above what its data sheet allows, as netlist.toml says; R4 limits the current."""
    node = netlist.load(HARDWARE / "netlist.toml").boards["node"]
    surge = node.volts["24V_BUS"]
    assert surge * ohm("R5") / (ohm("R4") + ohm("R5")) == pytest.approx(node.volts["SUPPLY"], abs=0.01)
    assert (surge - 3.6) / ohm("R4") < 0.5e-3


def test_one_resistor_carries_all_lamps_and_one_all_displays() -> None:
    assert {("Q3", "2"), ("Q4", "2"), ("Q5", "2"), ("Q6", "2"), ("R29", "1")} <= NETS["LAMP_SENSE"]
    assert ("R29", "2") in NETS["GND"]
    assert {("R31", "1"), ("U5", "3"), ("U4", "2")} <= NETS["3V3_LDO"]
    assert {("R31", "2"), ("U5", "4"), ("J3", "2"), ("J4", "2")} <= NETS["3V3_DISPLAY"]


def test_what_the_converter_reads_stays_below_its_reference() -> None:
    """Two lamps that are shorts; displays that take all that their regulator gives."""
    assert 2 * 5 / (ohm("R25") + 2 * ohm("R29")) * ohm("R29") < 3.3
    assert 1.0 * ohm("R31") * 20 < 3.3


def test_the_resistor_of_the_lamps_bears_a_lamp_that_is_a_short() -> None:
    amps = 5 / (ohm("R25") + ohm("R29"))
    assert amps**2 * ohm("R29") < 0.5
    assert amps**2 * ohm("R25") < 0.5
