import pytest
from PIL import Image

from pi_controller.hal.oled.face import draw_face
from pi_controller.hal.oled.patterns import SIZE, draw_pattern
from pi_controller.hal.roles import StatusFace

PIXELS = SIZE[0] * SIZE[1]


def lit_of(picture: Image.Image) -> int:
    return sum(byte.bit_count() for byte in picture.tobytes())


@pytest.mark.parametrize(
    ("pattern", "lit"),
    [("white", PIXELS), ("black", 0), ("checker", PIXELS // 2), ("border", 2 * (SIZE[0] + SIZE[1]) - 4)],
)
def test_so_many_pixels_are_lit(pattern: str, lit: int) -> None:
    picture = draw_pattern(pattern)  # type: ignore[arg-type]
    assert (picture.mode, picture.size) == ("1", SIZE)
    assert lit_of(picture) == lit


def test_the_border_is_one_pixel_at_all_four_edges() -> None:
    picture = draw_pattern("border")
    assert lit_of(picture.crop((1, 1, SIZE[0] - 1, SIZE[1] - 1))) == 0


def test_digits_fill_the_display_without_leaving_it() -> None:
    box = draw_pattern("digits").getbbox()
    assert box is not None
    assert box[0] <= 2
    assert box[2] > SIZE[0] * 3 // 4
    assert SIZE[1] - 8 <= box[3] <= SIZE[1]


def test_a_face_with_a_pattern_shows_nothing_else_and_does_not_wander() -> None:
    face = StatusFace("Round 1", "35", "3 + 4 = 7", "sun", pattern="border")
    assert draw_face(face, (2, -1)).tobytes() == draw_pattern("border").tobytes()
