"""Lists of parts and placement in the columns of JLC, a board house that also places the surface parts.

Parts with wires are left to whoever solders the rest. What the house calls 0 degrees is said by where pin 1
lies then; the angle to add follows from our footprint's pin 1. Look at the house's preview before you order:
no board was ordered yet. Another house takes parts.csv and KiCad's placement as they are.
"""

import csv
import io
from collections.abc import Iterable

from tools.kicad_files import Board, Footprint, Part
from tools.parts.catalogue import Catalogue, PartsError, by_number, kinds

Row = tuple[str, ...]
LIST = ("Comment", "Designator", "Footprint", "JLCPCB Part #")
PLACEMENT = ("Designator", "Mid X", "Mid Y", "Layer", "Rotation")
TOP_LEFT, _BR, _BL = "top left", "bottom right", "bottom left"
ZERO = {
    "SOT-23": _BR, "SOT-23-5": _BR, "SOT-223": _BR, "SOIC-8": _BL, "VSSOP-10": _BL, "SM8": _BL,
}  # fmt: skip
"""Where pin 1 lies at 0 degrees, where it is not TOP_LEFT or left of two pins: the last letters of the
house's own footprint names, as in SOT-23-5_L3.0-W1.7-P0.95-LS2.8-BR."""


def turn(footprint: Footprint) -> int:
    """Degrees to the left that are added to ours."""
    wanted = ZERO.get(footprint.name, TOP_LEFT)
    for degrees in (0, 90, 180, 270):
        if corner(footprint, degrees) == wanted:
            return -degrees % 360
    raise PartsError(f"JLC has pin 1 of {footprint.name} {wanted}; ours never comes to lie there.")


def corner(footprint: Footprint, degrees: int) -> str:
    """Where pin 1 lies, seen from above, when the footprint is turned so many degrees to the left."""
    x, y = next((pad.x, pad.y) for pad in footprint.pads if pad.number == "1")
    for _ in range(degrees // 90):
        x, y = y, -x
    if len({pad.number for pad in footprint.pads}) == 2:
        return "" if abs(x) < abs(y) else TOP_LEFT if x < 0 else "right"
    return f"{'top' if y < 0 else 'bottom'} {'left' if x < 0 else 'right'}"


def surface(board: Board) -> list[str]:
    """What a machine places."""
    found = [ref for ref, item in board.placed.items() if item.footprint.surface and item.footprint.bought]
    return sorted(found, key=by_number)


def parts_file(board: Board, parts: dict[str, Part], catalogue: Catalogue) -> str:
    """CSV with a line for each kind of surface part; PartsError for one without an order."""
    listed = kinds({ref: parts[ref] for ref in surface(board)})
    orders = [(kind, refs, catalogue.order(kind)) for kind, refs in listed.items()]
    return _csv(
        LIST, ((order.code, ",".join(refs), kind.footprint, order.jlc) for kind, refs, order in orders)
    )


def placement(board: Board, positions: str) -> str:
    """CSV with a line for each surface part. `positions`: KiCad's own placement as CSV in millimetres; raises
    PartsError for a part that it lacks."""
    said = {row["Ref"]: row for row in csv.DictReader(io.StringIO(positions))}
    rows = []
    for ref in surface(board):
        if (row := said.get(ref)) is None:
            raise PartsError(f"{board.name}: {ref} is missing in KiCad's placement; is it left out there?")
        angle = (float(row["Rot"]) + turn(board.placed[ref].footprint)) % 360
        x, y = float(row["PosX"]), float(row["PosY"])
        rows.append((ref, f"{x:.3f}mm", f"{y:.3f}mm", "Top", f"{angle:g}"))
    return _csv(PLACEMENT, rows)


def _csv(head: Row, rows: Iterable[Row]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()
