"""An open claim is where the eye is, wherever the director's page is scrolled to; in the title; and it sounds."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser import pictures
from tests.browser.acts import ROUND, director, press
from tests.browser.screen import Screen
from tests.browser.seen import expect

pytestmark = pytest.mark.browser

COUNT_TONES = """
window.tones = 0;
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...given) { window.tones += 1; return start.apply(this, given); };
window.contexts = [];
window.AudioContext = class extends AudioContext { constructor() { super(); window.contexts.push(this); } };
"""
JUDGED = ROUND["allowed"] | {"verdict": None, "withdraw": None}
A7, C12 = pictures.claim(1, "A7", "moon"), pictures.claim(2, "C12", "sun")


def in_the_window(page: Page, selector: str) -> bool:
    box = page.locator(selector).bounding_box()
    size = page.viewport_size
    assert box is not None
    assert size is not None
    return box["y"] >= 0 and box["y"] + box["height"] <= size["height"] and box["x"] >= 0


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_a_claim_is_seen_wherever_the_page_is(
    new_screen: Callable[..., Screen], size: tuple[int, int]
) -> None:
    screen = new_screen(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    page = director(screen, ROUND, mode="setup")
    title = page.title()
    banner = page.locator('[data-is="claim-banner"]')
    expect(banner).to_have_count(0)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    big = page.locator('[data-is="primary"]').bounding_box()
    screen.play(ROUND | {"seq": 42, "claims": [A7]})
    expect(banner).to_contain_text("Board A7")
    expect(banner).to_contain_text("Moon")
    assert in_the_window(page, '[data-is="claim-banner"]')
    assert page.locator('[data-is="primary"]').bounding_box() == big  # nothing moves under a hand
    assert page.title() == f"(1) {title}"
    screen.play(ROUND | {"seq": 43, "claims": [A7, C12], "allowed": JUDGED})
    expect(banner).to_contain_text("and 1 more")
    assert page.title() == f"(2) {title}"
    press("claim-jump")(page)
    assert in_the_window(page, ".claims .claim.open >> nth=0")
    expect(page.locator(".claims .claim.open button").first).to_be_focused()
    expect(banner).to_have_count(0)  # here the claims themselves are always in the window
    rejected = [claim | {"status": "rejected"} for claim in (A7, C12)]
    screen.play(ROUND | {"seq": 44, "claims": rejected})
    expect(banner).to_have_count(0)
    assert page.title() == title


def test_each_new_claim_sounds_once_after_the_first_touch_unless_it_is_switched_off(screen: Screen) -> None:
    screen.page.add_init_script(COUNT_TONES)
    page = director(screen, ROUND)
    screen.play(ROUND | {"seq": 42, "claims": [A7]})
    assert page.evaluate("[contexts.length, tones]") == [0, 0]  # a browser lets no page sound unasked
    page.keyboard.press("Shift")
    page.mouse.click(5, 5)
    page.evaluate("Promise.all(contexts.map((context) => context.resume()))")
    screen.play(ROUND | {"seq": 43, "claims": [A7, C12]})
    screen.play(ROUND | {"seq": 44, "claims": [A7, C12]})
    assert page.evaluate("tones") == 2  # two notes
    press("claim-tone")(page)
    screen.play(ROUND | {"seq": 45, "claims": [A7, C12, pictures.claim(3, "B3", "sun")]})
    assert page.evaluate("tones") == 2
    page.reload()
    expect(page.locator('[data-is="claim-tone"]')).to_have_attribute("aria-pressed", "false")
