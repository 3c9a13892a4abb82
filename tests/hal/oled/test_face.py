"""The status face against pictures kept as PNG. `UPDATE_GOLDEN=1 pytest tests/hal/oled` draws them anew."""

import os
import re
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from pi_controller.hal.oled import display as face_module
from pi_controller.hal.oled.display import SIZE, WANDER, draw_face, draw_pattern, wander
from pi_controller.hal.roles import StatusFace
from pi_controller.language.languages import LANGUAGES
from pi_controller.language.words import all_words
from pi_controller.sentence import Sentence

GOLDEN = Path(__file__).parents[1] / "golden"
MINUTE_NS = 60_000_000_000
LEAST_SIZE = 9
"""The smallest that is tried; a text without room in it is cut."""
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
    "certificate": StatusFace(
        "Certificate begins with", footer="compare in the browser", lines=("3A5F 9C01", "77B2 E4D0")
    ),
    "address": StatusFace("Staff pages", lines=("https://", "192.168.178.20", ":8443")),
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
    symbols = {face.symbol for face in FACES.values()}
    assert len({draw_face(StatusFace(symbol=symbol)).tobytes() for symbol in symbols}) == len(symbols) == 7


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


def test_words_in_the_smallest_letters_stand_apart_and_none_is_cut() -> None:
    said = "The controller was 310 ms late: something else is keeping this computer busy."
    foot = draw_face(StatusFace(footer=said)).crop((0, 51, 128, 64))
    columns = "".join("." if foot.crop((x, 0, x + 1, 13)).getbbox() is None else "#" for x in range(128))
    whole = ["The", "controller", "was", "late", "by", "310"]
    assert len(re.split(r"\.{3,}", columns.strip("."))) == len(whole)


SAID: dict[str, dict[str, str | int | tuple[Sentence, ...] | Sentence]] = {
    "display.by_hand": {},
    "display.cannot_switch_off": {},
    "display.certificate_begins": {},
    "display.compare_in_browser": {},
    "display.game_over": {},
    "display.going_on": {},
    "display.keep_holding": {},
    "display.pause_first": {},
    "display.paused": {},
    "display.pin": {"pin": "493027"},
    "display.pin_to_log_in": {},
    "display.ready": {},
    "display.robber": {},
    "display.round": {"round": 188},
    "display.shown_for_a_minute": {},
    "display.staff_pages": {},
    "display.starting": {},
    "display.switching_off": {},
    "display.then_hold": {},
    "display.to_desert": {},
    "display.to_hex": {"hex": "12"},
    "display.to_switch_off": {},
    "display.unplug_when_dark": {},
}
"""What stands above and below the picture, and with what."""
REASONS = ("button", "claim", "director", "fault", "recovery")


def on_the_glass() -> list[Sentence]:
    pauses = [
        Sentence.of("display.pause", {"reasons": Sentence.of(f"display.for_{reason}", {})})
        for reason in REASONS
    ]
    return [*(Sentence.of(key, params) for key, params in SAID.items()), *pauses]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_of_the_display_has_room_in_every_language(language: str) -> None:
    wide = [
        text
        for text in all_words(on_the_glass(), language)
        if (box := face_module._room(text, LEAST_SIZE, 0))[2] - box[0] > SIZE[0] - 2 * WANDER
    ]
    assert wide == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_letter_of_its_texts_is_in_the_font(language: str) -> None:
    letters = set("".join(all_words(on_the_glass(), language)))
    lacking = face_module._font(20).getmask("\uf8ff", mode="1")
    assert [
        one for one in letters if bytes(face_module._font(20).getmask(one, mode="1")) == bytes(lacking)
    ] == []


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
