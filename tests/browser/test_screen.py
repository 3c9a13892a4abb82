"""A screen of the hall that the director knows by name, and its line on the director's page."""

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser import pictures
from tests.browser.screen import Screen
from tests.browser.seen import expect

pytestmark = pytest.mark.browser

LEFT: dict[str, Any] = {
    "name": "Left projector",
    "page": "/",
    "size": [1920, 1080],
    "connected": True,
    "blackout": False,
    "last_contact_s": 1.2,
    "clock_offset_ms": -40,
}
AWAY = LEFT | {"name": "Bar", "connected": False, "last_contact_s": 300.0, "page": "/phone", "blackout": True}
ADMITTED = {"name": "Left projector", "code": None, "blackout": False, "clock_offset_ms": 12}


def admitted(**changes: Any) -> dict[str, Any]:
    return {"screen": ADMITTED | changes}


def test_a_hall_screen_that_is_not_asked_to_be_one_opens_nothing(screen: Screen) -> None:
    page = screen.open()
    screen.play(pictures.picture())
    screen.pass_ms(100)
    assert screen.stage.screen_said == []
    expect(page.locator(".screen-code")).to_be_hidden()


def test_a_new_screen_shows_its_code_and_keeps_what_admits_it(screen: Screen) -> None:
    page = screen.open("/?screen=Left")
    said = screen.stage.wait_for_screen()
    assert (said["key"], said["name"], said["page"], said["size"]) == (None, "Left", "/", [1920, 1080])
    assert abs(said["clock_ms"] - page.evaluate("Date.now()")) < 2_000
    screen.play(pictures.picture())
    screen.pass_ms(40)
    expect(page.locator(".screen-code")).to_have_text("Code of this screen: K7QM")
    screen.stage.screen(admitted(key="the key"))
    page.wait_for_function("() => localStorage.getItem('screen:Left') === 'the key'")
    screen.pass_ms(40)
    expect(page.locator(".screen-code")).to_be_hidden()
    screen.stage.screen_said.clear()
    screen.stage.feeds = 0
    page.reload()
    assert screen.stage.wait_for_screen()["key"] == "the key"
    screen.stage.wait_for_feeds(1)
    assert screen.stage.feed_addresses[-1] == "/api/feed?key=the+key&version=2"


def told(screen: Screen, message: dict[str, Any]) -> Page:
    """The page of an admitted screen that was told this."""
    page = screen.open("/?screen")
    screen.stage.wait_for_screen()
    screen.play(pictures.picture())
    screen.stage.screen(admitted())
    screen.stage.screen(message)
    return page


def test_it_shows_its_name_for_a_while(screen: Screen) -> None:
    page = told(screen, {"do": "identify", "seconds": 2})
    expect(page.locator(".screen-name")).to_have_text("Left projector")  # it has heard: its time begins now
    screen.pass_ms(1_900)
    expect(page.locator(".screen-name")).to_have_text("Left projector")
    screen.pass_ms(200)
    expect(page.locator(".screen-name")).to_be_hidden()
    screen.play(pictures.picture(seq=42, identify={"screen": "left PROJECTOR", "until_ms": 1_005_000}))
    screen.pass_ms(40)
    expect(page.locator(".screen-name")).to_have_text("Left projector")


def test_it_alone_is_black_and_says_its_new_name_on_the_test_picture(screen: Screen) -> None:
    page = told(screen, {"do": "blackout", "on": True})
    expect(page.locator(".blackout")).to_be_visible()
    screen.stage.screen({"do": "blackout", "on": False})
    screen.stage.screen({"do": "rename", "name": "Right"})
    screen.play(pictures.picture(seq=42, cover="test"))
    screen.pass_ms(50)
    expect(page.locator(".test-name")).to_have_text("Right")
    expect(page.locator(".test-facts")).to_contain_text("clock 12 ms off")


def test_it_goes_where_it_is_sent_and_stays_a_screen(screen: Screen) -> None:
    page = screen.open("/?screen=Left&theme=light")
    screen.stage.wait_for_screen()
    screen.stage.screen_said.clear()
    screen.stage.screen({"do": "page", "page": "/?layout=side"})
    page.wait_for_url("**/?layout=side&screen=Left&theme=light")
    assert screen.stage.wait_for_screen()["page"] == "/?layout=side"
    screen.stage.screen_said.clear()
    screen.stage.screen({"do": "reload"})
    assert screen.stage.wait_for_screen()["page"] == "/?layout=side"


def test_the_director_lists_and_directs_screens(screen: Screen) -> None:
    screen.stage.screens = {"screens": [AWAY, LEFT], "waiting": 2}
    page = screen.open("/director#setup")
    screen.play(pictures.picture())
    screen.pass_ms(50)
    lines = page.locator(".screen")
    expect(lines.nth(1)).to_contain_text("connected · 1920 × 1080 pixels · clock -40 ms off")
    expect(lines.nth(0)).to_contain_text("not connected, last seen 5 min ago")
    expect(page.locator('[data-is="screens-waiting"]')).to_have_text("2 screens show a code.")
    assert lines.nth(0).get_by_role("button", name="Identify").is_disabled()
    left = lines.nth(1)
    left.get_by_role("button", name="Identify").click()
    left.get_by_role("combobox").select_option("/overlay")
    left.get_by_role("button", name="Reload").click()
    left.get_by_role("button", name="Black out").click()
    lines.nth(0).get_by_role("button", name="Show again").click()
    left.get_by_role("button", name="Rename / Forget").click()
    left.get_by_label("Name of the screen").fill("Stage")
    left.get_by_role("button", name="Rename", exact=True).click()
    posts = screen.stage.wait_for_posts(6)
    assert [(post["kind"], post["name"], post["body"]) for post in posts] == [
        ("screens", "Left projector", {"do": "identify"}),
        ("screens", "Left projector", {"do": "page", "page": "/overlay"}),
        ("screens", "Left projector", {"do": "reload"}),
        ("screens", "Left projector", {"do": "blackout", "on": True}),
        ("screens", "Bar", {"do": "blackout", "on": False}),
        ("screens", "Left projector", {"do": "rename", "to": "Stage"}),
    ]


def test_the_director_admits_by_the_code_and_forgets_in_two_steps(screen: Screen) -> None:
    screen.stage.screens = {"screens": [LEFT], "waiting": 1}
    page = screen.open("/director#setup")
    screen.play(pictures.picture())
    screen.pass_ms(50)
    page.locator('[data-is="screen-code"]').fill("k7qm")
    page.locator('[data-is="screen-name"]').fill("Bar / left")
    page.locator('[data-is="screen-admit"]').click()
    assert screen.stage.posts == []
    page.locator('[data-is="screen-name"]').fill("Bar left")
    page.locator('[data-is="screen-admit"]').click()
    page.get_by_role("button", name="Rename / Forget").click()
    page.get_by_role("button", name="Forget Left projector").click()
    posts = screen.stage.wait_for_posts(2)
    assert [(post["name"], post["body"]) for post in posts] == [
        ("Bar left", {"do": "admit", "code": "k7qm"}),
        ("Left projector", {"do": "forget"}),
    ]
