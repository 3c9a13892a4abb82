from pi_controller.paper import fonts
from pi_controller.paper.document import Paper
from pi_controller.paper.picture import Picture
from tests.paper import reading


def drawn(picture: Picture) -> bytes:
    paper = Paper("Drawing")
    paper.picture(picture)
    return paper.pdf()


def test_texts_and_shapes() -> None:
    picture = Picture(100, 50)
    picture.rect((0, 0), (100, 50), round_mm=3, fill="#ffffff")
    picture.circle(10, 10, 4)
    picture.line((0, 20), (100, 20))
    picture.text(50, 30, "Łódź ≤ 5", anchor="middle", bold=True)
    assert "Łódź ≤ 5" in reading.pages(drawn(picture))[0]


def test_a_text_is_made_to_fit() -> None:
    fitted, free = Picture(100, 20), Picture(100, 20)
    fitted.fitted_text(0, 10, "a very long name of a board", width=20, size_pt=20)
    free.text(0, 10, "a very long name of a board", size_pt=20)
    sizes = [picture.drawing().contents[0].fontSize for picture in (fitted, free)]
    assert fonts.width_pt("a very long name of a board", sizes[0]) * 25.4 / 72 <= 20.001
    assert sizes[1] == 20


def test_a_short_text_keeps_its_size() -> None:
    picture = Picture(100, 20)
    picture.fitted_text(0, 10, "A1", width=80, size_pt=20)
    assert picture.drawing().contents[0].fontSize == 20


def test_a_qr_code_is_drawn_within_its_square() -> None:
    picture = Picture(60, 40)
    picture.qr((5, 5), 30, "table-node:A1:e66038b713")
    left, bottom, right, top = (edge * 25.4 / 72 for edge in picture.drawing().getBounds())
    assert 5 <= left < right <= 35.01
    assert 5 <= bottom < top <= 35.01


def test_a_picture_in_a_picture() -> None:
    inner, outer = Picture(10, 10), Picture(50, 50)
    inner.text(1, 5, "within")
    outer.place(inner, 20, 20)
    assert "within" in reading.pages(drawn(outer))[0]
