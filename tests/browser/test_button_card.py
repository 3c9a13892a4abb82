"""A USB key as the pause button, on the director's page and beside the hardware test: chosen, tried, taken away."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator

from tests import hall_of_tables as tables
from tests.browser.acts import READY, director
from tests.browser.looks import cut_off, weak_texts
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.browser.stage_files import NO_BUTTON

pytestmark = pytest.mark.browser

NONE = NO_BUTTON | {"usable": True}
CHOOSING = NONE | {"choosing": True}
PEDAL = NONE | {"name": "USB Foot Switch", "device": "by-id/usb-Foot-event-kbd", "key": 48}
NO_RIGHTS = {"key": "button.usb_no_rights", "params": {"user": "anna"}}


def card_of(screen: Screen) -> Locator:
    return screen.page.locator('[data-is="button-card"]')


def sent(screen: Screen, count: int) -> Any:
    return screen.stage.wait_for_posts(count)[-1]["body"]


def test_it_is_chosen_by_pressing_it_and_lights_up_when_pressed(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(viewport={"width": 390, "height": 844})
    stage = screen.stage
    stage.documents["button"], stage.answers["button"] = NONE, (200, CHOOSING)
    stage.stands.add("button")
    page = director(screen, READY, still=False, mode="setup")
    card = card_of(screen)
    card.get_by_role("button", name="Choose a button").click()
    assert sent(screen, 1) == {"do": "choose"}
    expect(card).to_contain_text("Press and release the button that is to pause")
    assert weak_texts(page) == []
    stage.documents["button"] = PEDAL
    light = card.locator('[data-is="button-light"]')
    expect(light).to_contain_text("USB Foot Switch")
    expect(card).to_contain_text("it lights up here")
    stage.documents["button"] = PEDAL | {"pressed": True, "presses": 1}
    expect(light).to_have_attribute("data-lit", "true")
    expect(light).to_contain_text("pressed")
    assert weak_texts(page) == []
    stage.documents["button"] = PEDAL | {"presses": 1}
    expect(light).to_have_attribute("data-lit", "false")
    stage.documents["button"] = PEDAL | {"presses": 2}  # between two looks
    expect(light).to_have_attribute("data-lit", "true")
    stage.answers["button"] = (200, NONE)
    card.get_by_role("button", name="Remove it").click()
    assert sent(screen, 2) == {"do": "forget"}
    expect(card.get_by_role("button", name="Choose a button")).to_be_visible()
    assert cut_off(page) == []


def test_why_it_is_no_button_stands_there_and_choosing_can_be_stopped(screen: Screen) -> None:
    stage = screen.stage
    stage.tables(*tables.troubled_hall())
    stage.documents["button"] = CHOOSING
    screen.page.goto(stage.address + "/technician/hardware")
    card = card_of(screen)
    told = NONE | {"sentence": "-", "sentence_key": NO_RIGHTS}
    stage.answers["button"], stage.documents["button"] = (200, told), told
    stage.stands.add("button")
    expect(card.locator('[data-is="button-mistake"]')).to_contain_text("sudo usermod -aG input anna")
    stage.answers["button"] = (200, CHOOSING)
    card.get_by_role("button", name="Choose a button").click()
    expect(card.locator('[data-is="button-mistake"]')).to_be_hidden()
    stage.answers["button"] = (200, NONE)
    card.get_by_role("button", name="Cancel").click()
    expect(card.get_by_role("button", name="Choose a button")).to_be_visible()
    assert stage.posts[-1]["body"] == {"do": "stop"}


def test_without_such_a_button_in_the_settings_there_is_no_card(screen: Screen) -> None:
    page = director(screen, READY, still=False, mode="setup")
    expect(page.locator('[data-is="paper-card"] [data-is="stick-none"]')).to_be_visible()
    expect(card_of(screen)).to_have_count(0)
