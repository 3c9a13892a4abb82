"""Files for board houses that also place the surface parts: list of parts and placement in their columns.

Parts with wires are left to whoever solders the rest. What a house calls 0 degrees is said by where pin 1
lies then; the angle to add follows from our footprint's pin 1. Look at the house's preview before you order:
no board was ordered yet.
"""

import csv
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tools.kicad_files import Board, Footprint, Kind, Part, Placed
from tools.parts.catalogue import Catalogue, Order, PartsError, by_number, kinds

Row = tuple[str, ...]
TOP_LEFT = "top left"
_TURNS = (0, 90, 180, 270)
_NEAR = 0.01
"""Millimetres and degrees by which our placement may differ from KiCad's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """`list_row` gets a line's number, what it is, its references and the order. `place_row` gets a part,
    millimetres from the page's corner, y upwards, and degrees. `zero`: where pin 1 lies at 0 degrees, for
    footprints where it is not TOP_LEFT, or left of two pins."""

    name: str
    list_columns: Row
    place_columns: Row
    list_row: Callable[[int, Kind, list[str], Order], Row]
    place_row: Callable[[Placed, str, str, str], Row]
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

    def placement(self, board: Board) -> str:
        """CSV, a line for each surface part."""
        rows = []
        for item in surface(board):
            x, y = middle(board, item)
            angle = (item.angle + self.turn(item.footprint)) % 360
            rows.append(self.place_row(item, f"{x:.3f}", f"{y:.3f}", f"{angle:g}"))
        return _csv(self.place_columns, rows)


def corner(footprint: Footprint, turn: int) -> str:
    """Where pin 1 lies, seen from above, when the footprint is turned so many degrees to the left."""
    x, y = next((pad.x, pad.y) for pad in footprint.pads if pad.number == "1")
    for _ in range(turn // 90):
        x, y = y, -x
    if len({pad.number for pad in footprint.pads}) == 2:
        return "" if abs(x) < abs(y) else "top left" if x < 0 else "right"
    return f"{'top' if y < 0 else 'bottom'} {'left' if x < 0 else 'right'}"


def surface(board: Board) -> list[Placed]:
    """What a machine places, in the order of the references."""
    found = [item for item in board.placed.values() if item.footprint.surface and item.footprint.bought]
    return sorted(found, key=lambda item: by_number(item.ref))


def middle(board: Board, item: Placed) -> tuple[float, float]:
    """As KiCad's placement file and the Gerber files count: from the page's corner, y upwards."""
    return round(board.corner[0] + item.x, 4), round(-(board.corner[1] + item.y), 4)


def files(board: Board, parts: dict[str, Part], catalogue: Catalogue) -> dict[str, str]:
    """NAME-HOUSE-parts.csv and -placement.csv for each house: the surface parts, a line for each kind."""
    placed = {item.ref for item in surface(board)}
    listed = kinds({ref: part for ref, part in parts.items() if ref in placed})
    found = {}
    for house in HOUSES:
        rows = [
            house.list_row(number, kind, refs, catalogue.order(kind))
            for number, (kind, refs) in enumerate(listed.items(), 1)
        ]
        begin = f"{board.name}-{house.name.lower()}"
        found[f"{begin}-parts.csv"] = _csv(house.list_columns, rows)
        found[f"{begin}-placement.csv"] = house.placement(board)
    return found


def differences(board: Board, positions: str) -> list[str]:
    """Where KiCad's own placement file (CSV, mm) says something else about a surface part."""
    said = {row["Ref"]: row for row in csv.DictReader(io.StringIO(positions))}
    found = []
    for item in surface(board):
        row = said.get(item.ref)
        if row is None:
            found.append(f"{item.ref} is missing in KiCad's placement")
            continue
        theirs = float(row["PosX"]), float(row["PosY"]), float(row["Rot"]) % 360
        ours = (*middle(board, item), item.angle % 360)
        if any(abs(one - other) > _NEAR for one, other in zip(ours, theirs, strict=True)):
            found.append(f"{item.ref} is at {theirs} for KiCad, at {ours} for us")
    return found


def _csv(head: Row, rows: Iterable[Row]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()


_BR, _BL = "bottom right", "bottom left"
JLC = House(
    name="JLC",
    list_columns=("Comment", "Designator", "Footprint", "JLCPCB Part #"),
    place_columns=("Designator", "Mid X", "Mid Y", "Layer", "Rotation"),
    list_row=lambda _, kind, refs, order: (order.code, ",".join(refs), kind.footprint, order.jlc),
    place_row=lambda item, x, y, angle: (item.ref, f"{x}mm", f"{y}mm", "Top", angle),
    # The last letters of that house's own footprint names, as in SOT-23-5_L3.0-W1.7-P0.95-LS2.8-BR.
    zero={
        "SOT-23": _BR, "SOT-23-5": _BR, "SOT-223": _BR, "SOIC-8": _BL, "VSSOP-10": _BL, "SM8": _BL,
    },
)  # fmt: skip
PCBWAY = House(
    name="PCBWay",
    list_columns=(
        "Item #", "Designator", "Qty", "Manufacturer", "Mfg Part #", "Description / Value",
        "Package/Footprint", "Type", "Your Instructions / Notes",
    ),
    place_columns=("Designator", "Footprint", "Mid X", "Mid Y", "Layer", "Rotation", "Comment"),
    list_row=lambda number, kind, refs, order: (
        str(number), ",".join(refs), str(len(refs)), order.maker, order.code, kind.description,
        kind.footprint, "SMD", "",
    ),
    place_row=lambda item, x, y, angle: (item.ref, item.footprint.name, x, y, "Top", angle, item.value),
    zero={},
)  # fmt: skip
HOUSES = (JLC, PCBWAY)
