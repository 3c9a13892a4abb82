"""VRML models of our own footprints for KiCad's pictures, from the same bodies as the enclosures.

KiCad reads one unit of VRML as 2.54 mm.
"""

import re
from math import cos, pi, sin

from tools.boxes.bodies import Block, Bodies, Solid
from tools.drawings.footprints import FOOTPRINTS, MODELS, model
from tools.drawings.sexpr import dump, number

_UNIT = 2.54
_SIDES = 24
_COLOURS = {
    "Black": (0.1, 0.1, 0.1), "BurlyWood": (0.87, 0.72, 0.53), "DarkSlateGray": (0.17, 0.2, 0.22),
    "DimGray": (0.35, 0.35, 0.35), "ForestGreen": (0.13, 0.5, 0.2), "Gold": (0.85, 0.7, 0.2),
    "Green": (0.0, 0.4, 0.2), "Ivory": (0.95, 0.93, 0.85), "LightCyan": (0.8, 0.9, 0.95),
    "LightGreen": (0.5, 0.9, 0.5), "MidnightBlue": (0.1, 0.12, 0.35), "OliveDrab": (0.35, 0.4, 0.15),
    "Silver": (0.75, 0.75, 0.75), "Tan": (0.75, 0.62, 0.45), "White": (0.95, 0.95, 0.95),
}  # fmt: skip
"""Red, green and blue of the colours that parts on a board have."""


def models(bodies: Bodies) -> dict[str, str]:
    """Path below the repository and text of each footprint's model. Raises BodyError where there is none."""
    found = {name: bodies.mounted(footprint) for name, footprint in FOOTPRINTS.items()}
    return {f"hardware/library/{MODELS}/{name}.wrl": wrl(solids) for name, solids in found.items() if solids}


def with_models(board: str) -> str:
    """The text of a board as KiCad saved it, with a model for each footprint that had none."""
    head, *footprints = re.split(r"(?m)^(?=\t\(footprint )", board)
    return head + "".join(map(_with_model, footprints))


def _with_model(text: str) -> str:
    found = re.match(r'\t\(footprint "[^":]*:([^"]+)"', text)
    wanted = model(FOOTPRINTS[found[1]]) if found else []
    if not wanted or "\n\t\t(model " in text:
        return text
    end = text.index("\n\t)\n")
    return f"{text[:end]}\n\t\t{dump(wanted[0], depth=2)}{text[end:]}"


def wrl(solids: tuple[Solid, ...]) -> str:
    """One shape for each solid."""
    return "#VRML V2.0 utf8\n" + "".join(map(_shape, solids))


def _shape(solid: Solid) -> str:
    points, faces = _block(solid) if isinstance(solid, Block) else _rod(solid)
    colour = " ".join(number(part) for part in _COLOURS[solid.colour])
    at = ", ".join(" ".join(number(value / _UNIT) for value in point) for point in points)
    index = ", ".join(" ".join(map(str, (*face, -1))) for face in faces)
    look = (
        f"appearance Appearance {{ material Material {{ diffuseColor {colour} specularColor 0.1 0.1 0.1 }} }}"
    )
    return (
        f"Shape {{\n  {look}\n  geometry IndexedFaceSet {{\n    coord Coordinate {{ point [{at}] }}\n"
        f"    coordIndex [{index}]\n  }}\n}}\n"
    )


def _block(solid: Solid) -> tuple[list, list]:
    (x1, y1, z1), (x2, y2, z2) = solid.low, solid.high
    points = [(x, y, z) for z in (z1, z2) for x, y in ((x1, y1), (x2, y1), (x2, y2), (x1, y2))]
    return points, [(3, 2, 1, 0), (4, 5, 6, 7), *((i, (i + 1) % 4, (i + 1) % 4 + 4, i + 4) for i in range(4))]


def _rod(solid: Solid) -> tuple[list, list]:
    axis = solid.axis
    others = [(axis + 1) % 3, (axis + 2) % 3]
    start, end = sorted((solid.low[axis], solid.high[axis]))
    points = []
    for along in (start, end):
        for step in range(_SIDES):
            point = [0.0, 0.0, 0.0]
            turn = 2 * pi * step / _SIDES
            point[axis] = along
            point[others[0]] = solid.low[others[0]] + solid.diameter / 2 * cos(turn)
            point[others[1]] = solid.low[others[1]] + solid.diameter / 2 * sin(turn)
            points.append(tuple(point))
    ring = range(_SIDES)
    sides = [(i, (i + 1) % _SIDES, (i + 1) % _SIDES + _SIDES, i + _SIDES) for i in ring]
    return points, [tuple(reversed(ring)), tuple(i + _SIDES for i in ring), *sides]
