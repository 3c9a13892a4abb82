"""The status face against pictures kept as PNG. `UPDATE_GOLDEN=1 pytest tests/hal/oled` draws them anew."""

import os
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageFont

from pi_controller.hal.oled import face as face_module
from pi_controller.hal.oled.face import SIZE, WANDER, draw_face, draw_pattern, wander
from pi_controller.hal.roles import StatusFace

GOLDEN = Path(__file__).parents[1] / "golden"
MINUTE_NS = 60_000_000_000
# Fonts are drawn a little differently from one FreeType to the next.
MAY_DIFFER = SIZE[0] * SIZE[1] // 100

FACES = {
    "sun": StatusFace("Round 12 · Sun", "0:34", "8 = 5 + 3", "sun"),
    "moon": StatusFace("Round 13 · Moon", "0:05", "11 = 5 + 6", "moon"),
    "robber": StatusFace("Robber", "6", "0:12", "robber"),
    "pause": StatusFace("Pause", "1:07", "claim · board 23", "pause"),
    "ready": StatusFace("Ready", "START", "192.168.178.42:8080", "ready"),
    "ended": StatusFace("The game has ended", "3 wins", "board 12, 19 points", "ended"),
    "fault": StatusFace("Check", "E-12", "Pause button: wire of NC", "fault"),
}


def lit(picture: Image.Image) -> int:
    return picture.histogram()[255]


@pytest.mark.parametrize("name", FACES)
def test_face_looks_as_it_was_approved(name: str) -> None:
    picture = draw_face(FACES[name])
    golden = GOLDEN / f"{name}.png"
    if os.environ.get("UPDATE_GOLDEN"):
        picture.save(golden)
    assert picture.mode == "1"
    assert picture.size == SIZE
    with Image.open(golden) as approved:
        assert lit(ImageChops.logical_xor(picture, approved)) <= MAY_DIFFER


@pytest.mark.parametrize("name", FACES)
@pytest.mark.parametrize("offset", [(-WANDER, -WANDER), (WANDER, WANDER)])
def test_nothing_is_cut_wherever_the_picture_wanders(name: str, offset: tuple[int, int]) -> None:
    assert lit(draw_face(FACES[name], offset)) == lit(draw_face(FACES[name]))


def test_symbols_differ() -> None:
    pictures = {draw_face(StatusFace(symbol=face.symbol)).tobytes() for face in FACES.values()}
    assert len(pictures) == len(FACES)


def test_wandering_reaches_every_offset_in_steps_of_one_pixel() -> None:
    offsets = [wander(minute * MINUTE_NS) for minute in range(200)]
    assert len(set(offsets)) == (2 * WANDER + 1) ** 2
    assert all(abs(ax - bx) + abs(ay - by) == 1 for (ax, ay), (bx, by) in pairwise(offsets))
    assert wander(MINUTE_NS - 1) == wander(0)


def test_a_countdown_keeps_its_place() -> None:
    left_edges = {
        draw_face(StatusFace(big=f"0:{second:02}", symbol="ready")).crop((38, 0, 128, 64)).getbbox()[1]
        for second in range(60)
    }
    assert len(left_edges) <= 2


def test_a_text_of_any_length_stays_in_the_picture() -> None:
    long = StatusFace("W" * 300, "W" * 300, "W" * 300)
    assert lit(draw_face(long, (WANDER, WANDER))) == lit(draw_face(long))


def test_letters_without_a_drawing_lose_their_accents() -> None:
    assert draw_face(StatusFace("Księżyc", "Räuber", "włącz")).tobytes() == (
        draw_face(StatusFace("Ksiezyc", "Rauber", "wlacz")).tobytes()
    )


def test_pillow_without_freetype_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ImageFont, "load_default", lambda _size: ImageFont.ImageFont())
    face_module._font.cache_clear()
    with pytest.raises(TypeError, match="without FreeType"):
        draw_face(FACES["sun"])


def test_a_countdown_is_measured_once() -> None:
    """Its digits take the same room, whatever they are."""
    draw_face(StatusFace(headline="round 3", big="1:59", footer="sun", symbol="sun"))
    measured = face_module._room.cache_info().misses
    draw_face(StatusFace(headline="round 4", big="0:07", footer="sun", symbol="sun"))
    assert face_module._room.cache_info().misses == measured


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
