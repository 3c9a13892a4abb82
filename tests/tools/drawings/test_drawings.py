"""The committed drawings say what the pin map says, read without KiCad."""

import csv
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tests.tools.test_pinmap import changed
from tools.drawings import node, panel
from tools.drawings.board import Plan, place
from tools.drawings.files import drawings
from tools.drawings.footprints import FOOTPRINTS
from tools.drawings.nets import DrawingError, Nets, compare, pads, read, same_joints
from tools.pinmap import checked, load

HARDWARE = ROOT / "hardware"
PINMAP = load(HARDWARE / "pinmap.toml")
SHEETS = {"panel": panel.sheet(PINMAP), "node": node.sheet(PINMAP)}


def sheet_file(name: str) -> Path:
    return HARDWARE / name / f"{name}.kicad_sch"


@pytest.fixture(scope="module", params=["panel", "node"])
def drawn(request: pytest.FixtureRequest) -> tuple[str, Nets]:
    return request.param, read(sheet_file(request.param))


def test_headers_and_connectors_carry_the_pin_maps_nets(drawn: tuple[str, Nets]) -> None:
    compare(*drawn, PINMAP)


def test_an_older_drawing_is_told() -> None:
    other = checked(changed("node", "sun_lamp", gpio=8, header=11))
    with pytest.raises(DrawingError) as error:
        compare("node", read(sheet_file("node")), other)
    assert str(error.value) == (
        "node: pin 11 of U1 is on U1.11, but the pin map says SUN_LAMP; run `make generate`, or mend "
        "hardware/pinmap.toml."
    )


def test_a_connector_that_the_pin_map_does_not_know_is_told() -> None:
    nets = read(sheet_file("node")) | {"SPARE_2": {("J99", "1")}}
    with pytest.raises(
        DrawingError, match=r"^node: connector J99 is drawn but not in the pin map; add it there\.$"
    ):
        compare("node", nets, PINMAP)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            '(global_label "SUN_LAMP"',
            '(global_label "MOON_LAMP"',
            "is on MOON_LAMP, but the pin map says SUN_LAMP",
        ),
        ("(wire", "(line", "but the pin map says"),
    ],
)
def test_a_spoilt_sheet_is_told(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    spoilt = tmp_path / "node.kicad_sch"
    spoilt.write_text(sheet_file("node").read_text().replace(old, new))
    with pytest.raises(DrawingError, match=sentence):
        compare("node", read(spoilt), PINMAP)


def test_two_names_on_one_wire_are_told(tmp_path: Path) -> None:
    sheet = node.sheet(PINMAP)
    sheet.wire(sheet.parts["J3"].at("3"), sheet.parts["J3"].at("4"))
    file = tmp_path / "node.kicad_sch"
    file.write_text(sheet.file())
    with pytest.raises(DrawingError, match=r"^SPI_CLOCK and SPI_DATA are joined by a wire; take it away\.$"):
        read(file)


def test_a_file_that_is_cut_short_is_told(tmp_path: Path) -> None:
    file = tmp_path / "node.kicad_sch"
    file.write_text("(kicad_sch (wire")
    with pytest.raises(
        DrawingError, match=r"^node\.kicad_sch cannot be read as a drawing \(the file is cut short\)"
    ):
        read(file)
    with pytest.raises(DrawingError, match=r"^node\.kicad_sch cannot be read as a board"):
        pads(file)


def test_each_board_joins_what_its_sheet_joins(drawn: tuple[str, Nets]) -> None:
    name, nets = drawn
    same_joints(f"the {name}'s board", pads(HARDWARE / name / f"{name}.kicad_pcb"), nets)


@pytest.mark.parametrize("plan", [panel.PLAN, node.PLAN], ids=lambda plan: plan.name)
def test_each_part_has_its_place(plan: Plan) -> None:
    parts = SHEETS[plan.name].parts.values()
    assert {part.ref for part in parts if part.kind.footprint} == set(plan.places)


def test_a_board_with_other_joints_is_told() -> None:
    nets = read(sheet_file("node"))
    board = pads(HARDWARE / "node" / "node.kicad_pcb")
    board[("R19", "1")] = board[("R20", "1")]
    with pytest.raises(
        DrawingError, match=r"the node's board: .* joins .*, the sheet does not; run `make board`\."
    ):
        same_joints("the node's board", board, nets)
    fewer = {pin: net for pin, net in pads(HARDWARE / "node" / "node.kicad_pcb").items() if net != "SPARE"}
    with pytest.raises(
        DrawingError, match=r"the node's board has \d+ nets, the sheet \d+; run `make board`\."
    ):
        same_joints("the node's board", fewer, nets)


def test_a_part_is_drawn_once() -> None:
    sheet = node.sheet(PINMAP)
    part = sheet.parts["R1"]
    with pytest.raises(ValueError, match=r"^node: R1 is drawn twice; give one of them another number$"):
        sheet.put("R", "R1", part.kind, (0, 0))


@pytest.mark.parametrize("name", ["panel", "node"])
def test_each_part_has_a_footprint_with_its_pins(name: str) -> None:
    for ref, part in SHEETS[name].parts.items():
        if not part.symbol.power:
            soldered = {pad.number for pad in FOOTPRINTS[part.kind.footprint].pads if pad.number}
            assert soldered == set(part.symbol.by_number), ref


@pytest.mark.parametrize("name", ["panel", "node"])
def test_the_list_of_parts_is_complete(name: str) -> None:
    rows = list(csv.DictReader(drawings(PINMAP)[f"hardware/{name}/parts.csv"].splitlines()))
    listed = [ref for row in rows for ref in row["references"].split()]
    assert len(set(listed)) == len(listed) == sum(int(row["count"]) for row in rows)
    bought = {
        ref
        for ref, part in SHEETS[name].parts.items()
        if part.symbol.prefix not in {"#PWR", "#FLG", "H", "TP"}
    }
    assert set(listed) == bought


@pytest.mark.parametrize("plan", [panel.PLAN, node.PLAN], ids=lambda plan: plan.name)
def test_no_two_parts_of_a_board_overlap(plan: Plan) -> None:
    boxes = [(item.part.ref, item.box(item.footprint.courtyard)) for item in place(SHEETS[plan.name], plan)]
    both = [
        (one, other)
        for index, (one, a) in enumerate(boxes)
        for other, b in boxes[index + 1 :]
        if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
    ]
    assert both == []


@pytest.mark.parametrize("name", ["panel", "node"])
def test_each_sheet_says_that_it_was_never_built(name: str) -> None:
    assert (
        "State: paper. Drawn and checked by programs, never built or measured."
        in sheet_file(name).read_text()
    )
