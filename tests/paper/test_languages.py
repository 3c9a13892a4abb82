"""Printed pages in every language: no letter is missing, no text leaves its place."""

from collections.abc import Iterator

import pytest
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.platypus import Paragraph

from pi_controller.language.languages import NAMES, PSEUDO
from pi_controller.language.words import all_texts, speaking, words
from pi_controller.paper import document, fonts, hall
from pi_controller.paper.document import Paper
from pi_controller.paper.hall import PaperHall, cable_list, network_sheet, parts_list, supply_sheet
from pi_controller.paper.picture import PageDrawing, bars
from pi_controller.roster.model import new_roster, place
from pi_controller.sentence import Sentence
from pi_controller.supply.zone import SupplyWiring
from tests.matrix import further
from tests.paper import reading

UID = "e6614103e7452a2f"
SMALLEST_PT = 4.5
"""What has to be smaller to fit is not read by the light of a hall."""
SPACE_PT = 3.0
"""reportlab counts the space at which it has broken a line of several fonts."""
HALL = PaperHall(roster=place(new_roster(2, 14), "A1", UID), wiring=SupplyWiring(), addresses={UID: "A 7"})


def printed() -> Iterator[Paper]:
    """Every sheet of a hall."""
    sheets = Paper(words(Sentence("paper.title_all")), "Town hall", foot="pi-controller")
    hall.add_map(sheets, HALL)
    supply_sheet(sheets, HALL)
    parts_list(sheets, HALL)
    cable_list(sheets, HALL)
    network_sheet(sheets, "http://192.168.1.20:8080")
    sheets.picture(bars([1.0, 2.5], labels=["A1", "A2"], unit="V", floor=2))
    yield sheets
    for sheet in hall.LABEL_SHEETS.values():
        paper = Paper(words(Sentence("paper.title_labels")))
        hall.add_labels(paper, HALL, sheet)
        yield paper


@pytest.mark.parametrize("language", NAMES)
def test_the_fonts_have_every_letter(language: str) -> None:
    fonts.register()
    texts = "".join(text if isinstance(text, str) else "".join(text) for text in all_texts(language).values())
    lacking = {
        letter
        for bold in (False, True)
        for font, piece in fonts.runs("".join(sorted(set(texts) - {"\n"})), bold=bold)
        for letter in piece
        if ord(letter) not in pdfmetrics.getFont(font).face.charToGlyph
    }
    assert lacking == set()


@pytest.mark.parametrize("language", [PSEUDO, *further("en", "de")])
def test_no_text_leaves_its_place(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    outside: list[str] = []

    class Measured(Paragraph):
        def wrap(self, width: float, height: float) -> tuple[float, float]:
            taken: tuple[float, float] = super().wrap(width, height)
            if any(line > width + SPACE_PT for line in self.getActualLineWidths0()):
                outside.append(f"wider than its column: {self.text}")
            return taken

    drawn = PageDrawing.text

    def measured(self: PageDrawing, x: float, y: float, text: str, **look: object) -> None:
        size, bold = float(str(look.get("size_pt", 9))), bool(look.get("bold"))
        wide = fonts.width_pt(text, size, bold=bold) / mm
        left = x - wide * {"start": 0.0, "middle": 0.5, "end": 1.0}[str(look.get("anchor", "start"))]
        if left < -0.1 or left + wide > self.width_mm + 0.1 or not 0 <= y <= self.height_mm:
            outside.append(f"outside of its picture: {text}")
        if size < SMALLEST_PT:
            outside.append(f"smaller than can be read ({size:.1f} pt): {text}")
        drawn(self, x, y, text, **look)  # type: ignore[arg-type]

    monkeypatch.setattr(document, "Paragraph", Measured)
    monkeypatch.setattr(PageDrawing, "text", measured)
    with speaking(language):
        files = [paper.pdf() for paper in printed()]
    assert outside == []
    if language == PSEUDO:
        told = [
            page for file in files[:2] for page in reading.pages(file)
        ]  # one of the sheets of labels, too
        assert all("[" in page for page in told)
