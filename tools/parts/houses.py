"""Files for board houses that also place the surface parts: list of parts and placement in their columns.

Parts with wires are left to whoever solders the rest. What a house calls 0 degrees is said by where pin 1
lies then; the angle to add follows from our footprint's pin 1. Look at the house's preview before you order:
no board was ordered yet.
"""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.drawings.board import CORNER, Placed
from tools.drawings.footprints import Footprint
from tools.drawings.schematic import Kind
from tools.parts.catalogue import Catalogue, PartsError, by_number

Row = tuple[str, ...]
TOP_LEFT = "top left"
_TURNS = (0, 90, 180, 270)
_NEAR = 0.01
"""Millimetres and degrees by which our placement may differ from KiCad's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Equal parts of a board."""

    kind: Kind
    refs: tuple[str, ...]
    maker: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """`zero`: where pin 1 lies at 0 degrees, for footprints where it is not TOP_LEFT, or left of two pins."""

    name: str
    list_columns: Row
    place_columns: Row
    list_row: Callable[[int, Line], Row]
    place_row: Callable[[Placed, float], Row]
    zero: dict[str, str]

    def turn(self, footprint: Footprint) -> int:
        """Degrees to the left that are added to ours."""
        wanted = self.zero.get(footprint.name, TOP_LEFT)
        for turn in _TURNS:
            if corner(footprint, turn) == wanted:
                return -turn % 360
        raise PartsError(
            f"{self.name} has pin 1 of {footprint.name} {wanted}; ours never comes to lie there."
        )

    def parts_file(self, lines: Sequence[Line]) -> str:
        return _csv(self.list_columns, (self.list_row(index, line) for index, line in enumerate(lines, 1)))

    def placement_file(self, placed: Sequence[Placed]) -> str:
        return _csv(
            self.place_columns,
            (self.place_row(item, (item.angle + self.turn(item.footprint)) % 360) for item in placed),
        )


def corner(footprint: Footprint, turn: int) -> str:
    """Where pin 1 lies, seen from above, when the footprint is turned so many degrees to the left."""
    x, y = next((pad.x, pad.y) for pad in footprint.pads if pad.number == "1")
    for _ in range(turn // 90):
        x, y = y, -x
    if len({pad.number for pad in footprint.pads}) == 2:
        return "" if abs(x) < abs(y) else "top left" if x < 0 else "right"
    return f"{'top' if y < 0 else 'bottom'} {'left' if x < 0 else 'right'}"


def surface(placed: Sequence[Placed]) -> list[Placed]:
    """What a machine places, in the order of the references."""
    found = [item for item in placed if item.footprint.surface and item.footprint.bought]
    return sorted(found, key=lambda item: by_number(item.part.ref))


def lines(placed: Sequence[Placed], catalogue: Catalogue) -> list[Line]:
    """One for each order code."""
    found: dict[Kind, list[str]] = {}
    for item in placed:
        found.setdefault(item.part.kind, []).append(item.part.ref)
    return [
        Line(kind=kind, refs=tuple(refs), maker=order.maker, code=order.code)
        for kind, refs in found.items()
        if (order := catalogue.order(kind))
    ]


def middle(item: Placed) -> tuple[float, float]:
    """As KiCad's placement file and the Gerber files count: from the page's corner, y upwards."""
    return round(CORNER + item.x, 4), round(-(CORNER + item.y), 4)


def write(out: Path, name: str, placed: Sequence[Placed], catalogue: Catalogue) -> list[Path]:
    """`out`/NAME-HOUSE-parts.csv and -placement.csv for each house; says which."""
    machine = surface(placed)
    made = []
    for house in HOUSES:
        for what, text in (
            ("parts", house.parts_file(lines(machine, catalogue))),
            ("placement", house.placement_file(machine)),
        ):
            path = out / f"{name}-{house.name.lower()}-{what}.csv"
            path.write_text(text, encoding="utf-8")
            made.append(path)
    return made


def differences(placed: Sequence[Placed], positions: str) -> list[str]:
    """Where KiCad's own placement file (CSV, mm) says something else about a surface part."""
    said = {row["Ref"]: row for row in csv.DictReader(io.StringIO(positions))}
    found = []
    for item in surface(placed):
        row = said.get(item.part.ref)
        if row is None:
            found.append(f"{item.part.ref} is missing in KiCad's placement")
            continue
        theirs = float(row["PosX"]), float(row["PosY"]), float(row["Rot"]) % 360
        ours = (*middle(item), item.angle % 360)
        if any(abs(one - other) > _NEAR for one, other in zip(ours, theirs, strict=True)):
            found.append(f"{item.part.ref} is at {theirs} for KiCad, at {ours} for us")
    return found


def _csv(head: Row, rows: Iterable[Row]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()


def _jlc_part(_: int, line: Line) -> Row:
    return line.code, ",".join(line.refs), line.kind.footprint, ""


def _jlc_place(item: Placed, angle: float) -> Row:
    x, y = middle(item)
    return item.part.ref, f"{x:.3f}mm", f"{y:.3f}mm", "Top", f"{angle:g}"


def _pcbway_part(index: int, line: Line) -> Row:
    return (
        str(index), ",".join(line.refs), str(len(line.refs)), line.maker, line.code,
        line.kind.description, line.kind.footprint, "SMD", "",
    )  # fmt: skip


def _pcbway_place(item: Placed, angle: float) -> Row:
    x, y = middle(item)
    return (
        item.part.ref,
        item.footprint.name,
        f"{x:.3f}",
        f"{y:.3f}",
        "Top",
        f"{angle:g}",
        item.part.kind.value,
    )


_BR, _BL = "bottom right", "bottom left"
JLC = House(
    name="JLC",
    list_columns=("Comment", "Designator", "Footprint", "JLCPCB Part #"),
    place_columns=("Designator", "Mid X", "Mid Y", "Layer", "Rotation"),
    list_row=_jlc_part,
    place_row=_jlc_place,
    # The last letters of that house's own footprint names, as in SOT-23-5_L3.0-W1.7-P0.95-LS2.8-BR.
    zero={
        "SOT-23": _BR, "SOT-23-5": _BR, "SOT-223": _BR, "SOIC-8": _BL, "VSSOP-10": _BL, "SM8": _BL,
        "SSOP-8": _BL, "VSSOP-8": _BL,
    },
)  # fmt: skip
PCBWAY = House(
    name="PCBWay",
    list_columns=(
        "Item #", "Designator", "Qty", "Manufacturer", "Mfg Part #", "Description / Value",
        "Package/Footprint", "Type", "Your Instructions / Notes",
    ),
    place_columns=("Designator", "Footprint", "Mid X", "Mid Y", "Layer", "Rotation", "Comment"),
    list_row=_pcbway_part,
    place_row=_pcbway_place,
    zero={},
)  # fmt: skip
HOUSES = (JLC, PCBWAY)
