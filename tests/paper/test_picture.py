import pytest

from pi_controller.paper import fonts
from pi_controller.paper.document import Paper
from pi_controller.paper.picture import MOST_LABELS, PageDrawing, bars
from tests.paper import reading


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


def test_a_picture_in_a_picture() -> None:
    inner, outer = PageDrawing(10, 10), PageDrawing(50, 50)
    inner.text(1, 5, "within")
    outer.place(inner, 20, 20)
    assert "within" in reading.pages(drawn(outer))[0]


def test_bars_show_labels_unit_and_limit() -> None:
    paper = Paper("Bounce")
    paper.picture(bars([1.0, 4.0, 16.0], labels=["1 ms", "2 ms", "3 ms"], unit="presses", limit=15))
    text = reading.pages(paper.pdf())[0]
    for part in ("1 ms", "3 ms", "presses", "limit 15", "16"):
        assert part in text


def test_many_labels_are_thinned_out() -> None:
    paper = Paper("x")
    paper.picture(bars([1.0] * 100, labels=[f"b{n}." for n in range(100)], unit="V"))
    assert reading.pages(paper.pdf())[0].count("b") <= MOST_LABELS


def test_nothing_to_show_is_an_empty_plot() -> None:
    assert bars([], labels=[], unit="V").width_mm == 170


def test_a_missing_label_is_refused() -> None:
    with pytest.raises(ValueError, match="a label for each value, not 1 for 2"):
        bars([1.0, 2.0], labels=["a"], unit="V")


def test_values_below_zero_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot show values below 0"):
        bars([-1.0], labels=["a"], unit="V")
