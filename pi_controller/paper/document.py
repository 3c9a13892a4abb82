"""Printed pages: headings, paragraphs, tables and drawings below each other, on as many pages as needed."""

import io
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from PIL import Image
from reportlab.lib.colors import HexColor, white
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Frame,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
)

from pi_controller.language.words import words
from pi_controller.paper import fonts
from pi_controller.paper.picture import BAD, FAINT, GOOD, GREY, INK, WARN, PageDrawing
from pi_controller.sentence import Sentence

# The event at the head of each page: its name, and its logo beside it.


LOGO_MM = (26.0, 9.5)
"""At most so wide and high: it fits above the rule at the head."""
GAP_MM = 3.0
MARK_MM = 9.4
"""Of the product, before the title."""
MOST_DOTS = 600
"""Of the longer side: 600 dots an inch at that size."""

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PaperEvent:
    """`name` may be empty, `logo` is a picture that `png_logo` has made."""

    name: str = ""
    logo: bytes | None = None


NO_EVENT = PaperEvent()


def png_logo(body: bytes) -> bytes | None:
    """This PNG as small as paper needs it; None when it is damaged."""
    try:
        with Image.open(io.BytesIO(body), formats=("PNG",)) as image:
            small = image.convert("RGBA")
    except (OSError, ValueError, SyntaxError) as problem:
        LOG.warning("The logo is not printed: %s", problem)
        return None
    small.thumbnail((MOST_DOTS, MOST_DOTS))
    made = io.BytesIO()
    small.save(made, "PNG")
    return made.getvalue()


def draw_logo(canvas: Canvas, logo: bytes, *, right_mm: float, top_mm: float) -> float:
    """Its upper right corner here, from the lower left of the page; returns its width in mm."""
    picture = ImageReader(io.BytesIO(logo))
    across, down = picture.getSize()
    scale = min(LOGO_MM[0] / across, LOGO_MM[1] / down)
    width, height = across * scale, down * scale
    canvas.drawImage(
        picture, (right_mm - width) * mm, (top_mm - height) * mm, width * mm, height * mm, mask="auto"
    )
    return float(width)


Tone = Literal["", "good", "warn", "bad"]

PAGE_MM = (A4[0] / mm, A4[1] / mm)
TONES = {"good": GOOD, "warn": WARN, "bad": BAD}
MARGIN_MM = 15.0
HEAD_MM = 14.0
"""Between the upper margin and the text: title, subtitle and a rule."""
FOOT_MM = 8.0
EVENT_SHARE = 0.4
"""Of the width: so much the name of the event takes at most."""
EVENT_PT = 11.0
PAGE, SHEET = "page", "sheet"
CELL_PT = 4.0
"""Padding to the left and right in a table's cell."""


class Paper:
    """One document. Content is added from top to bottom, then `pdf` or `write` sets it.

    All texts are plain: nothing in them is markup. What the paper says itself is in the language that the
    thread speaks. The same content makes the same bytes: no clock is read, a
    date belongs into `subtitle` or `foot`.
    """

    def __init__(
        self,
        title: str,
        subtitle: str = "",
        *,
        foot: str = "",
        event: PaperEvent = NO_EVENT,
    ) -> None:
        """`foot` stands at the bottom of every page, beside the page's number; `event` at its head."""
        fonts.register()
        self._title, self._subtitle, self._foot = title, subtitle, foot
        self._event = event
        self._parts: list[Callable[[], Any]] = []
        self._first = PAGE
        self._page_is_full = False

    width_mm = float(PAGE_MM[0] - 2 * MARGIN_MM)
    """Between the margins."""
    height_mm = float(PAGE_MM[1] - 2 * MARGIN_MM - HEAD_MM - FOOT_MM)
    """For content on one page."""

    def heading(self, text: str, *, level: int = 1, room_mm: float = 30.0) -> None:
        """Level 1 or 2. It moves to the next page where less than `room_mm` is left on this one."""
        style = HEADINGS[level - 1]
        self._add(lambda: CondPageBreak(room_mm * mm))
        self._add(lambda: Paragraph(fonts.marked(text, bold=True), style))

    def paragraph(self, text: str, *, tone: Tone = "") -> None:
        """`tone` colours it; say in words, too, what the colour says."""
        style = BODY if not tone else ParagraphStyle(tone, BODY, textColor=HexColor(TONES[tone]))
        self._add(lambda: Paragraph(fonts.marked(text), style))

    def bullets(self, items: Sequence[str]) -> None:
        for item in items:
            self._add(partial(Paragraph, fonts.marked(item), BULLET, bulletText="•"))

    def key_values(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Two columns without rules: what it is, its value."""
        if pairs:
            self._add(lambda: self._key_values(pairs))

    def table(
        self,
        head: Sequence[str],
        rows: Sequence[Sequence[str]],
        *,
        right: Sequence[int] = (),
        tones: Sequence[Tone] | None = None,
        widths: Sequence[float] | None = None,
    ) -> None:
        """The head is repeated on each page. `right`: columns that are set to the right, from 0.

        `tones`: one for each row, colouring its first cell. `widths`: shares of the page's width; without, as
        the content asks. ValueError when a row has another number of cells than the head.
        """
        for row in rows:
            if len(row) != len(head):
                raise ValueError(f"a table of {len(head)} columns has a row of {len(row)} cells: {row}")
        if tones is not None and len(tones) != len(rows):
            raise ValueError(f"a table of {len(rows)} rows has {len(tones)} tones")
        self._add(lambda: self._table(head, rows, set(right), tones or [""] * len(rows), widths))

    def picture(self, picture: PageDrawing) -> None:
        """ValueError when it does not fit on a page."""
        if picture.width_mm > self.width_mm + 0.01 or picture.height_mm > self.height_mm + 0.01:
            raise ValueError(
                f"a picture of {picture.width_mm:.0f} × {picture.height_mm:.0f} mm does not fit on a page"
                f" with {self.width_mm:.0f} × {self.height_mm:.0f} mm"
            )
        self._add(picture.drawing)
        self.space(3)

    def space(self, height_mm: float) -> None:
        self._add(lambda: Spacer(1, height_mm * mm))

    def new_page(self) -> None:
        self._add(PageBreak)

    def sheet(self, picture: PageDrawing) -> None:
        """A page of its own without title and foot, such as labels; the picture begins at the upper left.
        ValueError when it is larger than the page."""
        width, height = PAGE_MM
        if picture.width_mm > width + 0.01 or picture.height_mm > height + 0.01:
            raise ValueError(
                f"a sheet of {picture.width_mm:.0f} × {picture.height_mm:.0f} mm is larger than the page"
                f" of {width:.0f} × {height:.0f} mm"
            )
        if self._parts:
            self._parts += [partial(NextPageTemplate, SHEET), PageBreak]
        else:
            self._first = SHEET
        self._parts += [picture.drawing, partial(NextPageTemplate, PAGE)]
        self._page_is_full = True

    def pdf(self) -> bytes:
        """The file's bytes."""
        return self._set(self._set(None)[1])[0]

    def write(self, path: Path) -> None:
        """OSError when the file cannot be written."""
        path.write_bytes(self.pdf())

    def _add(self, part: Callable[[], Any]) -> None:
        if self._page_is_full:
            self._parts.append(PageBreak)
            self._page_is_full = False
        self._parts.append(part)

    def _set(self, pages: int | None) -> tuple[bytes, int]:
        """The file and how many pages it has; that number stands in each page's foot when it is known."""
        into = io.BytesIO()

        def furnish(canvas: Canvas, document: Any) -> None:
            self._furnish(canvas, number=document.page, pages=pages)

        inner = _frame(MARGIN_MM, MARGIN_MM + FOOT_MM, self.width_mm, self.height_mm)
        outer = _frame(0, 0, *PAGE_MM)
        templates = [PageTemplate(PAGE, [inner], onPage=furnish), PageTemplate(SHEET, [outer])]
        document = BaseDocTemplate(
            into,
            pagesize=A4,
            pageTemplates=sorted(templates, key=lambda template: template.id != self._first),
            title=self._title,
            subject=self._subtitle,
            author="pi-controller",
            creator="pi-controller",
            invariant=1,
        )
        document.build([part() for part in self._parts] or [Spacer(1, 1)])
        return into.getvalue(), int(document.page)

    def _furnish(self, canvas: Canvas, *, number: int, pages: int | None) -> None:
        width, height = PAGE_MM
        frame = PageDrawing(width, height)
        right = width - MARGIN_MM
        frame.mark((MARGIN_MM, MARGIN_MM - 0.2), MARK_MM)
        left = MARGIN_MM + MARK_MM + GAP_MM
        room = self._furnish_event(canvas, frame) - MARK_MM - GAP_MM
        frame.fitted_text(left, MARGIN_MM + 4, self._title, width=room, size_pt=15, bold=True)
        frame.fitted_text(left, MARGIN_MM + 9, self._subtitle, width=room, size_pt=9, colour=GREY)
        frame.line((MARGIN_MM, MARGIN_MM + 11.2), (right, MARGIN_MM + 11.2), width_mm=0.4)
        foot = height - MARGIN_MM
        frame.fitted_text(MARGIN_MM, foot, self._foot, width=self.width_mm - 25, size_pt=8, colour=GREY)
        page = Sentence("paper.page", number=number)
        if pages:
            page = Sentence("paper.page_of", number=number, pages=pages)
        frame.fitted_text(right, foot, words(page), width=24, size_pt=8, anchor="end", colour=GREY)
        frame.drawing().drawOn(canvas, 0, 0)

    def _furnish_event(self, canvas: Canvas, frame: PageDrawing) -> float:
        """At the right of the head; returns how much is left beside it, in mm."""
        right, event = PAGE_MM[0] - MARGIN_MM, self._event
        if event.logo is not None:
            right -= GAP_MM + draw_logo(canvas, event.logo, right_mm=right, top_mm=PAGE_MM[1] - MARGIN_MM)
        if event.name:
            width = min(EVENT_SHARE * self.width_mm, fonts.width_pt(event.name, EVENT_PT, bold=True) / mm)
            frame.fitted_text(
                right, MARGIN_MM + 4, event.name, width=width, size_pt=EVENT_PT, bold=True, anchor="end"
            )
            right -= width + GAP_MM
        return float(right - MARGIN_MM)

    def _key_values(self, pairs: Sequence[tuple[str, str]]) -> Any:
        cells = [[_cell(key, CELL_GREY), _cell(value, CELL)] for key, value in pairs]
        first = min(max(fonts.width_pt(key, CELL.fontSize) for key, _ in pairs) + 3 * CELL_PT, 60 * mm)
        style = [("VALIGN", (0, 0), (-1, -1), "TOP"), ("LEFTPADDING", (0, 0), (0, -1), 0), *TIGHT]
        return Table(cells, colWidths=[first, self.width_mm * mm - first], style=style, spaceAfter=2 * mm)

    def _table(
        self,
        head: Sequence[str],
        rows: Sequence[Sequence[str]],
        right: set[int],
        tones: Sequence[Tone],
        widths: Sequence[float] | None,
    ) -> Any:
        page = self.width_mm * mm
        asked = widths or _asked_widths(head, rows, page)
        columns = [page * share / sum(asked) for share in asked] if widths else asked
        columns = _uncut(columns, head)
        cells = [
            [_cell(text, CELL_RIGHT if at in right else CELL, bold=True) for at, text in enumerate(head)]
        ]
        for row, tone in zip(rows, tones, strict=True):
            styles = [CELL_RIGHT if at in right else CELL for at in range(len(row))]
            if tone:
                styles[0] = ParagraphStyle(tone, styles[0], textColor=HexColor(TONES[tone]))
            cells.append(
                [
                    _cell(text, style, bold=bool(tone) and at == 0)
                    for at, (text, style) in enumerate(zip(row, styles, strict=True))
                ]
            )
        return Table(cells, colWidths=columns, repeatRows=1, style=TABLE, hAlign="LEFT", spaceAfter=3 * mm)


def _frame(left_mm: float, bottom_mm: float, width_mm: float, height_mm: float) -> Any:
    """Without padding."""
    edges = (left_mm * mm, bottom_mm * mm, width_mm * mm, height_mm * mm)
    return Frame(*edges, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)


def _cell(text: str, style: ParagraphStyle, *, bold: bool = False) -> Any:
    return Paragraph(fonts.marked(text, bold=bold), style)


def _asked_widths(head: Sequence[str], rows: Sequence[Sequence[str]], page: float) -> list[float]:
    """What each column would like; where that is too much, the wide ones share what the narrow ones leave."""
    asked = [
        max(fonts.width_pt(text, CELL.fontSize, bold=True) for text in column) + 2 * CELL_PT + 1
        for column in zip(head, *rows, strict=True)
    ]
    if sum(asked) <= page:
        return asked
    fair = page / len(asked)
    narrow = sum(width for width in asked if width <= fair)
    wide = sum(width for width in asked if width > fair)
    return [width if width <= fair else width * (page - narrow) / wide for width in asked]


def _uncut(columns: Sequence[float], head: Sequence[str]) -> Sequence[float]:
    """As wide in all, but each takes the longest word of its head, where the others can spare it."""
    least = [
        max((fonts.width_pt(word, CELL.fontSize, bold=True) for word in text.split()), default=0.0)
        + 2 * CELL_PT
        + 1
        for text in head
    ]
    lacking = sum(max(0.0, need - width) for width, need in zip(columns, least, strict=True))
    to_spare = sum(max(0.0, width - need) for width, need in zip(columns, least, strict=True))
    if lacking == 0 or to_spare < lacking:
        return columns
    kept = 1 - lacking / to_spare
    return [need + max(0.0, width - need) * kept for width, need in zip(columns, least, strict=True)]


def _style(name: str, **more: Any) -> ParagraphStyle:
    return ParagraphStyle(name, **{"fontName": fonts.REGULAR, "textColor": HexColor(INK), **more})


fonts.register()
BODY = _style("body", fontSize=9.5, leading=13, spaceAfter=4)
BULLET = _style("bullet", fontSize=9.5, leading=13, spaceAfter=2, leftIndent=10, bulletIndent=1)
HEADINGS = (
    _style("first", fontSize=13, leading=16, spaceBefore=8, spaceAfter=4),
    _style("second", fontSize=10.5, leading=14, spaceBefore=6, spaceAfter=3),
)
CELL = _style("cell", fontSize=8.5, leading=10.5)
CELL_RIGHT = _style("right", fontSize=8.5, leading=10.5, alignment=2)
CELL_GREY = _style("grey", fontSize=8.5, leading=10.5, textColor=HexColor(GREY))
TIGHT = [("TOPPADDING", (0, 0), (-1, -1), 1), ("BOTTOMPADDING", (0, 0), (-1, -1), 1)]
TABLE = [
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ("LEFTPADDING", (0, 0), (-1, -1), CELL_PT),
    ("RIGHTPADDING", (0, 0), (-1, -1), CELL_PT),
    ("TOPPADDING", (0, 0), (-1, -1), 2),
    ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
    ("LINEBELOW", (0, 0), (-1, 0), 0.8, HexColor(INK)),
    ("LINEBELOW", (0, 1), (-1, -1), 0.3, HexColor(FAINT)),
    ("BACKGROUND", (0, 0), (-1, 0), white),
]
