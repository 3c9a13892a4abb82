"""The pins of the sheets say what they are, so that KiCad's electrical rules have something to judge."""

import pytest

from tests.architecture.sources import ROOT
from tools.kicad_files import BOARDS, Part, file, opened, pin_places, sheet_parts
from tools.pinmap import load

PINMAP = load(ROOT / "hardware" / "pinmap.toml")
PARTS = [(f"{name} {ref}", part) for name in BOARDS for ref, part in sheet_parts(name).items()]
SUPPLIED = {"GND", "AGND", "VCC", "VS", "V+", "VIN", "IN", "VSYS"}
BARE = {"A", "K", "S", "E", "COM", "3V3", "5V", "R/C", "C"}
"""Ends of diodes, sources and emitters, the second of two supply pins, and where a capacitor belongs."""


def judged(name: str, part: Part) -> bool:
    """A chip, a transistor or the Pi's header."""
    return part.letters in {"U", "Q"} or name == "panel J1"


def test_no_pin_of_a_chip_is_merely_passive() -> None:
    pins = [(name, *pin) for name, part in PARTS if judged(name, part) for pin in part.pins.values()]
    assert [(at, name) for at, name, kind in pins if kind == "passive" and name not in BARE] == []


def test_each_supply_pin_needs_a_source() -> None:
    pins = [(at, *pin) for at, part in PARTS if part.letters == "U" for pin in part.pins.values()]
    assert [(at, name) for at, name, kind in pins if name in SUPPLIED and kind != "power_in"] == []


@pytest.mark.parametrize(
    ("board", "ref", "table"), [("node", "U1", ("node",)), ("panel", "J1", ("pins", "display"))]
)
def test_the_pins_of_the_processors_have_the_pin_maps_directions(
    board: str, ref: str, table: tuple[str, ...]
) -> None:
    pins = sheet_parts(board)[ref].pins
    for row in (row for section in table for row in PINMAP.table[section].values()):
        assert pins[str(row["header"])][1] == {"in": "input", "out": "output"}[row["direction"]]


@pytest.mark.parametrize("name", BOARDS)
def test_nothing_says_that_power_comes_in_where_a_part_brings_it(name: str) -> None:
    """A flag on a net with a source would hide that the source was taken away."""
    parts = sheet_parts(name)
    places = pin_places(opened(file(name, "kicad_sch")))
    flagged = {place for place, ref, *_ in places if ref.startswith("#FLG")}
    sources = {
        place
        for place, ref, number, _ in places
        if ref in parts and parts[ref].pins[number][1] == "power_out"
    }
    assert flagged
    assert flagged & sources == set()
