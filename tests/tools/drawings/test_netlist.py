"""Both sheets join what hardware/netlist.toml says; an error that is planted in them is told."""

import pickle
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tools.drawings import netlist
from tools.drawings.nets import DrawingError, opened
from tools.planted import PLANTED, Planted, missing

HARDWARE = ROOT / "hardware"
WANTED = netlist.load(HARDWARE / "netlist.toml")


@pytest.fixture(scope="module")
def sheets() -> dict[str, bytes]:
    """Both as nested lists, to be unpacked by who spoils them."""
    return {name: pickle.dumps(opened(HARDWARE / name / f"{name}.kicad_sch")) for name in WANTED}


@pytest.mark.parametrize("board", WANTED)
def test_a_sheet_joins_what_a_person_listed(sheets: dict[str, bytes], board: str) -> None:
    netlist.fits(board, pickle.loads(sheets[board]), WANTED[board])


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.what)
def test_a_planted_error_is_told(sheets: dict[str, bytes], planted: Planted) -> None:
    sheet = pickle.loads(sheets[planted.board])
    planted.spoil(sheet)
    with pytest.raises(DrawingError) as told:
        netlist.fits(planted.board, sheet, WANTED[planted.board])
    assert planted.says in str(told.value)
    assert str(told.value).endswith("mend one of them.")


def test_an_error_needs_a_part_that_is_there(sheets: dict[str, bytes]) -> None:
    with pytest.raises(KeyError, match="R999 is not on the sheet"):
        missing("R999")(pickle.loads(sheets["node"]))


SMALL = '[node.values]\n"1k" = ["R1"]\n[node.nets]\nA = ["R1", "J1.1"]\nB = ["R1", "J1.2"]\n[node.unused]\n'


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
    assert netlist.load(file)["node"].nets == {"A": ("J1.1", "R1"), "B": ("J1.2", "R1")}
    file.write_text(SMALL.replace(old, new))
    with pytest.raises(DrawingError, match=sentence):
        netlist.load(file)


def test_a_net_that_nobody_listed_is_told(sheets: dict[str, bytes]) -> None:
    wanted = WANTED["node"]
    fewer = netlist.Wanted(
        wanted.values, {name: pins for name, pins in wanted.nets.items() if name != "SPARE"}
    )
    with pytest.raises(DrawingError) as told:
        netlist.fits("node", pickle.loads(sheets["node"]), fewer)
    assert "SPARE joins " in str(told.value)
    assert "but netlist.toml has no such net" in str(told.value)
