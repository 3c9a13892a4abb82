"""The fonts of printed pages, embedded in each file: Archivo, and DejaVu Sans for the characters it lacks."""

from functools import cache
from html import escape
from itertools import groupby
from pathlib import Path

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

REGULAR = "Archivo"
BOLD = "Archivo-Bold"
MORE = "DejaVuMore"
FILES = {REGULAR: "archivo-regular.ttf", BOLD: "archivo-bold.ttf", MORE: "dejavu-sans-more.ttf"}
FOLDER = Path(__file__).parent / "fonts"


@cache
def register() -> frozenset[int]:
    """Make the fonts known to reportlab, once; the code points that Archivo has."""
    for name, file in FILES.items():
        pdfmetrics.registerFont(TTFont(name, str(FOLDER / file)))
    pdfmetrics.registerFontFamily(REGULAR, normal=REGULAR, bold=BOLD, italic=REGULAR, boldItalic=BOLD)
    return frozenset(pdfmetrics.getFont(REGULAR).face.charToGlyph)


def runs(text: str, *, bold: bool = False) -> list[tuple[str, str]]:
    """The text cut into (font, piece). A character that no font has prints as an empty box."""
    known = register()
    own = BOLD if bold else REGULAR
    cut = groupby(text, key=lambda letter: own if letter == "\n" or ord(letter) in known else MORE)
    return [(font, "".join(letters)) for font, letters in cut]


def marked(text: str, *, bold: bool = False) -> str:
    """The text for a reportlab paragraph: nothing in it is markup, a new line stays one."""
    pieces = []
    for font, piece in runs(text, bold=bold):
        safe = escape(piece, quote=False).replace("\n", "<br/>")
        pieces.append(f'<font name="{font}">{safe}</font>' if bold or font != REGULAR else safe)
    return "".join(pieces)


def width_pt(text: str, size_pt: float, *, bold: bool = False) -> float:
    """How wide the text stands on one line, in points."""
    found = sum(pdfmetrics.stringWidth(piece, font, size_pt) for font, piece in runs(text, bold=bold))
    return float(found)
