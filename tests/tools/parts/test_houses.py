"""Columns, places and angles of the board house's files."""

import csv
import io
from dataclasses import replace

import pytest

from tests.architecture.sources import ROOT
from tools.kicad_files import BOARDS as NAMES
from tools.kicad_files import Board, Footprint, board, file, sheet_parts
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
def test_angles_follow_from_pin_1(footprint: Footprint) -> None:
    assert houses.turn(footprint) == PUBLISHED.get(footprint.name, 0)


def test_a_footprint_with_pin_1_elsewhere_gets_another_angle() -> None:
    """The angle is no constant of the name."""
    chip = FOOTPRINTS["SOIC-8"]
    turned = replace(chip, pads=tuple(replace(pad, x=pad.y, y=-pad.x) for pad in chip.pads))
    assert houses.corner(turned, 0) == "bottom left"
    assert houses.turn(turned) == 0


def test_flat_parts_lie_round_their_origin() -> None:
    """The house puts the middle of its part there."""
    middles = {f.name: ((f.body[0] + f.body[2]) / 2, (f.body[1] + f.body[3]) / 2) for f in FLAT}
    assert {name: at for name, at in middles.items() if at != (0, 0)} == {}


def positions(layout: Board, *without: str, **angles: float) -> str:
    """As KiCad writes them: from the page's corner, 50 mm off the board's, y upwards."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(("Ref", "Val", "Package", "PosX", "PosY", "Rot", "Side"))
    for ref, item in layout.placed.items():
        if ref not in without:
            writer.writerow((ref, "", "", 50 + item.x, -50 - item.y, angles.get(ref, item.angle), "top"))
    return out.getvalue()


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.parametrize("name", BOARDS)
def test_the_files_of_a_board(name: str) -> None:
    layout = BOARDS[name]
    parts = rows(houses.parts_file(layout, sheet_parts(name), KNOWN))
    placed = rows(houses.placement(layout, positions(layout)))
    assert parts[0] == ["Comment", "Designator", "Footprint", "JLCPCB Part #"]
    assert placed[0] == ["Designator", "Mid X", "Mid Y", "Layer", "Rotation"]
    listed = [ref for row in parts[1:] for ref in row[1].split(",")]
    assert sorted(listed) == sorted(row[0] for row in placed[1:])
    assert [row[0] for row in placed[1:]] == sorted(listed, key=catalogue.by_number)
    assert set(listed) == {ref for ref, item in layout.placed.items() if item.footprint.surface}
    codes = {
        order.code: order.jlc for kind in catalogue.kinds(sheet_parts(name)) if (order := KNOWN.order(kind))
    }
    assert {code: number for code, *_, number in parts[1:]}.items() <= codes.items()


def test_a_turned_part_is_turned_on() -> None:
    node = BOARDS["node"]
    placed = {row[0]: row[1:] for row in rows(houses.placement(node, positions(node, Q3=270)))}
    q3 = node.placed["Q3"]
    assert placed["Q3"] == [f"{50 + q3.x:.3f}mm", f"{-50 - q3.y:.3f}mm", "Top", "90"]


def test_a_part_that_kicad_does_not_place_is_told() -> None:
    with pytest.raises(catalogue.PartsError, match=r"^node: R1 is missing in KiCad's placement"):
        houses.placement(BOARDS["node"], positions(BOARDS["node"], "R1"))
