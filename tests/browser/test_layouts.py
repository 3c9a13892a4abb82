"""Layouts of the hall screen: where it stands, and that the page around it is empty."""

import io

import pytest
from PIL import Image
from playwright.sync_api import expect

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


def test_an_overlay_for_a_keyer_has_green_ground(screen: Screen) -> None:
    screen.open("/overlay?ground=green")
    screen.play(HALL["round"])
    picture = seen(screen)
    assert picture.getpixel((10, 10)) == picture.getpixel((1910, 1070)) == (0, 255, 0, 255)
    assert picture.getpixel((1500, 800)) != (0, 255, 0, 255)
    screen.play(pictures.picture(cover="black", seq=200, saved_seq=200))
    screen.pass_ms(40)
    assert seen(screen).getcolors(2) == [(1920 * 1080, (0, 255, 0, 255))], "all of it is keyed out"


@pytest.mark.parametrize(("path", "codes"), [("/?layout=corner", 2), ("/overlay", 0)])
def test_a_stream_does_not_tell_the_halls_wireless_network(screen: Screen, path: str, codes: int) -> None:
    asked: list[str] = []
    screen.page.on("request", lambda request: asked.append(request.url))
    screen.stage.join = {"wifi": "Town hall", "address": "http://192.168.178.20:8080/phone", "claims": None}
    screen.open(path)
    screen.play(HALL["ready"])
    expect(screen.page.locator(".join-way")).to_have_count(codes)
    assert any(url.endswith("/api/join") for url in asked) == (codes > 0)


def test_a_black_overlay_is_empty(screen: Screen) -> None:
    screen.open("/overlay")
    screen.play(pictures.picture(cover="black"))
    screen.pass_ms(40)
    assert seen(screen).getextrema()[3] == (0, 0)


def test_the_full_screen_is_painted_everywhere(screen: Screen) -> None:
    screen.open("/")
    screen.play(pictures.picture())
    assert seen(screen).getextrema()[3] == (255, 255)
