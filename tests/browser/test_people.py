"""The director's list of who may log in: a link as a code for a camera, and its end."""

from collections.abc import Callable
from typing import Any

import pytest

from pi_controller.web.api.links import qr_code
from tests.browser.acts import READY, director
from tests.browser.looks import cut_off, weak_texts
from tests.browser.screen import Screen
from tests.browser.seen import expect

pytestmark = pytest.mark.browser
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
ADDRESS = "http://192.0.2.7:8080/login?token=0123456789abcdefghijklmnopqrstuvwxyzABCDEF"


def link(number: str, role: str, name: str, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "role": role,
        "name": name,
        "way": "link",
        "used": True,
        "since": "2026-11-22T18:00:00+00:00",
        "ends_in_s": 50_000,
        "own": False,
    } | more


MINE = link("d1", "director", "", way="pin", own=True)
ANNA = link("j1", "judge", "Anna", used=False)
CODE = qr_code(ADDRESS)
MADE = {
    "path": ADDRESS.removeprefix("http://192.0.2.7:8080"),
    "address": ADDRESS,
    "qr": {"size": CODE.size, "path": CODE.path},
    "link": ANNA,
}


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_judges_link_is_made_shown_and_revoked(new_screen: Callable[..., Screen], theme: str) -> None:
    screen = new_screen(**PHONE, color_scheme=theme)
    screen.stage.documents["links"] = {"links": [MINE, ANNA]}
    screen.stage.answers["login-link"] = (200, MADE)
    screen.stage.answers["links/revoke"] = (200, {"done": True})
    page = director(screen, READY, still=False, mode="setup")
    card = page.locator(".people-card")
    card.locator('[data-is="link-name"]').fill(" Anna ")
    card.locator('[data-is="link-make"]').click()
    (post,) = screen.stage.wait_for_posts(1)
    assert post["body"] == {"role": "judge", "name": "Anna"}
    shown = card.locator('[data-is="new-link"]')
    expect(shown.locator(".qr path")).to_have_attribute("d", CODE.path)
    expect(shown.locator(".address")).to_have_text(ADDRESS)
    expect(card.locator(".person-name")).to_have_text(["Director", "Anna · Judge"])
    expect(card.locator(".person").first).to_contain_text("this device")
    assert weak_texts(page) == []
    assert cut_off(page) == []
    screen.stage.documents["links"] = {"links": [MINE]}
    card.get_by_role("button", name="Revoke: Anna · Judge").click()
    card.get_by_role("button", name="Revoke and log out now").click()
    expect(card.locator(".person-name")).to_have_text(["Director"])
    expect(shown).to_be_hidden()
    assert screen.stage.wait_for_posts(2)[1]["body"] == {"id": "j1"}


def test_why_a_link_is_not_made_is_said(screen: Screen) -> None:
    sentence = "Your log-in does not allow this."
    screen.stage.answers["login-link"] = (403, {"error": sentence})
    page = director(screen, READY, still=False, mode="setup")
    page.locator('[data-is="link-make"]').click()
    expect(page.locator(".people-card .mistake")).to_have_text(sentence)
    screen.complaints.clear()  # Chromium notes each answer of 400 and more
