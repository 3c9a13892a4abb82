"""The log-in page: the PIN on a phone, and the way to the printed link."""

from collections.abc import Callable, Iterator
from itertools import product

import pytest
from playwright.sync_api import Browser, Page

from tests import hall_of_tables as tables
from tests.browser.pictures import picture
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.browser.stage import Stage
from tests.matrix import further

pytestmark = pytest.mark.browser
PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True}


def test_a_pin_on_a_phone_leads_to_the_page_that_was_asked_for(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(**PHONE)
    page = screen.page
    page.goto(f"{screen.stage.address}/login?to=/technician&lang=de")
    field = page.locator('[data-is="pin"]')
    expect(field).to_be_focused()
    expect(page.locator('[data-is="hall"]')).to_have_text("Town hall")
    assert field.get_attribute("inputmode") == "numeric"
    field.press_sequentially("12 3a456")
    expect(field).to_have_value("123456")
    field.press("Enter")
    page.wait_for_url(f"{screen.stage.address}/technician?lang=de")
    (post,) = screen.stage.wait_for_posts(1)
    assert (post["name"], post["body"]) == ("pin", {"pin": "123456"})


def test_a_wrong_pin_is_told_and_can_be_typed_again(screen: Screen) -> None:
    page = screen.page
    sentence = "Too many wrong tokens: wait 60 minutes, or use the controller itself."
    screen.stage.answers["pin"] = (429, {"error": sentence})
    page.goto(screen.stage.address + "/login?to=//elsewhere.example")
    page.locator('[data-is="pin"]').fill("000000")
    page.locator('[data-is="go"]').click()
    expect(page.locator('[data-is="mistake"]')).to_have_text(sentence)
    expect(page.locator('[data-is="pin"]')).to_have_value("")
    screen.complaints.clear()  # Chromium notes each answer of 400 and more
    del screen.stage.answers["pin"]
    page.locator('[data-is="pin"]').fill("654321")
    page.locator('[data-is="go"]').click()
    page.wait_for_url(f"{screen.stage.address}/director")


def test_a_link_is_used_by_a_touch_not_by_being_opened(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(**PHONE)
    page = screen.page
    page.goto(screen.stage.address + "/login?token=abc-123")
    expect(page.locator('[data-is="hall"]')).to_have_text("Town hall")
    expect(page.locator('[data-is="form"]')).to_be_hidden()
    expect(page.locator('[data-is="way"]')).to_be_hidden()
    assert screen.stage.posts == []
    page.get_by_role("button", name="Log in", exact=True).click()
    page.wait_for_url(f"{screen.stage.address}/director")
    (post,) = screen.stage.wait_for_posts(1)
    assert (post["kind"], post["name"], post["body"]) == ("login", "abc-123", "")


def test_without_a_pin_only_the_link_is_named(screen: Screen) -> None:
    screen.stage.pin = False
    screen.page.goto(screen.stage.address + "/login?theme=light")
    expect(screen.page.locator('[data-is="lead"]')).to_have_text("Open the link that the controller printed.")
    expect(screen.page.locator('[data-is="form"]')).to_be_hidden()


def test_who_is_logged_in_already_is_led_to_the_own_page(screen: Screen) -> None:
    screen.stage.director = True
    screen.page.goto(screen.stage.address + "/login?lang=pl")
    screen.page.wait_for_url(f"{screen.stage.address}/director?lang=pl")
    assert screen.stage.posts == [], "nothing was to be pressed"


# The mark of unencrypted pages: it stays on each page of the staff, and nothing is cut off or overlapped by it.

NARROW, LAPTOP = {"width": 390, "height": 844}, {"width": 1366, "height": 768}
MARK = "[data-is=unencrypted]"
COVERED = """mark => {
  const { left, right, top, bottom } = mark.getBoundingClientRect();
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  return [[left + 3, y], [right - 3, y], [x, top + 3], [x, bottom - 3]]
    .filter(([x, y]) => document.elementFromPoint(x, y) !== mark);
}"""


PATHS = ("/director", "/judge", "/moderator", "/technician", "/login")
SAMPLE = [*((path, "de", NARROW) for path in PATHS), ("/director", "pl", LAPTOP)]
OTHERS = [case for case in product(PATHS, ("de", "pl"), (NARROW, LAPTOP)) if case not in SAMPLE]


@pytest.fixture
def page(chromium: Browser, stage: Stage) -> Iterator[Page]:
    context = chromium.new_context()
    yield context.new_page()
    context.close()


def opened(page: Page, stage: Stage, path: str, size: dict[str, int]) -> None:
    """By a name that is not this machine's own, as from another device."""
    stage.director = True
    stage.play(picture())
    stage.tables(*tables.troubled_hall())
    page.set_viewport_size(size)  # type: ignore[arg-type]
    page.goto(stage.address.replace("127.0.0.1", "hall.localhost") + path)


@pytest.mark.parametrize(("path", "language", "size"), [*SAMPLE, *further(*OTHERS)], ids=str)
def test_it_stands_whole_and_pushes_nothing_out(
    page: Page, stage: Stage, path: str, language: str, size: dict[str, int]
) -> None:
    opened(page, stage, f"{path}?lang={language}", size)
    mark = page.locator(MARK)
    mark.wait_for()
    page.locator("[data-is=lost], .lost").first.wait_for(state="hidden")
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert mark.evaluate("mark => mark.scrollWidth <= mark.clientWidth")
    assert mark.evaluate(COVERED) == []


def test_it_is_one_thin_line_that_moves_nothing_on_the_directors_page(page: Page, stage: Stage) -> None:
    for size in (NARROW, LAPTOP):
        opened(page, stage, "/director?lang=de", size)
        box = page.locator(MARK).bounding_box()
        assert box is not None
        assert box["height"] <= 24
        page.locator("[data-is=primary][data-mode=pause]").wait_for()
        place = page.locator("[data-is=primary]").bounding_box()
        page.goto(stage.address + "/director?lang=de")
        page.locator("[data-is=primary][data-mode=pause]").wait_for()
        assert page.locator(MARK).count() == 0
        assert page.locator("[data-is=primary]").bounding_box() == place


def test_it_has_the_theme_of_this_browser(screen: Screen) -> None:
    page = screen.page
    page.goto(screen.stage.address + "/login")
    page.locator('[data-is="theme"]').click()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
