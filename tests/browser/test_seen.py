"""The tests' own `expect`: what is hidden has not been told to anybody."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.screen import Screen
from tests.browser.seen import Seen, expect

pytestmark = pytest.mark.browser

WARNING = "No connection to the controller"
SOON_MS = 1.0


@pytest.fixture
def page(screen: Screen) -> Page:
    screen.page.set_content(
        f'<p id="shown">{WARNING}</p><p id="hidden" hidden>{WARNING}</p>'
        f'<details><summary>more</summary><p id="folded">{WARNING}</p></details><i id="empty"></i>'
    )
    return screen.page


@pytest.mark.parametrize("look", [Seen.to_have_text, Seen.to_contain_text])
def test_a_text_counts_where_it_is_seen(page: Page, look: Callable[..., None]) -> None:
    look(expect(page.locator("#shown")), WARNING)
    look(expect(page.locator("#empty")), "")
    look(expect(page.locator("#shown, summary")), [WARNING, "more"])
    for hidden in ("#hidden", "#folded"):
        with pytest.raises(AssertionError, match="visible"):
            look(expect(page.locator(hidden), within_ms=SOON_MS), WARNING)
    with pytest.raises(AssertionError, match="visible"):
        look(expect(page.locator("#shown, #hidden"), within_ms=SOON_MS), [WARNING, WARNING])
    with pytest.raises(AssertionError):
        look(expect(page.locator("#shown")), "something else", timeout=SOON_MS)


def test_what_has_not_been_drawn_is_not_hidden_yet(page: Page) -> None:
    expect(page.locator("#hidden")).to_be_drawn_hidden()
    for other in ("#shown", "#absent"):
        with pytest.raises(AssertionError):
            expect(page.locator(other), within_ms=SOON_MS).to_be_drawn_hidden()
