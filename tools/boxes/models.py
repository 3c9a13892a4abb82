"""VRML models of our own footprints for KiCad's pictures, from the same bodies as the enclosures.

KiCad reads one unit of VRML as 2.54 mm.
"""

from math import cos, pi, sin

from tools.boxes.bodies import Bodies, Block, Solid
from tools.drawings.footprints import FOOTPRINTS, MODELS
from tools.drawings.sexpr import number

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
    """Path below the repository and text, for each footprint that has a body. Raises BodyError for one without."""
    found = {name: bodies.mounted(footprint) for name, footprint in FOOTPRINTS.items()}
    return {
        f"hardware/library/{MODELS}/{name}.wrl": wrl(solids) for name, solids in found.items() if solids
    }


def wrl(solids: tuple[Solid, ...]) -> str:
    """One shape for each solid."""
    return "#VRML V2.0 utf8\n" + "".join(map(_shape, solids))


def _shape(solid: Solid) -> str:
    points, faces = _block(solid) if isinstance(solid, Block) else _rod(solid)
    colour = " ".join(number(part) for part in _COLOURS[solid.colour])
    at = ", ".join(" ".join(number(value / _UNIT) for value in point) for point in points)
    index = ", ".join(" ".join(map(str, (*face, -1))) for face in faces)
    look = f"appearance Appearance {{ material Material {{ diffuseColor {colour} specularColor 0.1 0.1 0.1 }} }}"
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
