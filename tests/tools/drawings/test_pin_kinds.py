"""The pins of the sheets say what they are, so that KiCad's electrical rules have something to judge."""

import pytest

from tests.architecture.sources import ROOT
from tools.drawings import node, panel
from tools.drawings.schematic import Part
from tools.pinmap import load

PINMAP = load(ROOT / "hardware" / "pinmap.toml")
SHEETS = {"panel": panel.sheet(PINMAP), "node": node.sheet(PINMAP)}
PARTS = [(f"{name} {ref}", part) for name, sheet in SHEETS.items() for ref, part in sheet.parts.items()]
SUPPLIED = {"GND", "AGND", "VCC", "VS", "V+", "VIN", "IN", "VSYS"}
BARE = {"A", "K", "S", "E", "COM", "3V3", "5V", "R/C", "C"}
"""Ends of diodes, sources and emitters, the second of two supply pins, and where a capacitor belongs."""


def judged(part: Part) -> bool:
    """A chip or a transistor."""
    return part.ref.startswith(("U", "Q")) or part.symbol.name == "Pi_header"


def test_no_pin_of_a_chip_is_merely_passive() -> None:
    pins = [(name, pin) for name, part in PARTS if judged(part) for pin in part.symbol.pins]
    assert [(name, pin.name) for name, pin in pins if pin.kind == "passive" and pin.name not in BARE] == []


def test_each_supply_pin_needs_a_source() -> None:
    pins = [(name, pin) for name, part in PARTS if part.ref.startswith("U") for pin in part.symbol.pins]
    assert [(name, pin.name) for name, pin in pins if pin.name in SUPPLIED and pin.kind != "power_in"] == []


@pytest.mark.parametrize(
    ("board", "ref", "table"), [("node", "U1", ("node",)), ("panel", "J1", ("pins", "display"))]
)
def test_the_pins_of_the_processors_have_the_pin_maps_directions(
    board: str, ref: str, table: tuple[str, ...]
) -> None:
    by_number = SHEETS[board].parts[ref].symbol.by_number
    for row in (row for section in table for row in PINMAP.table[section].values()):
        assert by_number[str(row["header"])].kind == {"in": "input", "out": "output"}[row["direction"]]


def test_nothing_says_that_power_comes_in_where_a_part_brings_it() -> None:
    """A flag on a net with a source would hide that the source was taken away."""
    for sheet in SHEETS.values():
        parts = sheet.parts.values()
        flagged = {(part.x, part.y) for part in parts if part.symbol.name == "PWR_FLAG"}
        sources = {
            part.at(number)
            for part in parts
            for number, pin in part.symbol.by_number.items()
            if pin.kind == "power_out" and part.symbol.name != "PWR_FLAG"
        }
        assert flagged
        assert flagged & sources == set()
