"""Why the game is paused stays readable on the hall screen: beside the longest message, and beside the codes for phones."""

from collections.abc import Callable
from itertools import product

import pytest

from tests.browser import pictures
from tests.browser.screen import Screen
from tests.matrix import further

pytestmark = pytest.mark.browser

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


SAMPLE = [
    *((size, "en-XA", 3) for size in SIZES),
    *((size, "en-XA", 0) for size in ("390", "side")),
    ("390", "en", 1),
]


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
