"""Harnesses fit the boards: pins, colours, and that all of them were drawn."""

import hashlib
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.hardware import harnesses
from tools import bom
from tools.parts.catalogue import load

PINMAP = tomllib.loads((harnesses.WIRING.parent / "pinmap.toml").read_text(encoding="utf-8"))
CONNECTORS: dict[str, dict[str, Any]] = {
    f"{board}_{ref}": one for board, all_ in PINMAP["connectors"].items() for ref, one in all_.items()
}
BARE = {"panel_J2", "node_J9", "node_J10"}
"""Connectors without a harness of their own: supplies go in by ferrules, straps are jumpers."""
each = pytest.mark.parametrize("path", harnesses.SOURCES, ids=lambda path: path.stem)


@each
def test_every_pin_and_wire_exists(path: Path) -> None:
    harness = harnesses.read(path)
    for joint in harnesses.joints(harness):
        for name, pin in filter(None, joint.ends):
            connector = harness["connectors"][name]
            count = connector.get("pincount") or len(connector["pinlabels"])
            assert 1 <= pin <= count, f"{name} has no pin {pin}"
    for group in harness["connections"]:
        counts = {len(harnesses.numbers(pins)) for step in group for pins in step.values()}
        assert len(counts) == 1, f"{group} joins lists of different length"


@each
def test_every_wire_of_a_cable_is_used_once(path: Path) -> None:
    harness = harnesses.read(path)
    used: dict[str, list[int]] = {name: [] for name in harness["cables"]}
    for group in harness["connections"]:
        for step in group:
            for name, pins in step.items():
                if name in used:
                    used[name] += harnesses.numbers(pins)
    for name, cable in harness["cables"].items():
        assert sorted(used[name]) == list(range(1, len(cable["colors"]) + 1)), name


@each
def test_connectors_have_the_pins_of_the_boards(path: Path) -> None:
    harness = harnesses.read(path)
    for name, template in harnesses.board_connectors(path).items():
        wires = CONNECTORS[template]["wires"]
        assert harness["connectors"][name]["pinlabels"] == [wire["label"] for wire in wires]


@pytest.mark.parametrize(
    "path", [one for one in harnesses.SOURCES if one.stem != "injector"], ids=lambda path: path.stem
)
def test_wires_have_the_colours_of_the_boards(path: Path) -> None:
    """All but the injector's: its fused wires are thicker and red and black."""
    boards = harnesses.board_connectors(path)
    for joint in harnesses.joints(harnesses.read(path)):
        for name, pin in filter(None, joint.ends):
            if name in boards:
                assert joint.colour == CONNECTORS[boards[name]]["wires"][pin - 1]["colour"], (name, pin)


def nets(stem: str) -> list[tuple[str, ...]]:
    """The nets at both ends of each conductor that joins two boards."""
    path = harnesses.WIRING / f"{stem}.yml"
    boards = harnesses.board_connectors(path)
    found = []
    for joint in harnesses.joints(harnesses.read(path)):
        ends = [end for end in joint.ends if end is not None and end[0] in boards]
        found.append(tuple(CONNECTORS[boards[name]]["wires"][pin - 1]["net"] for name, pin in ends))
    return found


def test_a_table_cable_joins_like_with_like() -> None:
    assert len(nets("table_cable")) == 8
    assert all(here == there for here, there in nets("table_cable"))


def test_a_zone_cable_leaves_24_volts_open_and_nothing_else() -> None:
    """Two tails that end in the same poles, and a cable between that no RJ45 plug can replace."""
    path = harnesses.WIRING / "zone_cable.yml"
    boards = harnesses.board_connectors(path)
    poles: dict[str, set[tuple[int, str]]] = {"M1": set(), "M2": set()}
    straight = 0
    for joint in harnesses.joints(harnesses.read(path)):
        ends = dict(filter(None, joint.ends))
        if ends.keys() == poles.keys():
            assert ends["M1"] == ends["M2"]
            straight += 1
            continue
        (board,) = ends.keys() & boards.keys()
        (tail,) = ends.keys() & poles.keys()
        poles[tail].add((ends[tail], CONNECTORS[boards[board]]["wires"][ends[board] - 1]["net"]))
    assert poles["M1"] == poles["M2"] == {(1, "BUS_A"), (2, "BUS_B"), (3, "GND"), (4, "SPARE")}
    assert straight == 4


def test_a_head_cable_brings_no_24_volts_to_the_adapter() -> None:
    """Each data wire passes a resettable fuse, behind which a suppressor stands to GND."""
    reached = sorted(net for found in nets("head_cable") for net in found)
    assert reached == ["BUS_A", "BUS_B", "GND", "GND", "GND"]
    path = harnesses.WIRING / "head_cable.yml"
    wires = {frozenset(filter(None, wire.ends)) for wire in harnesses.joints(harnesses.read(path))}
    at = {wire["net"]: pin for pin, wire in enumerate(CONNECTORS["node_J1"]["wires"], 1)}
    for fuse, diode, pin, net in (("F1", "D1", 1, "BUS_A"), ("F2", "D2", 2, "BUS_B")):
        assert frozenset({("X2", at[net]), (fuse, 1)}) in wires
        assert frozenset({(fuse, 2), ("X1", pin)}) in wires
        assert frozenset({("X1", pin), (diode, 1)}) in wires
        assert frozenset({(diode, 2), ("X1", 3)}) in wires


def test_the_terminator_ends_the_bus_and_closes_the_loop() -> None:
    """R1 between A and B, R2 between the loop and 0 V."""
    wires = CONNECTORS["node_J2"]["wires"]
    found: dict[str, set[str]] = {}
    for joint in harnesses.joints(harnesses.read(harnesses.WIRING / "terminator.yml")):
        ends = dict(filter(None, joint.ends))
        (resistor,) = ends.keys() - {"X1"}
        found.setdefault(resistor, set()).add(wires[ends["X1"] - 1]["net"])
    assert found == {"R1": {"BUS_A", "BUS_B"}, "R2": {"SPARE", "GND"}}


def test_every_connector_of_the_boards_has_a_harness() -> None:
    reached = {
        template for path in harnesses.SOURCES for template in harnesses.board_connectors(path).values()
    }
    assert set(CONNECTORS) - reached == BARE


def test_the_pictures_are_those_of_the_sources() -> None:
    drawn = (harnesses.WIRING / "drawn" / "sums.txt").read_text(encoding="utf-8").split()
    sums = dict(zip(drawn[1::2], drawn[::2], strict=True))
    now = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in harnesses.WIRING.glob("*.yml")
    }
    assert sums == now, "run `make harness`"
    made = {path.name for path in (harnesses.WIRING / "drawn").iterdir()}
    wanted = {f"{path.stem}{end}" for path in harnesses.SOURCES for end in (".svg", ".png", ".bom.tsv")}
    assert made == wanted | {"sums.txt"}


@each
def test_the_state_is_said(path: Path) -> None:
    assert harnesses.read(path)["metadata"]["title"].endswith("State: paper")


def resistance(words: str) -> float:
    """Of a part named as in bom.csv, such as `resistor 2.2 kOhm, 0.5 W`; a zener diode has its volts."""
    value, unit = re.search(r"([\d.]+) (kOhm|Ohm|V)\b", words).groups()  # type: ignore[union-attr]
    return float(value) * {"kOhm": 1000, "Ohm": 1, "V": 1}[unit]


def bias() -> tuple[dict[str, Any], set[frozenset[tuple[str, int]]]]:
    """Its connectors, and the two ends of every wire."""
    harness = harnesses.read(harnesses.WIRING / "bias.yml")
    return harness["connectors"], {frozenset(filter(None, wire.ends)) for wire in harnesses.joints(harness)}


def test_the_bias_has_the_parts_that_are_bought_and_reckoned_with() -> None:
    """C10 in parts.toml is what is bought, adapters.md computes with it, bias.yml says where each end goes."""
    drawn = {name: resistance(one["type"]) for name, one in bias()[0].items() if name[0] in "RD"}
    assert drawn == {"R1": 2200, "R2": 560, "R3": 560, "D1": 5.1}
    hardware = harnesses.WIRING.parent
    ordered = load(hardware.parent).items["C10"].code
    assert ordered.startswith("2.2 kOhm 0.5 W, 2 x 560 Ohm 1 % 2 W, zener diode 5.1 V 0.5 W")
    page = (hardware / "adapters.md").read_text(encoding="utf-8")
    for words in ("2.2 kΩ 0.5 W (R1)", "560 Ω 1 % 2 W (R2)", "560 Ω 1 % 2 W (R3)", "5.1 V, 0.5 W (D1)"):
        assert words in page
    (line,) = (
        item for item in bom.read((hardware / "bom.csv").read_text(encoding="utf-8")) if item.id == "C10"
    )
    assert "wiring/bias.yml" in line.note
    assert "wiring/README.md#bias" in (hardware / "assembly" / "injector.md").read_text(encoding="utf-8")


def test_the_bias_lifts_a_above_b() -> None:
    """From behind the fuse through R1 to D1's bar, from there through R2 to A; B through R3 to 0 V."""
    connectors, wires = bias()
    assert connectors["D1"]["pinlabels"] == ["A", "K (bar)"]
    at = {wire["net"]: pin for pin, wire in enumerate(CONNECTORS["node_J2"]["wires"], 1)}
    assert wires == {
        frozenset({("F1", 2), ("R1", 1)}),
        frozenset({("R1", 2), ("D1", 2)}),
        frozenset({("D1", 2), ("R2", 1)}),
        frozenset({("R2", 2), ("X2", at["BUS_A"])}),
        frozenset({("D1", 1), ("X2", at["GND"])}),
        frozenset({("R3", 1), ("X2", at["BUS_B"])}),
        frozenset({("R3", 2), ("X2", at["GND"] - 1)}),
    }
    assert CONNECTORS["node_J2"]["wires"][at["GND"] - 2]["net"] == "GND"
