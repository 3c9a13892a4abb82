"""`python -m tools.boxes.collisions`: exits 1 where a part reaches into another one or into its printed box.

What is printed is read from hardware/enclosure/printed, where tools/enclosures.sh lets OpenSCAD write it.
"""

import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from manifold3d import Manifold, Mesh

from tools.boxes.bodies import Block, Bodies, BodyError, Solid
from tools.boxes.scenes import ENCLOSURE, SHELLS, Lying, Scene, scenes
from tools.kicad_files import DrawingError
from tools.verdict import verdict

SMALLEST = 0.5
"""Less than so many cubic millimetres is rounding, or two faces that touch."""
SEGMENTS = 48


@dataclass(frozen=True)
class Collision:
    box: str
    one: str
    other: str
    volume: float

    def __str__(self) -> str:
        return f"{self.box}: {self.one} and {self.other} share {self.volume:.1f} mm3 of space."


def all_scenes() -> dict[str, Scene]:
    """By the checkout's boards and table of bodies."""
    return scenes(Bodies())


def collisions(scene: Scene, shells: dict[str, Manifold]) -> list[Collision]:
    """Each pair of parts, each part with each printed part, and the printed parts with each other."""
    found = []
    bodies = [(lying.name, body(lying)) for lying in scene.parts] + list(shells.items())
    boxes = [solid.bounding_box() for _, solid in bodies]
    for (i, (one, first)), (j, (other, second)) in combinations(enumerate(bodies), 2):
        if _apart(boxes[i], boxes[j]):
            continue
        volume = (first ^ second).volume()
        if volume > SMALLEST:
            found.append(Collision(scene.box, one, other, volume))
    return found


def body(lying: Lying) -> Manifold:
    """Its solids as one, at their place."""
    whole = Manifold()
    for solid in lying.solids:
        whole += _shape(solid)
    return whole.transform(np.array(lying.frame.rows, dtype=float))


def printed(box: str) -> dict[str, Manifold]:
    """The box's printed parts, by name. Raises BodyError for a file that is no closed solid."""
    return {part: read_stl(ENCLOSURE / "printed" / f"{box}_{part}.stl") for part in SHELLS[box]}


def read_stl(path: Path) -> Manifold:
    """From a binary STL. Raises BodyError where it is no closed solid."""
    data = path.read_bytes()
    (count,) = struct.unpack_from("<I", data, 80)
    kind = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
    corners = np.frombuffer(data, kind, count, 84)["corners"].reshape(-1, 3)
    points, index = np.unique(np.round(corners, 4), axis=0, return_inverse=True)
    triangles = index.reshape(-1, 3)
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (a != c)]
    solid = Manifold(Mesh(points.astype("float32"), triangles.astype("uint32")))
    if solid.is_empty():
        raise BodyError(f"{path.name} is no closed solid ({solid.status()}); run `make enclosures`.")
    return solid


def _shape(solid: Solid) -> Manifold:
    low = [min(pair) for pair in zip(solid.low, solid.high, strict=True)]
    size = [abs(high - low) for low, high in zip(solid.low, solid.high, strict=True)]
    if isinstance(solid, Block):
        return Manifold.cube(size).translate(low)
    radius = solid.diameter / 2
    rod = Manifold.cylinder(size[solid.axis], radius, radius, SEGMENTS)
    turned = rod.rotate([(0, 90, 0), (-90, 0, 0), (0, 0, 0)][solid.axis])
    return turned.translate(low)


def _apart(one: tuple, other: tuple) -> bool:
    return any(one[axis] >= other[axis + 3] or other[axis] >= one[axis + 3] for axis in range(3))


def every_collision() -> Iterator[Collision]:
    """Of all boxes; says of each box how many it has."""
    for scene in all_scenes().values():
        found = collisions(scene, printed(scene.box))
        print(f"{scene.box}: {len(scene.parts)} parts, {len(found)} collisions")
        yield from found


if __name__ == "__main__":
    sys.exit(verdict(every_collision, BodyError, DrawingError))
