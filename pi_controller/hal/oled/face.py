"""Draws the status face for a 128 × 64 display with one bit a pixel. Pure: face in, picture out."""

import functools
import math
import re
from collections.abc import Callable
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from pi_controller.bus.values import TestPattern
from pi_controller.hal.names import SymbolName
from pi_controller.hal.roles import StatusFace

SYMBOL_SIZE = 34
FONT = Path(__file__).parents[2] / "paper" / "fonts" / "archivo-regular.ttf"
"""That of the printed pages: it has the letters of all languages, which Pillow's own lacks."""

_Place = tuple[int, int]


def draw_symbol(draw: ImageDraw.ImageDraw, name: SymbolName, place: _Place) -> None:
    """Draw the symbol with its upper left corner at `place`."""
    _SYMBOLS[name](draw, place)


def _sun(draw: ImageDraw.ImageDraw, place: _Place) -> None:
    x, y = place[0] + 16.5, place[1] + 16.5
    draw.ellipse((x - 8, y - 8, x + 8, y + 8), fill=1)
    for ray in range(8):
        sine, cosine = math.sin(ray * math.pi / 4), math.cos(ray * math.pi / 4)
        draw.line((x + 11 * cosine, y + 11 * sine, x + 16 * cosine, y + 16 * sine), fill=1, width=3)


def _moon(draw: ImageDraw.ImageDraw, place: _Place) -> None:
    x, y = place
    draw.ellipse((x + 2, y + 2, x + 31, y + 31), fill=1)
    draw.ellipse((x + 12, y - 1, x + 37, y + 24), fill=0)


def _robber(draw: ImageDraw.ImageDraw, place: _Place) -> None:
    x, y = place
    draw.polygon([(x + 4, y + 33), (x + 10, y + 15), (x + 23, y + 15), (x + 29, y + 33)], fill=1)
    draw.ellipse((x + 8, y + 1, x + 25, y + 18), fill=1)
    draw.rectangle((x + 8, y + 7, x + 25, y + 11), fill=0)
    draw.rectangle((x + 11, y + 8, x + 14, y + 10), fill=1)
    draw.rectangle((x + 19, y + 8, x + 22, y + 10), fill=1)


def _pause(draw: ImageDraw.ImageDraw, place: _Place) -> None:
    x, y = place
    draw.rectangle((x + 5, y + 3, x + 13, y + 30), fill=1)
    draw.rectangle((x + 20, y + 3, x + 28, y + 30), fill=1)


def _ready(draw: ImageDraw.ImageDraw, place: _Place) -> None:
    x, y = place
    draw.ellipse((x + 1, y + 1, x + 32, y + 32), outline=1, width=3)
    draw.line([(x + 9, y + 17), (x + 15, y + 23), (x + 25, y + 11)], fill=1, width=4)


def _ended(draw: ImageDraw.ImageDraw, place: _Place) -> None:
    x, y = place
    draw.rectangle((x + 4, y + 1, x + 6, y + 33), fill=1)
    draw.rectangle((x + 7, y + 2, x + 31, y + 19), outline=1)
    for column in range(4):
        for row in range(3):
            if (column + row) % 2 == 0:
                draw.rectangle(
                    (x + 7 + 6 * column, y + 2 + 6 * row, x + 12 + 6 * column, y + 7 + 6 * row), fill=1
                )


def _fault(draw: ImageDraw.ImageDraw, place: _Place) -> None:
    x, y = place
    draw.polygon([(x + 16, y + 1), (x + 33, y + 32), (x, y + 32)], fill=1)
    draw.rectangle((x + 15, y + 12, x + 18, y + 22), fill=0)
    draw.rectangle((x + 15, y + 25, x + 18, y + 28), fill=0)


_SYMBOLS: dict[SymbolName, Callable[[ImageDraw.ImageDraw, _Place], None]] = {
    "sun": _sun,
    "moon": _moon,
    "robber": _robber,
    "pause": _pause,
    "ready": _ready,
    "ended": _ended,
    "fault": _fault,
}


SIZE = (128, 64)
SQUARE = 8
DIGITS = "0123456789"
DIGIT_SIZES = (8, 10, 13, 20)


def draw_pattern(pattern: TestPattern) -> Image.Image:
    """The picture of this pattern, mode "1", to the last pixel of all four edges."""
    picture = Image.new("1", SIZE)
    draw = ImageDraw.Draw(picture)
    draw.fontmode = "1"
    _PATTERNS[pattern](draw)
    return picture


def _white(draw: ImageDraw.ImageDraw) -> None:
    draw.rectangle((0, 0, SIZE[0], SIZE[1]), fill=1)


def _black(_draw: ImageDraw.ImageDraw) -> None:
    """The picture is black already."""


def _checker(draw: ImageDraw.ImageDraw) -> None:
    for left in range(0, SIZE[0], SQUARE):
        for top in range(0, SIZE[1], SQUARE):
            if (left + top) // SQUARE % 2 == 0:
                draw.rectangle((left, top, left + SQUARE - 1, top + SQUARE - 1), fill=1)


def _border(draw: ImageDraw.ImageDraw) -> None:
    draw.rectangle((0, 0, SIZE[0] - 1, SIZE[1] - 1), outline=1)


def _digits(draw: ImageDraw.ImageDraw) -> None:
    """All digits in four sizes, which a display with a bad line or column shows cut."""
    top = 0
    for size in DIGIT_SIZES:
        draw.text((0, top), DIGITS, fill=1, font=ImageFont.load_default(size))
        top += size + 3


_PATTERNS: dict[TestPattern, Callable[[ImageDraw.ImageDraw], None]] = {
    "white": _white,
    "black": _black,
    "checker": _checker,
    "border": _border,
    "digits": _digits,
}


# The picture wanders by this much in both directions so that it does not burn in.
WANDER = 2
# One whole round of the wandering, a step a minute: every offset once, neighbours one pixel apart.
_STEPS = tuple(
    (dx, dy)
    for row, dy in enumerate(range(-WANDER, WANDER + 1))
    for dx in (range(-WANDER, WANDER + 1) if row % 2 == 0 else range(WANDER, -WANDER - 1, -1))
)
_MINUTE_NS = 60_000_000_000

_LEFT, _RIGHT = WANDER, SIZE[0] - WANDER
_HEAD_BOTTOM = 15
_FOOT_TOP = 51
_GAP = 4
_SMALL = 13
_BIG_SIZES = (46, 42, 38, 34, 30, 26, 22, 18, 14, 10)
_SMALL_SIZES = (_SMALL, 11, 10, 9, 8)
_LINE_SIZES = (*range(22, 7, -1),)
_TALL = "0/"
"""As tall as what is written in lines."""


def wander(boot_ns: int) -> tuple[int, int]:
    """Offset of the picture in pixels at this time; no step is longer than one pixel."""
    there_and_back = (*_STEPS, *_STEPS[-2:0:-1])
    return there_and_back[(boot_ns // _MINUTE_NS) % len(there_and_back)]


def draw_face(face: StatusFace, offset: tuple[int, int] = (0, 0)) -> Image.Image:
    """The picture of this face, mode "1".

    Texts that are too wide get smaller; at the smallest size they are cut behind a word. A test pattern fills
    the whole glass and does not wander.
    """
    if face.pattern is not None:
        return draw_pattern(face.pattern)
    picture = Image.new("1", SIZE)
    draw = ImageDraw.Draw(picture)
    draw.fontmode = "1"
    dx, dy = offset
    _write(draw, face.headline, (_LEFT + dx, WANDER + dy, _RIGHT + dx, _HEAD_BOTTOM + dy), _SMALL_SIZES)
    if face.lines:
        bottom = _FOOT_TOP if face.footer else SIZE[1] - WANDER
        _write_lines(draw, face.lines, (_LEFT + dx, _HEAD_BOTTOM + dy, _RIGHT + dx, bottom + dy))
    else:
        middle, big_left = (_HEAD_BOTTOM + _FOOT_TOP) // 2, _LEFT + SYMBOL_SIZE + _GAP
        draw_symbol(draw, face.symbol, (_LEFT + dx, middle - SYMBOL_SIZE // 2 + dy))
        _write(draw, face.big, (big_left + dx, _HEAD_BOTTOM + dy, _RIGHT + dx, _FOOT_TOP + dy), _BIG_SIZES)
    _write(draw, face.footer, (_LEFT + dx, _FOOT_TOP + dy, _RIGHT + dx, SIZE[1] - WANDER + dy), _SMALL_SIZES)
    return picture


def _write(
    draw: ImageDraw.ImageDraw, text: str, box: tuple[int, int, int, int], sizes: tuple[int, ...]
) -> None:
    """Centre one line of text in the box, in the largest size that fits."""
    if not text:
        return
    left, top, right, bottom = box
    weight = 1 if sizes is _BIG_SIZES else 0
    size = sizes[-1]
    for size in sizes:
        x0, y0, x1, y1 = _room(_level(text), size, weight)
        if x1 - x0 <= right - left and y1 - y0 <= bottom - top:
            break
    font = _font(size)
    if size == _SMALL_SIZES[-1]:
        text = _cut(text, right - left)
    while draw.textlength(text, font=font) > right - left and len(text) > 1:
        text = text[:-1]
    x0, y0, x1, y1 = _room(_level(text), size, weight)
    x = (left + right - (x1 - x0)) // 2 - x0
    y = (top + bottom - (y1 - y0)) // 2 - y0
    draw.text((x, y), text, fill=1, font=font, stroke_width=weight)


def _write_lines(draw: ImageDraw.ImageDraw, lines: tuple[str, ...], box: tuple[int, int, int, int]) -> None:
    """Below each other in the largest size in which all fit, each letter apart from the next: they are
    compared letter by letter."""
    left, top, right, bottom = box
    height = (bottom - top) // len(lines)
    for size in _LINE_SIZES:
        _, y0, _, y1 = _room(_TALL, size, 0)
        if y1 - y0 < height and max(_spaced(line, size) for line in lines) <= right - left:
            break
    for number, line in enumerate(lines):
        x = (left + right - _spaced(line, size)) // 2
        for letter in line:
            draw.text((x, top + number * height + (height - y1 + y0) // 2 - y0), letter, 1, _font(size))
            x += _spaced(letter, size) + 1


def _spaced(text: str, size: int) -> int:
    """The width of this text with its letters apart."""
    return sum(round(_font(size).getlength(letter)) + 1 for letter in text) - 1


def _cut(text: str, room: int) -> str:
    """The words of this text that have room in the smallest letters, wider apart: a single space of the font
    is there no wider than the gap between two letters."""
    words = text.split(" ")
    count = len(words)
    while count > 1 and _font(_SMALL_SIZES[-1]).getlength("  ".join(words[:count])) > room:
        count -= 1
    return "  ".join(words[:count])


def _level(text: str) -> str:
    """The same text with digits of one width, so that a countdown neither jumps nor changes its size."""
    return re.sub(r"\d", "0", text)


@functools.lru_cache(1024)
def _room(text: str, size: int, weight: int) -> tuple[float, float, float, float]:
    """The box that this text takes from 0, 0. Looked up: to measure a text the font draws it, in up to ten
    sizes for each face, while the processor has a change to bring to everybody."""
    ruler = ImageDraw.Draw(Image.new("1", (1, 1)))
    ruler.fontmode = "1"
    return ruler.textbbox((0, 0), text, font=_font(size), stroke_width=weight)


@functools.cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(FONT, size)
