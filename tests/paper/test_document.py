import io
from pathlib import Path

import pytest
from PIL import Image
from pypdf import PdfReader

from pi_controller.paper.document import Paper, PaperEvent, Size, png_logo
from pi_controller.paper.picture import PageDrawing
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


@pytest.mark.parametrize(
    ("size", "edges"),
    [("A4", (210, 297)), ("A4 landscape", (297, 210)), ("A5", (148, 210)), ("A5 landscape", (210, 148))],
)
def test_sizes(size: Size, edges: tuple[int, int]) -> None:
    assert reading.size_mm(Paper("x", size=size).pdf()) == edges


def test_an_empty_document_is_one_page() -> None:
    assert len(reading.pages(Paper("Empty").pdf())) == 1


def test_a_new_page() -> None:
    paper = Paper("x")
    paper.paragraph("first")
    paper.new_page()
    paper.paragraph("second")
    assert ["first" in page for page in reading.pages(paper.pdf())] == [True, False]


def test_a_wide_table_stays_on_the_page() -> None:
    paper = Paper("x", size="A5")
    paper.table(["No.", "Sentence", "Remedy"], [["1", "long " * 60, "longer " * 60]])
    paper.table(["Left", "Right"], [["1", "2"]], widths=[1, 3])
    assert reading.pages(paper.pdf())[0].count("long ") == 60


def test_the_meta_data_names_the_document() -> None:
    found = PdfReader(io.BytesIO(Paper("Labels", "hall 1").pdf())).metadata
    assert found is not None
    assert (found.title, found.subject, found.author) == ("Labels", "hall 1", "pi-controller")


def test_a_row_of_other_length_is_refused() -> None:
    with pytest.raises(ValueError, match="a table of 2 columns has a row of 1 cells"):
        Paper("x").table(["a", "b"], [["1"]])


def test_tones_must_match_the_rows() -> None:
    with pytest.raises(ValueError, match="a table of 1 rows has 2 tones"):
        Paper("x").table(["a"], [["1"]], tones=["good", "bad"])


def test_a_picture_that_is_too_big_is_refused() -> None:
    with pytest.raises(ValueError, match="a picture of 200 × 10 mm does not fit on a page with 180 × 245 mm"):
        Paper("x").picture(PageDrawing(200, 10))


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


def test_a_sheet_after_text_begins_a_page() -> None:
    paper = Paper("Title")
    paper.paragraph("text")
    paper.sheet(PageDrawing(210, 297))
    first, second = reading.pages(paper.pdf())
    assert "text" in first
    assert second == ""


def test_a_sheet_larger_than_the_page_is_refused() -> None:
    with pytest.raises(ValueError, match="a sheet of 210 × 297 mm is larger than the page of 148 × 210 mm"):
        Paper("x", size="A5").sheet(PageDrawing(210, 297))


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
    assert title < 50
    assert 250 < event < 500


def test_a_damaged_logo_is_no_logo() -> None:
    assert png_logo(png()[:60]) is None
