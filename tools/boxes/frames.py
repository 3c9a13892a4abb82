"""Where a body lies: a rotation and a shift as the upper three rows of a matrix."""

from dataclasses import dataclass
from math import cos, radians, sin

Row = tuple[float, float, float, float]
_NONE: tuple[Row, Row, Row] = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0))


@dataclass(frozen=True)
class Frame:
    """Each step happens in the frame that the ones before made, as OpenSCAD reads them from left to right."""

    rows: tuple[Row, Row, Row] = _NONE

    def move(self, x: float, y: float, z: float) -> "Frame":
        return self._then(((1, 0, 0, x), (0, 1, 0, y), (0, 0, 1, z)))

    def turn(self, axis: str, degrees: float) -> "Frame":
        """To the left, as seen against the axis."""
        c, s = round(cos(radians(degrees)), 9), round(sin(radians(degrees)), 9)
        return self._then(
            {
                "x": ((1, 0, 0, 0), (0, c, -s, 0), (0, s, c, 0)),
                "y": ((c, 0, s, 0), (0, 1, 0, 0), (-s, 0, c, 0)),
                "z": ((c, -s, 0, 0), (s, c, 0, 0), (0, 0, 1, 0)),
            }[axis]
        )

    def _then(self, step: tuple[Row, Row, Row]) -> "Frame":
        full = (*step, (0, 0, 0, 1))
        rows = [
            tuple(round(sum(row[k] * full[k][column] for k in range(4)), 6) for column in range(4))
            for row in self.rows
        ]
        return Frame((rows[0], rows[1], rows[2]))  # type: ignore[arg-type]
