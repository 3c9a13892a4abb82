"""Line drawings in millimetres, the origin at the top left, y growing downwards; and bars of a plot."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Literal

from reportlab.graphics.barcode.qrencoder import QRCode, QRErrorCorrectLevel
from reportlab.graphics.shapes import Circle, Drawing, Group, Line, Path, Rect, String, Wedge
from reportlab.lib.colors import Color, HexColor
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import FILL_NON_ZERO

from pi_controller.language.words import words
from pi_controller.paper import fonts
from pi_controller.sentence import Sentence

INK = "#1a1a1a"
GREY = "#6b6b6b"
FAINT = "#d9d9d9"
GOOD = "#1b7f3b"
WARN = "#b25e00"
BAD = "#b3201f"
SUN = "#ffb81c"
MOON = "#3450dd"
OVERLAP = 1.05
"""Rows of a QR code reach into each other a little, so that no renderer leaves a bright line between them."""
QUIET_MODULES = 4
"""Free space round a QR code (ISO 18004)."""

Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]


class PageDrawing:
    """A drawing of this size; what goes over its edge is not cut off."""

    def __init__(self, width_mm: float, height_mm: float) -> None:
        self.width_mm = width_mm
        self.height_mm = height_mm
        self._shapes: list[Any] = []

    def line(self, start: Point, end: Point, *, width_mm: float = 0.2, colour: str = INK) -> None:
        shape = Line(start[0] * mm, self._y(start[1]), end[0] * mm, self._y(end[1]))
        shape.strokeColor, shape.strokeWidth, shape.strokeLineCap = HexColor(colour), width_mm * mm, 1
        self._shapes.append(shape)

    def rect(
        self,
        corner: Point,
        size: Point,
        *,
        line_mm: float = 0.2,
        fill: str | None = None,
        round_mm: float = 0.0,
    ) -> None:
        """Width and height from the upper left corner on. `line_mm` 0: no outline."""
        (x, y), (width, height), bend = corner, size, round_mm * mm
        shape = Rect(x * mm, self._y(y + height), width * mm, height * mm, rx=bend, ry=bend)
        self._paint(shape, line_mm=line_mm, fill=fill)

    def circle(self, x: float, y: float, radius: float, *, fill: str | None = None) -> None:
        self._paint(Circle(x * mm, self._y(y), radius * mm), line_mm=0.2, fill=fill)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size_pt: float = 9,
        bold: bool = False,
        anchor: Anchor = "start",
        colour: str = INK,
    ) -> None:
        """One line with its baseline at `y`."""
        width = fonts.width_pt(text, size_pt, bold=bold)
        left = x * mm - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
        for font, piece in fonts.runs(text, bold=bold):
            shape = String(left, self._y(y), piece, fontName=font, fontSize=size_pt)
            shape.fillColor = HexColor(colour)
            self._shapes.append(shape)
            left += fonts.width_pt(piece, size_pt, bold=bold)

    def fitted_text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        width: float,
        size_pt: float,
        bold: bool = False,
        anchor: Anchor = "start",
        colour: str = INK,
    ) -> None:
        """As `text`, smaller where the line would be wider than `width`."""
        wide = fonts.width_pt(text, size_pt, bold=bold) / mm
        fitting = size_pt if wide <= width else size_pt * width / wide
        self.text(x, y, text, size_pt=fitting, bold=bold, anchor=anchor, colour=colour)

    def mark(self, corner: Point, size: float) -> None:
        """The product's, as in `web/pages/icon.svg`: a disc in the colours of the two sides, with the bars of
        a pause. It fills a square with this side from its upper left corner on."""
        (x, y), radius = corner, size / 2
        for colour, start in ((SUN, 90), (MOON, 270)):
            half = Wedge((x + radius) * mm, self._y(y + radius), radius * mm, start, start + 180)
            half.fillColor, half.strokeColor = _colour(colour), None
            self._shapes.append(half)
        bar = (size * 6 / 44, size * 20 / 44)
        for left, colour in ((13, INK), (25, "#ffffff")):
            self.rect((x + size * left / 44, y + size * 12 / 44), bar, line_mm=0, fill=colour)

    def qr(self, corner: Point, size: float, content: str) -> None:
        """A QR code (error correction M) with sides of `size` from its upper left corner on. The quiet zone
        of four modules that readers need lies inside `size`."""
        code = QRCode(None, QRErrorCorrectLevel.M)
        code.addData(content)
        code.make()
        side = size * mm / (code.moduleCount + 2 * QUIET_MODULES)
        left, top = corner[0] * mm + QUIET_MODULES * side, self._y(corner[1]) - QUIET_MODULES * side
        path = Path(fillColor=HexColor("#000000"), strokeColor=None, fillMode=FILL_NON_ZERO)
        for row, modules in enumerate(code.modules):
            column = 0
            for is_dark, run in groupby(modules):
                length = len(list(run))
                if is_dark:
                    _box(path, left + column * side, top - row * side, (length * side, -side * OVERLAP))
                column += length
        self._shapes.append(path)

    def place(self, other: "PageDrawing", x: float, y: float, *, upside_down: bool = False) -> None:
        """Put `other` so that its upper left corner is here, or when turned, what has become that."""
        left, bottom = x * mm, self._y(y + other.height_mm)
        where = (1, 0, 0, 1, left, bottom)
        if upside_down:
            where = (-1, 0, 0, -1, left + other.width_mm * mm, bottom + other.height_mm * mm)
        self._shapes.append(Group(*other.drawing().contents, transform=where))

    def drawing(self) -> Any:
        """For this package: reportlab's drawing."""
        return Drawing(self.width_mm * mm, self.height_mm * mm, *self._shapes)

    def _paint(self, shape: Any, *, line_mm: float, fill: str | None) -> None:
        shape.fillColor = None if fill is None else _colour(fill)
        shape.strokeColor = _colour(INK) if line_mm else None
        shape.strokeWidth = line_mm * mm
        self._shapes.append(shape)

    def _y(self, y: float) -> float:
        return float((self.height_mm - y) * mm)


def _colour(text: str) -> Color:
    return HexColor(text)


def _box(path: Any, x: float, y: float, size: Point) -> None:
    path.moveTo(x, y)
    path.lineTo(x + size[0], y)
    path.lineTo(x + size[0], y + size[1])
    path.lineTo(x, y + size[1])
    path.closePath()


LEFT_MM, RIGHT_MM, TOP_MM, BOTTOM_MM = 12.0, 18.0, 5.0, 9.0
HEIGHT_MM = 45.0
MOST_LABELS = 24


def bars(
    values: Sequence[float],
    *,
    labels: Sequence[str],
    unit: str,
    floor: float | None = None,
    width_mm: float = 170.0,
) -> PageDrawing:
    """One bar a value, from 0 up; what is under `floor` is red; that is a dashed line.

    `values` and `labels` are of one length, values at least 0. Where labels would touch, every n-th is shown.
    """
    if len(values) != len(labels):
        raise ValueError(f"a bar plot needs a label for each value, not {len(labels)} for {len(values)}")
    if any(value < 0 for value in values):
        raise ValueError("a bar plot cannot show values below 0")
    picture = PageDrawing(width_mm, HEIGHT_MM)
    top = max([*values, floor or 0.0]) or 1.0
    right, ground = width_mm - RIGHT_MM, HEIGHT_MM - BOTTOM_MM
    high = ground - TOP_MM
    step = (right - LEFT_MM) / max(len(values), 1)
    every = -(-len(values) // MOST_LABELS) if values else 1
    for index, (value, label) in enumerate(zip(values, labels, strict=True)):
        left, tall = LEFT_MM + index * step, high * value / top
        fill = BAD if floor is not None and value < floor else INK
        picture.rect((left + step * 0.12, ground - tall), (step * 0.76, tall), line_mm=0, fill=fill)
        if index % every == 0:
            room = step * every * 0.95
            picture.fitted_text(left + step / 2, ground + 4, label, width=room, size_pt=7, anchor="middle")
    picture.line((LEFT_MM, ground), (right, ground))
    picture.text(LEFT_MM - 1.5, ground, "0", size_pt=7, anchor="end", colour=GREY)
    picture.text(
        LEFT_MM - 1.5,
        TOP_MM + 2,
        words(Sentence("paper.axis", value=top)),
        size_pt=7,
        anchor="end",
        colour=GREY,
    )
    picture.text(LEFT_MM, TOP_MM - 1.5, unit, size_pt=7, colour=GREY)
    if floor is not None:
        text = words(Sentence("paper.limit", level=floor))
        _dashed(picture, ground - high * floor / top, right=right, text=text)
    return picture


def _dashed(picture: PageDrawing, y: float, *, right: float, text: str) -> None:
    x = LEFT_MM
    while x < right:
        picture.line((x, y), (min(x + 2, right), y), width_mm=0.25, colour=BAD)
        x += 3.5
    picture.fitted_text(right + 1.5, y + 0.8, text, width=RIGHT_MM - 1.5, size_pt=7, colour=BAD)
