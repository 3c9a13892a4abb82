"""Layouts of the hall screen: where it stands, and that the page around it is empty."""

import io
from collections.abc import Callable
from itertools import product

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser import pictures
from tests.browser.screen import Screen
from tests.browser.situations import HALL
from tests.matrix import further

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
    screen.play(pictures.picture(cover="black", seq=200, saved_seq=200))
    screen.pass_ms(40)
    if path == "/overlay":
        assert seen(screen).getextrema()[3] == (0, 0), "a black overlay is empty"
    screen.play(HALL["round"] | {"seq": 201, "saved_seq": 201})
    screen.pass_ms(2_450)
    assert screen.scene() == "lost"
    assert seen(screen).getpixel((10, 10))[3] == 0  # type: ignore[index]
    if path == "/overlay":
        screen.open("/")
        screen.play(pictures.picture())
        assert seen(screen).getextrema()[3] == (255, 255), "the full screen is painted everywhere"


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
    assert any("/api/join?" in url for url in asked) == (codes > 0)


# Why the game is paused stays readable on the hall screen: beside the longest message, and beside the codes for phones.

LONGEST = ("The hall closes at 22:30; jackets are handed out at the cloakroom until 22:15 only. " * 3)[:200]
SIZES = {
    "1920": ({"width": 1920, "height": 1080}, "/?lang="),
    "1366": ({"width": 1366, "height": 768}, "/?lang="),
    "390": ({"width": 390, "height": 844}, "/?lang="),
    "side": ({"width": 1920, "height": 1080}, "/?layout=side&lang="),
    "corner": ({"width": 1920, "height": 1080}, "/?layout=corner&lang="),
}
COVERED = """() => {
  const boxes = (selector) => [...document.querySelectorAll(selector)].flatMap((part) => {
    const range = document.createRange();
    range.selectNodeContents(part);
    return [...range.getClientRects()].map((box) => [selector, box]);
  }).filter(([, { width, height }]) => width > 0 && height > 0);
  const meet = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
  const read = [...boxes(".pause-words h1"), ...boxes(".reasons li"), ...boxes("[data-is=says-text]")];
  const over = [...document.querySelectorAll(".join-way, .says, .claims, .pause-facts")].map((part) => [part.className, part.getBoundingClientRect()]);
  const body = document.body.getBoundingClientRect();
  return read.flatMap(([name, box]) => [
    ...over.filter(([other, place]) => !(name.includes("says") && other === "says") && meet(box, place)).map(([other]) => `${name} under ${other}`),
    ...(box.left < body.left || box.right > body.right + 1 ? [`${name} reaches out`] : []),
  ]);
}"""


SAMPLE = [("1366", "en-XA", 3), ("390", "en-XA", 3), ("corner", "en-XA", 3), ("side", "en-XA", 0)]


@pytest.mark.parametrize(
    ("size", "language", "claims"),
    [
        *SAMPLE,
        *further(*(case for case in product(SIZES, ("en", "en-XA"), (0, 1, 3)) if case not in SAMPLE)),
    ],
)
def test_reason_and_message_are_both_whole(
    new_screen: Callable[..., Screen], size: str, language: str, claims: int
) -> None:
    viewport, path = SIZES[size]
    screen = new_screen(viewport=viewport)
    screen.stage.join = {"wifi": "Town hall", "address": "http://192.168.178.20:8080/phone", "claims": None}
    message = {"text": LONGEST, "until_ms": None}
    asked = pictures.asked(claims) if claims else []
    reasons = ("claim", "director") if claims else ("director",)
    page = screen.open(path + language, still=False)
    screen.play(pictures.paused(*reasons, claims=asked, message=message))
    page.locator(".scene.pause .reasons").wait_for()
    page.wait_for_function("() => document.querySelectorAll('.join-way img').length === 2")
    page.locator(".says").evaluate(
        "part => Promise.all(part.getAnimations().map(({ finished }) => finished))"
    )
    assert page.evaluate(COVERED) == []
    assert page.locator(".scene.pause .reasons").inner_text().strip()
    assert page.locator("[data-is=says-text]").evaluate("part => part.scrollHeight <= part.clientHeight + 1")
