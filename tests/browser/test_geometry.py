"""The measure of what can be read finds what lies on a text or a button: planted cases on a page of their own."""

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.every_page import MEASURE
from tests.browser.screen import Screen
from tests.browser.situations import HALL

pytestmark = pytest.mark.browser

PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=="
PAGE = (
    "<style>body { margin: 0 } .on { position: absolute; left: 150px; top: 8px; width: 90px; height: 30px } "
    ".card { background: #fff }</style>"
    '<main><p style="font-size: 20px; margin: 10px; width: 400px">The target is 18 points in this game</p>'
    '<button style="position: absolute; left: 20px; top: 60px; width: 300px; height: 60px"><b>Pause</b></button>{}</main>'
)
BUTTON = 'style="left: 30px; top: 65px; height: 20px; width: 60px"'
PLANTED = {
    "a card over a text": '<div class="on card"></div>',
    "a picture over a text": f'<img class="on" src="{PIXEL}">',
    "a banner that a hand goes through": '<div class="on card" style="pointer-events: none"></div>',
    "a text over a text": '<div class="on">banner</div>',
    "a picture over a button, beside its text": f'<img class="on" {BUTTON} src="{PIXEL}">',
    "a card over a button, beside its text": f'<div class="on card" {BUTTON}></div>',
}
FREE = {
    "nothing": "",
    "a box that paints nothing": '<div class="on"></div>',
    "a card beside it": '<div class="on card" style="left: 450px"></div>',
    "what lies over the page on purpose": '<div class="says on card">said</div>',
    "what nobody sees": '<div class="on card" style="opacity: 0"></div>',
    "a card below it": '<div class="on card" style="z-index: -1"></div>',
}


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Page:
    return chromium.new_page(viewport={"width": 800, "height": 200})


@pytest.mark.parametrize("name", PLANTED)
def test_what_lies_on_a_text_or_a_button_is_found(page: Page, name: str) -> None:
    page.set_content(PAGE.replace("{}", PLANTED[name]))
    assert [problem for problem in page.evaluate(MEASURE) if problem.startswith(("covered", "over"))]


@pytest.mark.parametrize("name", FREE)
def test_what_hides_nothing_is_not(page: Page, name: str) -> None:
    page.set_content(PAGE.replace("{}", FREE[name]))
    assert page.evaluate(MEASURE) == []


def test_the_codes_for_phones_over_the_target_score_are_found(screen: Screen) -> None:
    """As they lay in Spanish and Portuguese."""
    page = screen.open("/?lang=es")
    screen.play(HALL["ready"])
    page.locator(".join-way img").first.wait_for()
    assert [one for one in page.evaluate(MEASURE) if "covered" in one] == []
    page.locator(".join").evaluate("place => { place.style.top = '15%'; place.style.right = '45%'; }")
    assert [one for one in page.evaluate(MEASURE) if "covered" in one and "goal" in one]
