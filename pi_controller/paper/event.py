"""The event at the head of each page: its name, and its logo beside it."""

import io
import logging
from dataclasses import dataclass

from PIL import Image
from reportlab.lib.units import mm
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

LOGO_MM = (26.0, 9.5)
"""At most so wide and high: it fits above the rule at the head."""
GAP_MM = 3.0
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
