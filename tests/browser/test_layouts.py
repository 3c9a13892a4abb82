"""Layouts of the hall screen: where it stands, and that the page around it is empty."""

import io

import pytest
from PIL import Image

from tests.browser import pictures
from tests.browser.screen import Screen
from tests.browser.situations import HALL

pytestmark = pytest.mark.browser


def seen(screen: Screen) -> Image.Image:
    """As a program that mixes pictures has it."""
    return Image.open(io.BytesIO(screen.page.screenshot(omit_background=True))).convert("RGBA")


@pytest.mark.parametrize(
    ("path", "empty", "filled"),
    [
        ("/overlay", [(10, 10), (960, 300), (1900, 1070)], (1500, 800)),
        ("/?layout=corner", [(10, 10), (960, 300), (1900, 1070)], (1500, 800)),
        ("/?layout=side", [(10, 10), (960, 540), (1300, 1000)], (1600, 540)),
    ],
)
def test_around_the_hall_screen_nothing_is_painted(
    screen: Screen, path: str, empty: list[tuple[int, int]], filled: tuple[int, int]
) -> None:
    screen.open(path)
    for number, name in enumerate(("round", "pause-claims", "message", "ended")):
        screen.play(HALL[name] | {"seq": 100 + number, "saved_seq": 100 + number})
        picture = seen(screen)
        assert [picture.getpixel(place)[3] for place in empty] == [0] * len(empty), name  # type: ignore[index]
        assert picture.getpixel(filled)[3] == 255, name  # type: ignore[index]
    screen.pass_ms(2_450)
    assert screen.scene() == "lost"
    assert seen(screen).getpixel((10, 10))[3] == 0  # type: ignore[index]


def test_a_black_overlay_is_empty(screen: Screen) -> None:
    screen.open("/overlay")
    screen.play(pictures.picture(cover="black"))
    screen.pass_ms(40)
    assert seen(screen).getextrema()[3] == (0, 0)


def test_the_full_screen_is_painted_everywhere(screen: Screen) -> None:
    screen.open("/")
    screen.play(pictures.picture())
    assert seen(screen).getextrema()[3] == (255, 255)
