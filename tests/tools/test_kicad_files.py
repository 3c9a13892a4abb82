"""KiCad's files are read as KiCad reads them; boards and sheets of this folder agree."""

import csv
from itertools import combinations
from pathlib import Path

import pytest

from tools.kicad_files import (
    BOARDS,
    HARDWARE,
    Board,
    Box,
    DrawingError,
    Placed,
    Text,
    board,
    child,
    children,
    dump,
    file,
    footprint,
    joined,
    opened,
    parse,
    pin_places,
    same_joints,
    sheet_parts,
)

each = pytest.mark.parametrize("name", BOARDS)


def test_what_is_written_reads_the_same() -> None:
    node = ["a", Text('say "x"\n\\'), ["b", "1.5", ["c", Text("")]], ["b", "2"], ["long", *["word"] * 40]]
    assert parse(dump(node)) == node


def test_lists_are_found_by_their_name() -> None:
    node = parse("(a (b 1) (c 2) (b 3))")
    assert [item[1] for item in children(node, "b")] == ["1", "3"]
    assert child(node, "c") == ["c", "2"]
    with pytest.raises(KeyError):
        child(node, "d")


@pytest.mark.parametrize("text", ["(a (b)", "(a))", ""])
def test_a_file_that_does_not_close_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"cut short|never opened"):
        parse(text)


def test_a_file_that_is_none_of_kicads_is_told(tmp_path: Path) -> None:
    path = tmp_path / "node.kicad_sch"
    path.write_text("(kicad_sch (wire")
    with pytest.raises(
        DrawingError, match=r"^node\.kicad_sch cannot be read as a drawing \(the file is cut short\)"
    ):
        opened(path)
    path.write_text("(kicad_pcb)")
    with pytest.raises(DrawingError, match=r"has no outline on Edge\.Cuts; draw it\.$"):
        board(path)


def test_two_names_on_one_wire_are_told() -> None:
    sheet = opened(file("node", "kicad_sch"))
    ends = {pin: (x / 10_000, y / 10_000) for (x, y), ref, pin, _ in pin_places(sheet) if ref == "J3"}
    sheet.append(["wire", ["pts", ["xy", *ends["3"]], ["xy", *ends["4"]]]])
    with pytest.raises(DrawingError, match=r"^SPI_CLOCK and SPI_DATA are joined by a wire; take it away\.$"):
        joined(sheet)


SYMBOL = """(kicad_sch (lib_symbols (symbol "x:A" (symbol "A_1_1" (pin input line (at 2 1 0) (name "~") (number "1")))))
    (symbol (lib_id "x:A") (at 10 20 {angle}) {mirror}
    (property "Reference" "U1") (property "Value" "v") (property "Footprint" "")))"""


@pytest.mark.parametrize(
    ("angle", "mirror", "place"),
    [
        (0, "", (12, 19)),
        (90, "", (9, 18)),
        (180, "", (8, 21)),
        (270, "", (11, 22)),
        (0, "(mirror x)", (12, 21)),
        (0, "(mirror y)", (8, 19)),
        (90, "(mirror y)", (11, 18)),
    ],
)
def test_a_pin_lies_where_kicad_draws_it(angle: int, mirror: str, place: tuple[int, int]) -> None:
    ((found, *_),) = pin_places(parse(SYMBOL.format(angle=angle, mirror=mirror)))
    assert found == (place[0] * 10_000, place[1] * 10_000)


def test_pads_and_outlines_of_a_footprint() -> None:
    text = """(footprint "lib:F" (at 5 5 90) (attr smd)
        (fp_rect (start -2 -1) (end 2 1) (layer "F.Fab"))
        (fp_line (start -3 -2) (end 3 -2) (layer "F.CrtYd")) (fp_line (start 3 -2) (end 3 2) (layer "F.CrtYd"))
        (fp_text user "x" (at 9 9) (layer "F.Fab"))
        (pad "2" smd rect (at 1 0 90) (size 3 1)) (pad "1" smd rect (at -1 0 180) (size 3 1)))"""
    read = footprint(parse(text))
    assert (read.name, read.body, read.courtyard) == ("F", (-2, -1, 2, 1), (-3, -2, 3, 2))
    assert [(pad.number, pad.wide, pad.high) for pad in read.pads] == [("1", 1, 3), ("2", 3, 1)]
    assert read.surface
    assert Placed("U1", "v", read, 10, 20, 90).at(1, 0) == (10, 19)


@each
def test_each_board_joins_what_its_sheet_joins(name: str) -> None:
    same_joints(
        f"the {name}'s board", board(file(name, "kicad_pcb")).pads, joined(opened(file(name, "kicad_sch")))
    )


def test_a_board_with_other_joints_is_told() -> None:
    nets, pads = joined(opened(file("node", "kicad_sch"))), board(file("node", "kicad_pcb")).pads
    moved = pads | {("R19", "1"): pads["R20", "1"]}
    with pytest.raises(DrawingError, match=r"the node's board: .* joins .*, the sheet does not; in KiCad: "):
        same_joints("the node's board", moved, nets)
    fewer = {pin: net for pin, net in pads.items() if net != "SPARE"}
    with pytest.raises(DrawingError, match=r"the node's board has \d+ nets, the sheet \d+; in KiCad: "):
        same_joints("the node's board", fewer, nets)


@each
def test_a_board_has_the_parts_of_its_sheet(name: str) -> None:
    placed = board(file(name, "kicad_pcb")).placed
    kinds = {ref: (part.kind.value, part.kind.footprint) for ref, part in sheet_parts(name).items()}
    holes = {ref for ref in placed if ref.startswith("H")}
    assert {
        ref: (item.value, item.footprint.name) for ref, item in placed.items() if ref not in holes
    } == kinds
    for ref, part in sheet_parts(name).items():
        assert {pad.number for pad in placed[ref].footprint.pads if pad.number} == set(part.pins), ref


@each
def test_the_list_of_parts_is_complete(name: str) -> None:
    rows = list(csv.DictReader((HARDWARE / name / "parts.csv").read_text(encoding="utf-8").splitlines()))
    listed = [ref for row in rows for ref in row["references"].split()]
    assert len(set(listed)) == len(listed) == sum(int(row["count"]) for row in rows)
    assert set(listed) == {ref for ref, part in sheet_parts(name).items() if part.bought}


def room(item: Placed) -> Box:
    (x1, y1), (x2, y2) = item.at(*item.footprint.courtyard[:2]), item.at(*item.footprint.courtyard[2:])
    return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)


def overlapping(layout: Board) -> list[tuple[str, str]]:
    boxes = [(ref, room(item)) for ref, item in layout.placed.items()]
    return [
        (one, other)
        for (one, a), (other, b) in combinations(boxes, 2)
        if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
    ]


@each
def test_no_two_parts_of_a_board_overlap(name: str) -> None:
    assert overlapping(board(file(name, "kicad_pcb"))) == []


@each
def test_each_sheet_says_that_it_was_never_built(name: str) -> None:
    sheet = file(name, "kicad_sch").read_text(encoding="utf-8")
    assert "State: paper. Drawn and checked by programs, never built or measured." in sheet


def test_a_ribbon_fits_the_panel_one_way_round() -> None:
    """A bare header takes it turned or shifted, and 5 V meets ground."""
    assert sheet_parts("panel")["J1"].kind.footprint == "Box_2x20"
