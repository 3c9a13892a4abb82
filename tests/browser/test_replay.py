"""A game again: the hall screen of any moment, with its time below."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import pictures
from tests.browser.screen import Screen

pytestmark = pytest.mark.browser

DARK = {"sun": False, "moon": False, "pause": False}


def line(since_ms: int, *, lit: str, **changes: Any) -> dict[str, Any]:
    lamps = DARK | {lit: True}
    picture = pictures.picture(as_of_ms=since_ms, claims=[], **changes)
    return {"since_ms": since_ms, "picture": picture, "lamps": [lamps, lamps]}


LINES = [
    line(0, lit="sun", round=1, remaining_ms=35_000),
    line(
        10_000,
        lit="pause",
        round=1,
        remaining_ms=25_000,
        running=False,
        paused=True,
        pause_reasons=["director"],
    ),
    line(30_000, lit="sun", round=1, remaining_ms=25_000),
    line(55_000, lit="moon", round=2, remaining_ms=35_000),
    line(60_000, lit="moon", round=2, remaining_ms=30_000),
]


@pytest.fixture
def page(new_screen: Callable[..., Screen]) -> Page:
    screen = new_screen(viewport={"width": 1366, "height": 768})
    screen.stage.documents["games/g1/replay"] = LINES
    screen.page.goto(screen.stage.address + "/replay/g1")
    expect(screen.page.locator('[data-is="replay-moment"]')).to_have_text("0:00 of 1:00")
    return screen.page


def test_any_moment_of_a_game_can_be_seen(page: Page) -> None:
    expect(page.locator('[data-is="round"]')).to_have_text("Round 1")
    slider = page.locator('[data-is="replay-slider"]')
    slider.fill("20000")
    expect(page.locator("body")).to_have_attribute("data-scene", "pause")
    expect(page.locator('[data-is="exact-whole"]')).to_have_text("25")
    expect(page.locator('[data-is="replay-lamp-pause"]')).to_contain_text("on")
    slider.fill("35000")
    expect(page.locator("body")).to_have_attribute("data-scene", "play")
    expect(page.locator('[data-is="digits"]')).to_have_text("20")
    expect(page.locator(".mark")).to_have_count(3)


def test_keys_move_through_the_marks_and_play(page: Page) -> None:
    page.keyboard.press("PageDown")
    expect(page.locator('[data-is="replay-moment"]')).to_have_text("0:10 of 1:00")
    page.keyboard.press("PageDown")
    expect(page.locator('[data-is="round"]')).to_have_text("Round 2")
    page.keyboard.press("PageUp")
    page.keyboard.press("ArrowRight")
    expect(page.locator('[data-is="replay-moment"]')).to_have_text("0:15 of 1:00")
    page.locator('[data-is="replay-speed"]').select_option("60")
    page.locator("body").press(" ")
    expect(page.locator('[data-is="replay-moment"]')).to_have_text("1:00 of 1:00")
    expect(page.locator('[data-is="replay-go"]')).to_have_text("Play")


def test_nobody_is_asked_into_a_game_that_is_over(page: Page) -> None:
    page.locator('[data-is="replay-slider"]').fill("20000")
    expect(page.locator("body")).to_have_attribute("data-scene", "pause")
    page.wait_for_load_state("networkidle")
    expect(page.locator(".join")).to_have_count(0)


def test_a_blinking_lamp_stays_lit_for_whoever_asks_for_less_motion(
    new_screen: Callable[..., Screen],
) -> None:
    screen = new_screen(viewport={"width": 1366, "height": 768}, reduced_motion="reduce")
    blinking = LINES[0] | {"lamps": [DARK, DARK | {"sun": True}]}
    screen.stage.documents["games/g1/replay"] = [blinking, *LINES[1:]]
    page = screen.page
    page.goto(screen.stage.address + "/replay/g1")
    for moment in ("0", "400", "600", "1100"):
        page.locator('[data-is="replay-slider"]').fill(moment)
        expect(page.locator('[data-is="replay-lamp-sun"]')).to_contain_text("on")
