"""Test patterns for a 128 × 64 display with one bit a pixel. Pure."""

from collections.abc import Callable

from PIL import Image, ImageDraw, ImageFont

from pi_controller.bus.values import TestPattern

SIZE = (128, 64)
SQUARE = 8
DIGITS = "0123456789"
DIGIT_SIZES = (8, 10, 13, 20)


def draw_pattern(pattern: TestPattern) -> Image.Image:
    """The picture of this pattern, mode "1", to the last pixel of all four edges."""
    picture = Image.new("1", SIZE)
    draw = ImageDraw.Draw(picture)
    draw.fontmode = "1"
    _DRAWINGS[pattern](draw)
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


_DRAWINGS: dict[TestPattern, Callable[[ImageDraw.ImageDraw], None]] = {
    "white": _white,
    "black": _black,
    "checker": _checker,
    "border": _border,
    "digits": _digits,
}
