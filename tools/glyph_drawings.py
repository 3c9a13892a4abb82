"""The symbols of the tables' displays, drawn as shapes in a square of 1 × 1; our own drawing."""

import math
from collections.abc import Callable

from PIL import Image, ImageDraw

FINER = 8
"""Each symbol is drawn this many times larger and then counted down to one bit a pixel."""

_Point = tuple[float, float]


class Pen:
    """Draws in units of the symbol's side; `ink` 1 lights a pixel, 0 darkens it."""

    def __init__(self, size: int) -> None:
        self._scale = size * FINER
        self._image = Image.new("L", (self._scale, self._scale))
        self._draw = ImageDraw.Draw(self._image)

    def disc(self, middle: _Point, radius: float, ink: int = 1) -> None:
        x, y = middle
        box = tuple(v * self._scale for v in (x - radius, y - radius, x + radius, y + radius))
        self._draw.ellipse(box, fill=255 * ink)

    def box(self, corners: tuple[float, float, float, float], ink: int = 1, radius: float = 0) -> None:
        x0, y0, x1, y1 = (v * self._scale for v in corners)
        self._draw.rounded_rectangle((x0, y0, x1 - 1, y1 - 1), radius * self._scale, fill=255 * ink)

    def area(self, points: list[_Point], ink: int = 1) -> None:
        self._draw.polygon([(x * self._scale, y * self._scale) for x, y in points], fill=255 * ink)

    def line(self, points: list[_Point], width: float, ink: int = 1) -> None:
        """A bent line with round ends and corners."""
        scaled = [(x * self._scale, y * self._scale) for x, y in points]
        self._draw.line(scaled, fill=255 * ink, width=round(width * self._scale))
        for point in points:
            self.disc(point, width / 2, ink)

    def arc(self, middle: _Point, radius: float, angles: tuple[float, float], width: float) -> None:
        """Part of a ring, clockwise from the first angle to the second, in degrees from three o'clock."""
        x, y = middle
        box = tuple(v * self._scale for v in (x - radius, y - radius, x + radius, y + radius))
        self._draw.arc(box, *angles, fill=255, width=round(width * self._scale))

    def picture(self) -> Image.Image:
        size = (self._scale // FINER, self._scale // FINER)
        return self._image.resize(size, Image.Resampling.BOX).point(lambda level: 255 * (level >= 120))


def sun(pen: Pen) -> None:
    pen.disc((0.5, 0.5), 0.24)
    for ray in range(8):
        sine, cosine = math.sin(ray * math.pi / 4), math.cos(ray * math.pi / 4)
        pen.line([(0.5 + r * cosine, 0.5 + r * sine) for r in (0.36, 0.43)], 0.125)


def moon(pen: Pen) -> None:
    pen.disc((0.47, 0.5), 0.44)
    pen.disc((0.68, 0.38), 0.37, ink=0)


def robber(pen: Pen) -> None:
    """A hooded head with a mask, on broad shoulders."""
    pen.area([(0.06, 0.98), (0.14, 0.72), (0.32, 0.6), (0.68, 0.6), (0.86, 0.72), (0.94, 0.98)])
    pen.disc((0.5, 0.38), 0.33)
    pen.box((0.14, 0.3, 0.86, 0.48), ink=0)
    pen.box((0.2, 0.33, 0.8, 0.45))
    for x in (0.36, 0.64):
        pen.disc((x, 0.39), 0.065, ink=0)


def pause(pen: Pen) -> None:
    for x in (0.16, 0.58):
        pen.box((x, 0.08, x + 0.26, 0.92), radius=0.05)


def hexagon(pen: Pen) -> None:
    """The rim of one field of the board; a number or the desert goes into it."""
    pen.area(_corners(0.485))
    pen.area(_corners(0.415), ink=0)


def desert(pen: Pen) -> None:
    """The field without a number: a cactus on sand."""
    hexagon(pen)
    pen.line([(0.5, 0.24), (0.5, 0.74)], 0.13)
    pen.line([(0.31, 0.37), (0.31, 0.52), (0.5, 0.52)], 0.09)
    pen.line([(0.69, 0.31), (0.69, 0.46), (0.5, 0.46)], 0.09)
    pen.line([(0.28, 0.77), (0.72, 0.77)], 0.06)


def director(pen: Pen) -> None:
    """Somebody who comes: a figure with a raised arm."""
    pen.disc((0.42, 0.24), 0.16)
    pen.area([(0.2, 0.98), (0.2, 0.56), (0.28, 0.46), (0.56, 0.46), (0.64, 0.56), (0.64, 0.98)])
    pen.line([(0.57, 0.55), (0.78, 0.42), (0.84, 0.12)], 0.14)


def trophy(pen: Pen) -> None:
    pen.arc((0.28, 0.26), 0.17, (80, 280), 0.08)
    pen.arc((0.72, 0.26), 0.17, (-100, 100), 0.08)
    pen.area([(0.26, 0.06), (0.74, 0.06), (0.72, 0.38), (0.6, 0.56), (0.4, 0.56), (0.28, 0.38)])
    pen.box((0.44, 0.52, 0.56, 0.8))
    pen.box((0.26, 0.8, 0.74, 0.94))


def cut(pen: Pen) -> None:
    """A plug pulled out of its socket."""
    pen.line([(0.03, 0.5), (0.14, 0.5)], 0.12)
    pen.area([(0.12, 0.4), (0.2, 0.24), (0.4, 0.24), (0.4, 0.76), (0.2, 0.76), (0.12, 0.6)])
    pen.box((0.38, 0.31, 0.52, 0.4))
    pen.box((0.38, 0.6, 0.52, 0.69))
    pen.area([(0.64, 0.24), (0.82, 0.24), (0.9, 0.4), (0.9, 0.6), (0.82, 0.76), (0.64, 0.76)])
    pen.box((0.64, 0.31, 0.73, 0.4), ink=0)
    pen.box((0.64, 0.6, 0.73, 0.69), ink=0)
    pen.line([(0.86, 0.5), (0.97, 0.5)], 0.12)


def warning(pen: Pen) -> None:
    pen.area([(0.5, 0.04), (0.98, 0.94), (0.02, 0.94)])
    pen.line([(0.5, 0.36), (0.5, 0.6)], 0.11, ink=0)
    pen.disc((0.5, 0.78), 0.065, ink=0)


def flag(pen: Pen) -> None:
    """The chequered flag of the end."""
    pen.box((0.08, 0.04, 0.16, 0.98))
    pen.box((0.16, 0.06, 0.96, 0.62))
    for row in range(3):
        for column in range(4):
            if (row + column) % 2 == 1:
                x, y = 0.19 + column * 0.185, 0.09 + row * 0.17
                pen.box((x, y, x + 0.185, y + 0.17), ink=0)


def down(pen: Pen) -> None:
    """Here: at the button under the display."""
    pen.box((0.36, 0.04, 0.64, 0.5))
    pen.area([(0.1, 0.46), (0.9, 0.46), (0.5, 0.94)])


def hourglass(pen: Pen) -> None:
    pen.box((0.14, 0.03, 0.86, 0.14))
    pen.box((0.14, 0.86, 0.86, 0.97))
    pen.area([(0.2, 0.14), (0.8, 0.14), (0.56, 0.5), (0.8, 0.86), (0.2, 0.86), (0.44, 0.5)])
    pen.area([(0.31, 0.18), (0.69, 0.18), (0.6, 0.32), (0.4, 0.32)], ink=0)
    pen.area([(0.5, 0.55), (0.66, 0.8), (0.34, 0.8)], ink=0)


def tick(pen: Pen) -> None:
    pen.line([(0.12, 0.54), (0.4, 0.8), (0.88, 0.2)], 0.18)


def cross(pen: Pen) -> None:
    pen.line([(0.16, 0.16), (0.84, 0.84)], 0.18)
    pen.line([(0.84, 0.16), (0.16, 0.84)], 0.18)


def die(points: int) -> Callable[[Pen], None]:
    """The face of a die, light with dark points."""
    near, middle, far = 0.27, 0.5, 0.73
    spots = {
        1: [(middle, middle)],
        2: [(near, near), (far, far)],
        3: [(near, near), (middle, middle), (far, far)],
        4: [(near, near), (near, far), (far, near), (far, far)],
        5: [(near, near), (near, far), (middle, middle), (far, near), (far, far)],
        6: [(x, y) for x in (near, far) for y in (0.24, middle, 0.76)],
    }[points]

    def draw(pen: Pen) -> None:
        pen.box((0, 0, 1, 1), radius=0.18)
        for spot in spots:
            pen.disc(spot, 0.1, ink=0)

    return draw


def _corners(radius: float) -> list[_Point]:
    """Of a hexagon that stands on a corner."""
    angles = [math.pi / 6 + corner * math.pi / 3 for corner in range(6)]
    return [(0.5 + radius * math.cos(angle), 0.5 + radius * math.sin(angle)) for angle in angles]
