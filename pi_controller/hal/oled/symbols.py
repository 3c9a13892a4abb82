"""The symbols of the status face, drawn as shapes, 34 × 34 pixels, one bit a pixel."""

import math
from collections.abc import Callable

from PIL.ImageDraw import ImageDraw

from pi_controller.hal.names import SymbolName

SYMBOL_SIZE = 34

_Place = tuple[int, int]


def draw_symbol(draw: ImageDraw, name: SymbolName, place: _Place) -> None:
    """Draw the symbol with its upper left corner at `place`."""
    _DRAWINGS[name](draw, place)


def _sun(draw: ImageDraw, place: _Place) -> None:
    x, y = place[0] + 16.5, place[1] + 16.5
    draw.ellipse((x - 8, y - 8, x + 8, y + 8), fill=1)
    for ray in range(8):
        sine, cosine = math.sin(ray * math.pi / 4), math.cos(ray * math.pi / 4)
        draw.line((x + 11 * cosine, y + 11 * sine, x + 16 * cosine, y + 16 * sine), fill=1, width=3)


def _moon(draw: ImageDraw, place: _Place) -> None:
    x, y = place
    draw.ellipse((x + 2, y + 2, x + 31, y + 31), fill=1)
    draw.ellipse((x + 12, y - 1, x + 37, y + 24), fill=0)


def _robber(draw: ImageDraw, place: _Place) -> None:
    x, y = place
    draw.polygon([(x + 4, y + 33), (x + 10, y + 15), (x + 23, y + 15), (x + 29, y + 33)], fill=1)
    draw.ellipse((x + 8, y + 1, x + 25, y + 18), fill=1)
    draw.rectangle((x + 8, y + 7, x + 25, y + 11), fill=0)
    draw.rectangle((x + 11, y + 8, x + 14, y + 10), fill=1)
    draw.rectangle((x + 19, y + 8, x + 22, y + 10), fill=1)


def _pause(draw: ImageDraw, place: _Place) -> None:
    x, y = place
    draw.rectangle((x + 5, y + 3, x + 13, y + 30), fill=1)
    draw.rectangle((x + 20, y + 3, x + 28, y + 30), fill=1)


def _ready(draw: ImageDraw, place: _Place) -> None:
    x, y = place
    draw.ellipse((x + 1, y + 1, x + 32, y + 32), outline=1, width=3)
    draw.line([(x + 9, y + 17), (x + 15, y + 23), (x + 25, y + 11)], fill=1, width=4)


def _ended(draw: ImageDraw, place: _Place) -> None:
    x, y = place
    draw.rectangle((x + 4, y + 1, x + 6, y + 33), fill=1)
    draw.rectangle((x + 7, y + 2, x + 31, y + 19), outline=1)
    for column in range(4):
        for row in range(3):
            if (column + row) % 2 == 0:
                draw.rectangle(
                    (x + 7 + 6 * column, y + 2 + 6 * row, x + 12 + 6 * column, y + 7 + 6 * row), fill=1
                )


def _fault(draw: ImageDraw, place: _Place) -> None:
    x, y = place
    draw.polygon([(x + 16, y + 1), (x + 33, y + 32), (x, y + 32)], fill=1)
    draw.rectangle((x + 15, y + 12, x + 18, y + 22), fill=0)
    draw.rectangle((x + 15, y + 25, x + 18, y + 28), fill=0)


_DRAWINGS: dict[SymbolName, Callable[[ImageDraw, _Place], None]] = {
    "sun": _sun,
    "moon": _moon,
    "robber": _robber,
    "pause": _pause,
    "ready": _ready,
    "ended": _ended,
    "fault": _fault,
}
