"""Pictures that show whether a display is whole: all its pixels, its edges, its letters."""

from table_node import messages as m
from table_node.canvas import NAME, SMALL, TEXT, WIDTH

DIGITS = "0123456789"
_LIT = 0xFF
_CHECKER = b"\x55\xaa" * (WIDTH // 2)
_PARTS = 8
# Two columns of each of eight greys, from dark to lit.
_GREYS = b"\x00\x00\x80\x08\x88\x22\x55\x22\x55\xaa\xdd\xaa\x77\xdd\xff\xff"


def draw(canvas, which):
    """All of the canvas, in steps of a few milliseconds. What is not known is drawn as WHITE."""
    canvas.clear()
    if which == m.CHECKER:
        _fill(canvas, _CHECKER)
    elif which == m.BORDER:
        _border(canvas)
    elif which == m.DIGITS:
        yield
        _digits(canvas)
    elif which != m.BLACK:
        _fill(canvas, bytes((_LIT,)) * WIDTH)


def _fill(canvas, row):
    for page in range(canvas.pages):
        canvas.pixels[page * WIDTH : (page + 1) * WIDTH] = row


def _border(canvas):
    pixels, last = canvas.pixels, (canvas.pages - 1) * WIDTH
    for x in range(WIDTH):
        pixels[x] |= 0x01
        pixels[last + x] |= 0x80
    for start in range(0, last + 1, WIDTH):
        pixels[start] = pixels[start + WIDTH - 1] = _LIT


def _digits(canvas):
    canvas.text(SMALL, DIGITS, 0, 0)
    canvas.text(TEXT, DIGITS, 0, 1)
    if canvas.pages == 8:
        canvas.text(NAME, DIGITS, 0, 3)
    row = b"".join([_GREYS[at : at + 2] * (WIDTH // _PARTS // 2) for at in range(0, 2 * _PARTS, 2)])
    start = (canvas.pages - 1) * WIDTH
    canvas.pixels[start : start + WIDTH] = row
