"""The virtual hall: it shows what the panel's feed says and passes on what hands do."""

import base64

import pytest
from playwright.sync_api import Page

from tests.browser import pictures
from tests.browser.screen import Screen
from tests.browser.seen import expect

pytestmark = pytest.mark.browser

DARK = {"width": 128, "height": 64, "bits": base64.b64encode(bytes(1024)).decode(), "on": True}


def hall(screen: Screen) -> Page:
    page = screen.open("/sim", still=False)
    screen.stage.play(pictures.picture())
    screen.stage.panel(pictures.panel(display=DARK))
    expect(page.locator('[data-is="panel-cover"]')).to_be_drawn_hidden()
    return page


def test_lamps_light_as_the_feed_says(screen: Screen) -> None:
    page = hall(screen)
    expect(page.locator(".lit")).to_have_count(1)
    expect(page.locator('[data-is="lamp-sun"]')).to_contain_text("Sun lamp on")
    screen.stage.panel(pictures.panel(sun=False, moon=True, pause_lamp=True, buzzer=True, display=DARK))
    expect(page.locator(".lit")).to_have_count(3)
    expect(page.locator('[data-is="lamp-sun"]')).to_contain_text("off")
    expect(page.locator('[data-is="buzzer-state"]')).to_have_text("on")


def test_the_button_is_pressed_as_long_as_the_pointer_is_down(screen: Screen) -> None:
    page = hall(screen)
    page.locator('[data-is="button"]').hover()
    page.mouse.down()
    assert [post["name"] for post in screen.stage.wait_for_posts(1)] == ["press"]
    page.mouse.move(1, 1)
    page.mouse.up()
    posts = screen.stage.wait_for_posts(2)
    assert [(post["kind"], post["name"]) for post in posts] == [("sim", "press"), ("sim", "release")]


def test_fault_switches(screen: Screen) -> None:
    page = hall(screen)
    actions = {
        "tap": ("tap", {}),
        "bounce": ("bounce", {}),
        "break_wire_nc": ("break_wire", {"contact": "nc"}),
        "break_wire_no": ("break_wire", {"contact": "no"}),
        "mend_wire": ("mend_wire", {}),
        "display_off": ("display_off", {}),
        "display_on": ("display_on", {}),
    }
    for action in actions:
        page.locator(f'[data-action="{action}"]').click()
    posts = screen.stage.wait_for_posts(len(actions))
    assert [(post["name"], post["body"]) for post in posts] == list(actions.values())
    screen.stage.panel(pictures.panel(display=DARK, button={"pressed": True, "wire": "nc_broken"}))
    expect(page.locator('[data-is="wire"]')).to_have_text("The NC wire is broken")
    expect(page.locator('[data-is="button-note"]')).to_have_text("pressed")
    screen.allowed = ("404",)
    screen.stage.answers["tap"] = (404, {})
    page.locator('[data-action="tap"]').click()
    expect(page.locator('[data-is="sim-mistake"]')).to_contain_text("404")


def test_sound_is_off_until_asked_for(screen: Screen) -> None:
    count = "constructor() { super(); made += 1; }"
    screen.page.add_init_script(f"window.made = 0; AudioContext = class extends AudioContext {{ {count} }}")
    page = hall(screen)
    screen.stage.panel(pictures.panel(buzzer=True, display=DARK))
    expect(page.locator('[data-is="buzzer-state"]')).to_have_text("on")
    assert page.evaluate("made") == 0
    page.locator('[data-is="sound"]').click()
    expect(page.locator('[data-is="sound"]')).to_have_text("Sound off")
    assert page.evaluate("made") == 1


def test_keys_press_and_losing_the_focus_lets_go(screen: Screen) -> None:
    page = hall(screen)
    button = page.locator('[data-is="button"]')
    button.focus()
    for key in ("Space", "Enter"):
        page.keyboard.down(key)
        page.keyboard.down(key)  # repeats
        page.keyboard.up(key)
    page.keyboard.down("Enter")
    page.locator('[data-is="sound"]').focus()
    assert [post["name"] for post in screen.stage.wait_for_posts(6)] == ["press", "release"] * 3
