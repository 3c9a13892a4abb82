"""What matters on the hall screen is read from the back row: its letters are never lower than 1/25 of the picture."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser import pictures
from tests.browser.screen import Screen
from tests.browser.situations import HALL

pytestmark = pytest.mark.browser

CAPITALS = 0.05
"""Of the picture's height, of a board that claims: 10 cm on a picture of two metres, the 200th part of 20 m."""
CAPITAL_EM = 0.686
"""Height of a capital of Archivo, in em."""
SMALL = """
() => {
  const small = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    if (!own || element.closest('.only-spoken, .languages, .theme-button, noscript')) continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const share = parseFloat(getComputedStyle(element).fontSize) / innerHeight;
    if (share < 0.0399) small.push(`${element.textContent.trim().slice(0, 40)}: ${(100 * share).toFixed(2)} %`);
  }
  return small;
}
"""
MANY = [
    pictures.claim(number, board, side)
    for number, (board, side) in enumerate(
        [("HALL-NORTH-GALLERY-12AB", "moon"), ("C12", "sun"), ("A7", "moon"), ("A8", "sun")], 1
    )
]


@pytest.mark.parametrize("size", [(1920, 1080), (1366, 768)])
def test_nothing_that_matters_is_smaller_than_a_twenty_fifth(
    new_screen: Callable[..., Screen], size: tuple[int, int]
) -> None:
    screen = new_screen(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    screen.open()
    event = {"name": "Winter Marathon", "logo": False, "colours": None}
    captions = {"captions": [{"key": "voice.claim", "params": {}}], "spoken_until_ms": 1}
    sound = captions | {"muted": None, "ducked": False}
    small = {}
    shown = HALL | {"caption": pictures.picture(sound=sound), "claims": pictures.paused("claim", claims=MANY)}
    for number, (name, picture) in enumerate(shown.items()):
        screen.play(picture | {"seq": 100 + number, "saved_seq": 100 + number, "event": event})
        small[name] = screen.page.evaluate(SMALL)
    screen.lose_news()
    small["lost"] = screen.page.evaluate(SMALL)
    assert {name: found for name, found in small.items() if found} == {}


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_a_board_that_claims_is_read_from_twenty_metres(
    new_screen: Callable[..., Screen], count: int
) -> None:
    screen = new_screen(reduced_motion="reduce")
    page = screen.open()
    claims: list[dict[str, Any]] = MANY[:count]
    settled = [pictures.claim(9, "B3", "sun", status="rejected", points=16)]
    screen.play(pictures.paused("claim", "button", claims=claims + settled))
    boards = page.locator(".claim.open .claim-who")
    assert boards.count() == min(count, 3)
    sizes = boards.evaluate_all(
        "all => all.map((one) => parseFloat(getComputedStyle(one).fontSize) / innerHeight)"
    )
    assert min(sizes) * CAPITAL_EM >= CAPITALS
    more = {1: "", 2: "+1", 3: "+1", 4: "+2"}[count]
    assert screen.text("claims-more") == more
    inside = "all => all.every((one) => one.scrollWidth <= one.clientWidth + 1)"
    assert boards.evaluate_all(inside)
