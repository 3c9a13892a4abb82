"""Both sheets join what hardware/netlist.toml says; an error that is planted in them is told."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tests.tools.test_pinmap import changed
from tools import netlist
from tools.kicad_files import DrawingError, file, joined, opened
from tools.pinmap import checked, load
from tools.planted import Planted, missing
from tools.planted import planted as errors_of

HARDWARE = ROOT / "hardware"
LISTED = netlist.load(HARDWARE / "netlist.toml")
WANTED = LISTED.boards
PINMAP = load(HARDWARE / "pinmap.toml")


@pytest.fixture(scope="module")
def sheets() -> dict[str, list]:
    """Both as nested lists; who spoils one takes a copy."""
    return {name: opened(file(name, "kicad_sch")) for name in WANTED}


def copied(node: list) -> list:
    return [copied(item) if isinstance(item, list) else item for item in node]


@pytest.mark.parametrize("board", WANTED)
def test_a_sheet_joins_what_a_person_listed(sheets: dict[str, list], board: str) -> None:
    netlist.fits(board, sheets[board], WANTED[board])


@pytest.mark.parametrize(
    ("board", "planted"),
    [
        pytest.param(board, planted, id=f"{board}: {planted.what}")
        for board, errors in errors_of(HARDWARE / "planted.toml").items()
        for planted in errors
    ],
)
def test_a_planted_error_is_told(sheets: dict[str, list], board: str, planted: Planted) -> None:
    sheet = copied(sheets[board])
    planted.spoil(sheet)
    with pytest.raises(DrawingError) as told:
        netlist.fits(board, sheet, WANTED[board])
    assert planted.says in str(told.value)
    assert str(told.value).endswith("mend one of them.")


def test_an_error_needs_a_part_that_is_there(sheets: dict[str, list]) -> None:
    with pytest.raises(KeyError, match="R999 is not on the sheet"):
        missing("R999")(sheets["node"])


SMALL = '[node.values]\n"1k" = ["R1"]\n[node.nets]\nA = ["R1", "J1.1"]\nB = ["R1", "J1.2"]\n[node.volts]\n[node.unused]\n'


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("[node.unused]\n", "", r"^netlist\.toml has no section \[node\.unused\]; put it back\.$"),
        ("[node.values]\n", "[node.values]\n2k = ['R1']\n", r"^netlist\.toml: R1 of the node has two values"),
        ('"J1.2"', '"J1.1"', r"^netlist\.toml: J1\.1 of the node is listed 2 times; it has 1 end\.$"),
        ('B = ["R1", "J1.2"]', "", r"^netlist\.toml: R1 of the node is listed once; it has 2 ends\.$"),
        ("B = ", "B : ", r"^netlist\.toml cannot be read \(.*\); mend it\.$"),
    ],
)
def test_a_wrong_list_is_told(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    file = tmp_path / "netlist.toml"
    file.write_text(SMALL)
    assert netlist.load(file).boards["node"].nets == {"A": ("J1.1", "R1"), "B": ("J1.2", "R1")}
    file.write_text(SMALL.replace(old, new))
    with pytest.raises(DrawingError, match=sentence):
        netlist.load(file)


def test_a_net_that_nobody_listed_is_told(sheets: dict[str, list]) -> None:
    wanted = WANTED["node"]
    fewer = replace(wanted, nets={name: pins for name, pins in wanted.nets.items() if name != "SPARE"})
    with pytest.raises(DrawingError) as told:
        netlist.fits("node", sheets["node"], fewer)
    assert "SPARE joins " in str(told.value)
    assert "but netlist.toml has no such net" in str(told.value)


@pytest.mark.parametrize("board", WANTED)
def test_each_connector_stands_on_the_footprint_of_its_kind(sheets: dict[str, list], board: str) -> None:
    netlist.connectors_fit(board, sheets[board], PINMAP, LISTED.connectors)


def test_a_connector_on_another_footprint_is_told(sheets: dict[str, list]) -> None:
    other = LISTED.connectors | {"RJ45 socket, unshielded": "RJ45_Upright"}
    with pytest.raises(DrawingError) as told:
        netlist.connectors_fit("node", sheets["node"], PINMAP, other)
    assert str(told.value) == (
        'node: J1 is a "RJ45 socket, unshielded" in the pin map, which needs RJ45_Upright, but stands on RJ45; '
        "mend one of them."
    )
    with pytest.raises(DrawingError, match="does not know; add it there with its footprint"):
        netlist.connectors_fit("node", sheets["node"], PINMAP, {})


@pytest.mark.parametrize("board", WANTED)
def test_headers_and_connectors_carry_the_pin_maps_nets(sheets: dict[str, list], board: str) -> None:
    netlist.compare(board, joined(sheets[board]), PINMAP)


def test_an_older_drawing_is_told(sheets: dict[str, list]) -> None:
    other = checked(changed("node", "sun_lamp", gpio=8, header=11))
    with pytest.raises(DrawingError) as error:
        netlist.compare("node", joined(sheets["node"]), other)
    assert str(error.value) == (
        "node: pin 11 of U1 is on U1.11, but the pin map says SUN_LAMP; mend one of them."
    )


def test_a_connector_that_the_pin_map_does_not_know_is_told(sheets: dict[str, list]) -> None:
    nets = joined(sheets["node"]) | {"SPARE_2": {("J99", "1")}}
    with pytest.raises(
        DrawingError, match=r"^node: connector J99 is drawn but not in the pin map; add it there\.$"
    ):
        netlist.compare("node", nets, PINMAP)
