"""Documents and pictures on paper."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from pypdf import PdfReader

from pi_controller.paper import fonts
from pi_controller.paper.document import Paper, PaperEvent, png_logo
from pi_controller.paper.picture import MOST_LABELS, PageDrawing, bars
from tests.paper import reading

POLISH = "Zażółć gęślą jaźń, ŁÓDŹ"


def full() -> Paper:
    paper = Paper("Self-test", "field, 21 November 2026", foot="pi-controller")
    paper.heading("Verdict")
    paper.paragraph("Two checks failed.", tone="bad")
    paper.key_values([("Host", "hall-1"), ("Operator", "Łucja")])
    paper.bullets(["Exchange the cable.", "Look at board A7."])
    paper.table(["Code", "Value"], [["PWR", "4.98 V"]] * 80, right=[1], tones=["good", "bad"] * 40)
    return paper


def test_everything_that_was_added_is_on_paper() -> None:
    first, *rest = reading.pages(full().pdf())
    for text in (
        "Self-test",
        "field, 21 November 2026",
        "Verdict",
        "Two checks failed.",
        "Łucja",
        "board A7",
    ):
        assert text in first
    assert all("Code Value" in page for page in (first, *rest))  # the head is repeated
    assert " ".join([first, *rest]).count("PWR 4.98 V") == 80


def test_pages_are_counted() -> None:
    pages = reading.pages(full().pdf())
    assert len(pages) > 1
    assert f"page 1 of {len(pages)}" in pages[0]
    assert f"page {len(pages)} of {len(pages)}" in pages[-1]


def test_the_same_content_makes_the_same_bytes() -> None:
    paper = full()
    assert paper.pdf() == paper.pdf() == full().pdf()


def test_letters_of_all_languages_are_embedded() -> None:
    paper = Paper(POLISH)
    paper.paragraph(f"{POLISH}; Straße, señal, lançamento; ≤ 15 ms → 4.7 kΩ; Ελληνικά")
    assert reading.fonts(paper.pdf()) == {"Archivo-Regular", "Archivo-Bold", "DejaVuSans"}
    assert f"{POLISH}; Straße, señal, lançamento; ≤ 15 ms → 4.7 kΩ; Ελληνικά" in reading.pages(paper.pdf())[0]


def test_nothing_in_a_text_is_markup() -> None:
    paper = Paper("A & B")
    paper.paragraph("<b>1 < 2</b> &amp; more")
    assert "<b>1 < 2</b> &amp; more" in reading.pages(paper.pdf())[0]


def test_pages_are_a4() -> None:
    assert reading.size_mm(Paper("x").pdf()) == (210, 297)


def test_a_wide_table_stays_on_the_page() -> None:
    paper = Paper("x")
    paper.table(["No.", "Sentence", "Remedy"], [["1", "long " * 60, "longer " * 60]])
    paper.table(["Left", "Right"], [["1", "2"]], widths=[1, 3])
    assert reading.pages(paper.pdf())[0].count("long ") == 60


def test_the_meta_data_names_the_document() -> None:
    found = PdfReader(io.BytesIO(Paper("Labels", "hall 1").pdf())).metadata
    assert found is not None
    assert (found.title, found.subject, found.author) == ("Labels", "hall 1", "pi-controller")


def test_writing(tmp_path: Path) -> None:
    paper = Paper("x")
    paper.picture(PageDrawing(10, 10))
    paper.write(tmp_path / "x.pdf")
    assert (tmp_path / "x.pdf").read_bytes() == paper.pdf()
    with pytest.raises(FileNotFoundError):
        paper.write(tmp_path / "missing" / "x.pdf")


def test_a_sheet_has_nothing_beside_its_picture() -> None:
    paper, sheet = Paper("Title"), PageDrawing(210, 297)
    sheet.text(5, 5, "label")
    paper.sheet(sheet)
    paper.sheet(sheet)
    paper.paragraph("text again")
    first, second, third = reading.pages(paper.pdf())
    assert first == second == "label"
    assert "Title" in third
    assert "text again" in third


def png(size: tuple[int, int] = (80, 40)) -> bytes:
    made = io.BytesIO()
    Image.new("RGBA", size, (200, 30, 30, 128)).save(made, "PNG")
    return made.getvalue()


def test_the_event_stands_at_the_head_of_each_page() -> None:
    logo = png_logo(png((3000, 1500)))
    assert logo is not None
    paper = Paper("A title", "and what it is", event=PaperEvent("Spring Cup, Łódź", logo))
    paper.paragraph("First")
    paper.new_page()
    paper.paragraph("Second")
    made = paper.pdf()
    assert made == paper.pdf()
    assert all("Spring Cup, Łódź" in page for page in reading.pages(made))
    (image,) = PdfReader(io.BytesIO(made)).pages[1].images
    assert max(image.image.size if image.image else (0,)) <= 600


def test_a_long_name_of_the_event_leaves_the_title_room() -> None:
    paper = Paper("T" * 60, event=PaperEvent("E" * 60, png_logo(png())))
    places = reading.places(paper.pdf())
    title, event = places["T" * 60][0], places["E" * 60][0]
    assert title < 85
    assert 250 < event < 500


def test_a_damaged_logo_is_no_logo() -> None:
    assert png_logo(png()[:60]) is None


@pytest.mark.parametrize(
    ("add", "why"),
    [
        (lambda paper: paper.table(["a", "b"], [["1"]]), "a table of 2 columns has a row of 1 cells"),
        (lambda paper: paper.table(["a"], [["1"]], tones=["good", "bad"]), "a table of 1 rows has 2 tones"),
        (
            lambda paper: paper.picture(PageDrawing(200, 10)),
            "a picture of 200 × 10 mm does not fit on a page with 180 × 245 mm",
        ),
        (
            lambda paper: paper.sheet(PageDrawing(210, 298)),
            "a sheet of 210 × 298 mm is larger than the page of 210 × 297 mm",
        ),
        (lambda paper: paper.picture(bars([1.0, 2.0], labels=["a"], unit="V")), "not 1 for 2"),
        (lambda paper: paper.picture(bars([-1.0], labels=["a"], unit="V")), "cannot show values below 0"),
    ],
)
def test_what_cannot_be_printed_is_refused(add: Callable[[Paper], None], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        add(Paper("x"))


def drawn(picture: PageDrawing) -> bytes:
    paper = Paper("PageDrawing")
    paper.picture(picture)
    return paper.pdf()


def test_texts_and_shapes() -> None:
    picture = PageDrawing(100, 50)
    picture.rect((0, 0), (100, 50), round_mm=3, fill="#ffffff")
    picture.circle(10, 10, 4)
    picture.line((0, 20), (100, 20))
    picture.text(50, 30, "Łódź ≤ 5", anchor="middle", bold=True)
    assert "Łódź ≤ 5" in reading.pages(drawn(picture))[0]


def test_a_text_is_made_to_fit() -> None:
    fitted, free = PageDrawing(100, 20), PageDrawing(100, 20)
    fitted.fitted_text(0, 10, "a very long name of a board", width=20, size_pt=20)
    free.text(0, 10, "a very long name of a board", size_pt=20)
    sizes = [picture.drawing().contents[0].fontSize for picture in (fitted, free)]
    assert fonts.width_pt("a very long name of a board", sizes[0]) * 25.4 / 72 <= 20.001
    assert sizes[1] == 20


def test_a_short_text_keeps_its_size() -> None:
    picture = PageDrawing(100, 20)
    picture.fitted_text(0, 10, "A1", width=80, size_pt=20)
    assert picture.drawing().contents[0].fontSize == 20


def test_a_qr_code_is_drawn_within_its_square() -> None:
    picture = PageDrawing(60, 40)
    picture.qr((5, 5), 30, "table-node:A1:e66038b713")
    left, bottom, right, top = (edge * 25.4 / 72 for edge in picture.drawing().getBounds())
    assert 5 <= left < right <= 35.01
    assert 5 <= bottom < top <= 35.01


def test_bars_show_labels_unit_and_limit() -> None:
    paper = Paper("Bounce")
    paper.picture(bars([1.0, 4.0, 16.0], labels=["1 ms", "2 ms", "3 ms"], unit="presses", floor=15))
    text = reading.pages(paper.pdf())[0]
    for part in ("1 ms", "3 ms", "presses", "limit 15", "16"):
        assert part in text


def test_many_labels_are_thinned_out() -> None:
    paper = Paper("x")
    paper.picture(bars([1.0] * 100, labels=[f"b{n}." for n in range(100)], unit="V"))
    assert reading.pages(paper.pdf())[0].count("b") <= MOST_LABELS


def test_nothing_to_show_is_an_empty_plot() -> None:
    assert bars([], labels=[], unit="V").width_mm == 170
