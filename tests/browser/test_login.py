"""The log-in page: the PIN on a phone, and the way to the printed link."""

from collections.abc import Callable

import pytest

from tests.browser.looks import cut_off, weak_texts
from tests.browser.screen import Screen
from tests.browser.seen import expect

pytestmark = pytest.mark.browser
PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True}


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_pin_on_a_phone_leads_to_the_page_that_was_asked_for(
    new_screen: Callable[..., Screen], theme: str
) -> None:
    screen = new_screen(**PHONE)
    page = screen.page
    page.goto(f"{screen.stage.address}/login?to=/technician&theme={theme}&lang=de")
    field = page.locator('[data-is="pin"]')
    expect(field).to_be_focused()
    expect(page.locator('[data-is="hall"]')).to_have_text("Town hall")
    assert field.get_attribute("inputmode") == "numeric"
    assert weak_texts(page) == []
    assert cut_off(page) == []
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


def test_without_a_pin_only_the_link_is_named(screen: Screen) -> None:
    screen.stage.pin = False
    screen.page.goto(screen.stage.address + "/login?theme=light")
    expect(screen.page.locator('[data-is="lead"]')).to_have_text("Open the link that the controller printed.")
    expect(screen.page.locator('[data-is="form"]')).to_be_hidden()
    assert weak_texts(screen.page) == []


def test_a_link_is_used_by_a_touch_not_by_being_opened(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(**PHONE)
    page = screen.page
    page.goto(screen.stage.address + "/login?token=abc-123")
    expect(page.locator('[data-is="hall"]')).to_have_text("Town hall")
    expect(page.locator('[data-is="form"]')).to_be_hidden()
    expect(page.locator('[data-is="way"]')).to_be_hidden()
    assert weak_texts(page) == []
    assert cut_off(page) == []
    assert screen.stage.posts == []
    page.get_by_role("button", name="Log in", exact=True).click()
    page.wait_for_url(f"{screen.stage.address}/director")
    (post,) = screen.stage.wait_for_posts(1)
    assert (post["kind"], post["name"], post["body"]) == ("login", "abc-123", "")


def test_who_is_logged_in_already_is_led_to_the_own_page(screen: Screen) -> None:
    screen.stage.director = True
    screen.page.goto(screen.stage.address + "/login?lang=pl")
    screen.page.wait_for_url(f"{screen.stage.address}/director?lang=pl")
    assert screen.stage.posts == [], "nothing was to be pressed"
