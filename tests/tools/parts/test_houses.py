"""Columns, places and angles of the board houses' files."""

import csv
import io
from dataclasses import replace

import pytest

from tests.architecture.sources import ROOT
from tools.kicad_files import BOARDS as NAMES
from tools.kicad_files import Board, board, file, sheet_parts
from tools.parts import catalogue, houses

KNOWN = catalogue.load(ROOT)
BOARDS = {name: board(file(name, "kicad_pcb")) for name in NAMES}
FOOTPRINTS = {item.footprint.name: item.footprint for one in BOARDS.values() for item in one.placed.values()}
PUBLISHED = {
    "SOT-23": 180, "SOT-23-5": 180, "SOT-223": 180, "SOIC-8": 270, "VSSOP-10": 270, "SM8": 270,
}  # fmt: skip
"""Degrees that tables of other projects, made from orders at JLC, add to footprints with pin 1 at the top left."""
FLAT = [one for one in FOOTPRINTS.values() if one.surface]


@pytest.mark.parametrize("footprint", FLAT, ids=lambda footprint: footprint.name)
def test_angles_follow_from_pin_1(footprint: houses.Footprint) -> None:
    assert houses.JLC.turn(footprint) == PUBLISHED.get(footprint.name, 0)
    assert houses.PCBWAY.turn(footprint) == 0


def test_a_footprint_with_pin_1_elsewhere_gets_another_angle() -> None:
    """The angle is no constant of the name."""
    chip = FOOTPRINTS["SOIC-8"]
    turned = replace(chip, pads=tuple(replace(pad, x=pad.y, y=-pad.x) for pad in chip.pads))
    assert houses.corner(turned, 0) == "bottom left"
    assert (houses.JLC.turn(turned), houses.PCBWAY.turn(turned)) == (0, 90)


def test_flat_parts_lie_round_their_origin() -> None:
    """The house puts the middle of its part there."""
    middles = {f.name: ((f.body[0] + f.body[2]) / 2, (f.body[1] + f.body[3]) / 2) for f in FLAT}
    assert {name: at for name, at in middles.items() if at != (0, 0)} == {}


@pytest.mark.parametrize("name", BOARDS)
def test_the_files_of_a_board(name: str) -> None:
    made = houses.files(BOARDS[name], sheet_parts(name), KNOWN)
    rows = {file_name: list(csv.reader(io.StringIO(text))) for file_name, text in made.items()}
    parts, placed = rows[f"{name}-jlc-parts.csv"], rows[f"{name}-jlc-placement.csv"]
    assert parts[0] == ["Comment", "Designator", "Footprint", "JLCPCB Part #"]
    assert placed[0] == ["Designator", "Mid X", "Mid Y", "Layer", "Rotation"]
    listed = [ref for row in parts[1:] for ref in row[1].split(",")]
    assert sorted(listed) == sorted(row[0] for row in placed[1:])
    assert [row[0] for row in placed[1:]] == sorted(listed, key=catalogue.by_number)
    assert set(listed) == {ref for ref, item in BOARDS[name].placed.items() if item.footprint.surface}
    numbers = {number for *_, number in parts[1:] if number}
    assert numbers <= {order.jlc for order in (*KNOWN.parts.values(), *KNOWN.series.values())}
    other, theirs = rows[f"{name}-pcbway-parts.csv"], rows[f"{name}-pcbway-placement.csv"]
    assert other[0][:5] == ["Item #", "Designator", "Qty", "Manufacturer", "Mfg Part #"]
    assert theirs[0] == ["Designator", "Footprint", "Mid X", "Mid Y", "Layer", "Rotation", "Comment"]
    assert sum(int(row[2]) for row in other[1:]) == len(listed) == len(theirs) - 1


def test_a_turned_part_is_turned_on() -> None:
    q3 = BOARDS["node"].placed["Q3"]
    turned = replace(BOARDS["node"], placed={"Q3": replace(q3, angle=270.0)})
    (row,) = list(csv.reader(io.StringIO(houses.JLC.placement(turned))))[1:]
    assert row == ["Q3", f"{50 + q3.x:.3f}mm", f"{-50 - q3.y:.3f}mm", "Top", "90"]


def _positions(layout: Board, **changed: str) -> str:
    """As KiCad writes them."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(("Ref", "Val", "Package", "PosX", "PosY", "Rot", "Side"))
    for item in houses.surface(layout):
        x, y = houses.middle(layout, item)
        angle = changed.get(item.ref, item.angle)
        writer.writerow((item.ref, "", "", x, y, angle, "top"))
    return out.getvalue()


def test_kicads_own_placement_is_compared() -> None:
    placed = BOARDS["node"]
    assert houses.differences(placed, _positions(placed)) == []
    (told,) = houses.differences(placed, _positions(placed, U3="45"))
    assert told.startswith("U3 is at (")
    without = replace(placed, placed={ref: item for ref, item in placed.placed.items() if ref != "R1"})
    assert houses.differences(placed, _positions(without)) == ["R1 is missing in KiCad's placement"]
