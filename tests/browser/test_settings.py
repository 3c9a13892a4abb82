"""The card of settings on the staff's pages: changed, refused beside the field, put back, started again; and what the
other pages make of it."""

import json
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Locator, Page

from pi_controller.protocol.settings import SettingsView
from pi_controller.settings.overlay import LayeredSettings, changed, views
from pi_controller.settings.sections import Settings
from tests.browser import pictures
from tests.browser.acts import READY, director
from tests.browser.looks import cut_off, weak_texts
from tests.browser.screen import Screen
from tests.browser.seen import expect

pytestmark = pytest.mark.browser
FILE = Settings()
DONE = {"accepted": True, "reasons": [], "reason_keys": [], "mistakes": {}}


def told(changes: dict[str, Any], *against: str) -> dict[str, Any]:
    """What the controller tells when pages have made these changes since it was started."""
    layers = changed(LayeredSettings(FILE, FILE), changes)
    view = SettingsView(settings=views(layers, FILE, "en"), restart_reasons=list(against))
    found: dict[str, Any] = json.loads(msgspec.json.encode(view))
    return found


def opened(page: Page, group: str) -> Locator:
    found = page.locator(f'[data-group="{group}"]')
    found.locator("summary").click()
    expect(found.locator("form")).to_be_visible()
    return found


def setting(page: Page, key: str) -> Locator:
    return page.locator(f'[data-setting="{key}"]')


def test_changes_are_sent_together_and_a_mistake_stands_beside_its_field(screen: Screen) -> None:
    screen.stage.documents["settings"] = told({})
    screen.allowed = ("409",)
    page = director(screen, READY, still=False, mode="setup")
    group = opened(page, "sound")
    save = group.locator("button.do")
    expect(save).to_be_disabled()
    setting(page, "sound.volume_percent").locator("input").fill("300")
    setting(page, "sound.voice").locator("button").click()
    screen.stage.answers["settings"] = (
        409,
        DONE | {"accepted": False, "reasons": ["No."], "mistakes": {"sound.volume_percent": ["at most 100"]}},
    )
    save.click()
    expect(setting(page, "sound.volume_percent").locator(".mistake")).to_have_text("At most 100")
    setting(page, "sound.volume_percent").locator("input").fill("30")
    changes = {"sound.volume_percent": 30, "sound.voice": False}
    screen.stage.answers["settings"] = (200, DONE)
    screen.stage.documents["settings"] = told(changes)
    save.click()
    expect(group.locator('[role="status"]')).to_have_text("Saved.")
    assert {one["key"]: one["value"] for one in screen.stage.posts[-1]["body"]} == changes
    expect(setting(page, "sound.volume_percent")).to_have_attribute("data-source", "page")
    expect(save).to_be_disabled()
    screen.stage.documents["settings"] = told({})
    setting(page, "sound.voice").locator(".put-back").click()
    expect(setting(page, "sound.voice").locator(".toggle")).to_have_attribute("aria-pressed", "true")
    assert screen.stage.posts[-1]["body"] == [{"key": "sound.voice", "value": None}]


def test_lists_are_changed_line_by_line(screen: Screen) -> None:
    screen.stage.documents["settings"] = told({"event.lines": ["Cake"]})
    screen.stage.answers["settings"] = (200, DONE)
    page = director(screen, READY, still=False, mode="setup")
    opened(page, "times")
    steps = setting(page, "game.schedule")
    steps.get_by_role("button", name="Add one").click()
    steps.locator("li").nth(2).locator("input").first.fill("30")
    steps.get_by_role("button", name="Remove line 2").click()
    page.locator('[data-group="times"] button.do').click()
    screen.stage.wait_for_posts(1)
    sent = [{"from_round": 1, "seconds": 35}, {"from_round": 30, "seconds": 45}]
    assert screen.stage.posts[-1]["body"] == [{"key": "game.schedule", "value": sent}]
    opened(page, "languages")
    first, second = setting(page, "hall.languages").locator("select").all()
    expect(first).to_have_value("en")
    second.select_option("pl")
    first.select_option("pt-BR")
    page.locator('[data-group="languages"] button.do').click()
    screen.stage.wait_for_posts(2)
    assert screen.stage.posts[-1]["body"] == [{"key": "hall.languages", "value": ["pt-BR", "pl"]}]
    assert weak_texts(page) == []


def test_a_new_start_is_offered_between_games_on_a_phone_too(screen: Screen) -> None:
    screen.stage.documents["settings"] = told({"hall.name": "North"}, "A game is on.")
    page = screen.page
    page.set_viewport_size({"width": 390, "height": 844})
    director(screen, READY, still=False, mode="setup")
    opened(page, "names")
    box = page.locator('[data-is="settings-restart"]')
    expect(box).to_contain_text("A game is on.")
    expect(box.locator("button")).to_be_disabled()
    assert cut_off(page) == []
    screen.stage.documents["settings"] = told({"hall.name": "North"})
    opened(page, "lines")
    box.locator("button").click()
    expect(page.locator(".settings-card .sure")).to_have_text("The controller is restarting …")
    screen.stage.documents["settings"] = told({})
    expect(box).to_have_count(0)
    assert screen.stage.posts[-1]["name"] == "settings/restart"


def test_a_hall_screen_is_loaded_anew_when_the_hall_speaks_other_languages(screen: Screen) -> None:
    page = screen.open(still=False)
    screen.stage.play(pictures.ready(languages=["en"]))
    expect(page.locator("html")).to_have_attribute("data-languages", "en")
    screen.stage.speak("de", "pl")
    screen.stage.play(pictures.ready(languages=["de", "pl"], language="de", seq=99))
    expect(page.locator("html")).to_have_attribute("data-languages", "de pl")


def test_the_halls_own_lines_are_said_with_one_press(screen: Screen) -> None:
    event = {"name": "", "logo": False, "colours": None, "lines": ["Cake in the foyer"]}
    page = director(screen, READY | {"event": event}, still=False)
    page.get_by_role("button", name="Cake in the foyer", exact=True).click()
    (post,) = screen.stage.wait_for_posts(1)
    assert (post["name"], post["body"]["text"]) == ("say", "Cake in the foyer")
