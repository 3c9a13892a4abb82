"""What a director does on the page, in the words of a test, and the pictures in which it is done."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page

from tests.browser import pictures
from tests.browser.screen import Screen
from tests.browser.seen import expect

Act = Callable[[Page], Any]


def director(screen: Screen, picture: dict[str, Any], *, still: bool = True, mode: str = "show") -> Page:
    page = screen.open(f"/director#{mode}", still=still)
    screen.play(picture)
    if still:
        screen.pass_ms(40)
    expect(page.locator("body")).to_have_attribute("data-state", "fresh")
    return page


WAYS = """part => {
  const main = part.closest('main[hidden]'), drawer = part.closest('.drawer'), fold = part.closest('.fold-body[hidden]');
  const near = part.closest('.fold-near'), folded = near && getComputedStyle(near).display === 'none' ? near.nextElementSibling : fold;
  return [
    main && `mode-${main.className}`,
    drawer && !drawer.checkVisibility() && drawer.dataset.is.replace('drawer', 'open'),
    folded && folded.dataset.is.replace('fold', 'open'),
  ].filter(Boolean);
}"""
"""What is touched, one after the other, before a part of the page can be seen: mode, drawer, fold."""


def reveal(page: Page, found: Locator) -> Locator:
    for way in found.evaluate(WAYS):
        page.locator(f'[data-is="{"status" if way == "open-status" else way}"]').click()
    return found


def part(page: Page, name: str) -> Locator:
    return reveal(page, page.locator(f'[data-is="{name.replace("_", "-")}"]'))


def press(name: str) -> Act:
    return lambda page: part(page, name).click()


def fill(**values: str) -> Act:
    def act(page: Page) -> None:
        for name, value in values.items():
            part(page, name).fill(value)

    return act


def choose(**values: str) -> Act:
    def act(page: Page) -> None:
        for name, value in values.items():
            part(page, name).select_option(value)

    return act


def button(text: str) -> Act:
    return lambda page: reveal(
        page, page.get_by_role("button", name=text, exact=True, include_hidden=True).first
    ).click()


def instead(text: str) -> Act:
    """Choose this in place of the last action."""
    return lambda page: page.locator("#drawer-replace").get_by_role("button", name=text, exact=True).click()


ROUND, PAUSED, READY = pictures.picture(), pictures.paused("director"), pictures.ready(public_word=None)
ONE_CLAIM = pictures.paused("claim", claims=[pictures.claim(1, "A7", "moon")])
PRESSED = ONE_CLAIM | {"presses": [{"id": "p7", "round": 14, "side": "moon", "pressed_ms_before_end": 9_100}]}
ENDED = pictures.ended()
USUAL = [{"from_round": 1, "seconds": 35}, {"from_round": 11, "seconds": 45}]
REPLACE = press("open-replace")
DEAF_MS = 600


def JUDGE(page: Page) -> None:  # noqa: N802 - an act like the others
    """By the main action, while a claim is open in a pause; until what it has opened listens."""
    press("primary")(page)
    page.clock.run_for(DEAF_MS)
