"""Draws the status face for a 128 × 64 display with one bit a pixel. Pure: face in, picture out."""

import functools
import re
import unicodedata

from PIL import Image, ImageDraw, ImageFont

from pi_controller.hal.oled.patterns import draw_pattern
from pi_controller.hal.oled.symbols import SYMBOL_SIZE, draw_symbol
from pi_controller.hal.roles import StatusFace

SIZE = (128, 64)
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
# Letters with a stroke, which Unicode does not decompose.
_NO_ACCENT = str.maketrans({"ł": "l", "Ł": "L", "ß": "ss", "ø": "o", "Ø": "O"})
_SMALL_SIZES = (_SMALL, 11, 10, 9, 8)


def wander(boot_ns: int) -> tuple[int, int]:
    """Offset of the picture in pixels at this time; no step is longer than one pixel."""
    there_and_back = (*_STEPS, *_STEPS[-2:0:-1])
    return there_and_back[(boot_ns // _MINUTE_NS) % len(there_and_back)]


def draw_face(face: StatusFace, offset: tuple[int, int] = (0, 0)) -> Image.Image:
    """The picture of this face, mode "1".

    Texts that are too wide get smaller; at the smallest size they are cut. Letters that the font lacks lose
    their accents. A test pattern fills the whole glass and does not wander.
    """
    if face.pattern is not None:
        return draw_pattern(face.pattern)
    picture = Image.new("1", SIZE)
    draw = ImageDraw.Draw(picture)
    draw.fontmode = "1"
    dx, dy = offset
    middle = (_HEAD_BOTTOM + _FOOT_TOP) // 2
    draw_symbol(draw, face.symbol, (_LEFT + dx, middle - SYMBOL_SIZE // 2 + dy))
    _write(draw, face.headline, (_LEFT + dx, WANDER + dy, _RIGHT + dx, _HEAD_BOTTOM + dy), _SMALL_SIZES)
    big_left = _LEFT + SYMBOL_SIZE + _GAP
    _write(draw, face.big, (big_left + dx, _HEAD_BOTTOM + dy, _RIGHT + dx, _FOOT_TOP + dy), _BIG_SIZES)
    _write(draw, face.footer, (_LEFT + dx, _FOOT_TOP + dy, _RIGHT + dx, SIZE[1] - WANDER + dy), _SMALL_SIZES)
    return picture


def _write(
    draw: ImageDraw.ImageDraw, text: str, box: tuple[int, int, int, int], sizes: tuple[int, ...]
) -> None:
    """Centre one line of text in the box, in the largest size that fits."""
    text = _plain(text)
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
    while draw.textlength(text, font=font) > right - left and len(text) > 1:
        text = text[:-1]
    x0, y0, x1, y1 = _room(_level(text), size, weight)
    x = (left + right - (x1 - x0)) // 2 - x0
    y = (top + bottom - (y1 - y0)) // 2 - y0
    draw.text((x, y), text, fill=1, font=font, stroke_width=weight)


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.translate(_NO_ACCENT))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


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
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise TypeError("Pillow was built without FreeType: install Pillow with it.")
    return font
