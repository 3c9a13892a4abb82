"""The judge's page on a phone at the table, and the desk that sees a sheet being filled in."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests import hall_of_tables as halls
from tests.browser import pictures
from tests.browser.acts import director
from tests.browser.looks import cut_off
from tests.browser.screen import Screen
from tests.browser.seen import expect

pytestmark = pytest.mark.browser
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
CLAIMED = pictures.paused("claim", claims=[pictures.claim(1, "A7", "moon"), pictures.claim(2, "A3", "sun")])
SHEET: dict[str, Any] = {
    "settlements": 4,
    "cities": 4,
    "foreign_left": True,
    "foreign_right": False,
    "victory_cards": 2,
    "largest_army": False,
    "longest_route": True,
    "resources": {"grain": 1, "ore": 0, "brick": 0, "lumber": 0, "wool": 2},
}


def draft(number: int, name: str = "Anna", **changed: Any) -> dict[str, Any]:
    who = {"role": "judge", "name": name}
    return {"game": CLAIMED["game_id"], "claim": "c1", "number": number, "sheet": SHEET | changed} | who


def judge(screen: Screen, picture: dict[str, Any]) -> Page:
    screen.stage.tables(*halls.troubled_hall())
    screen.stage.sheets()
    page = screen.open("/judge", still=False)
    screen.stage.play(picture)
    expect(page.locator("body")).to_have_attribute("data-state", "fresh")
    return page


def test_a_judge_fills_in_a_sheet_and_sends_the_verdict(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(**PHONE)
    page = judge(screen, CLAIMED)
    expect(page.locator(".queue button")).to_have_count(2)
    page.locator(".queue button").first.click()
    more = page.get_by_role("button", name="Cities: one more")
    assert (more.bounding_box() or {})["height"] >= 60
    more.click()
    more.click()
    expect(page.locator(".sheet-points strong")).to_have_text("8 points")
    sent = [post["body"] for post in screen.stage.wait_for_drafts(2)]
    assert [(body["claim"], body["number"], body["sheet"]["cities"]) for body in sent] == [
        ("c1", 0, 2),
        ("c1", 1, 3),
    ]
    page.locator(".sheet-foot button").click()
    (verdict,) = screen.stage.wait_for_posts(1)
    assert (verdict["name"], verdict["body"]["claim"]) == ("verdict", "c1")
    assert verdict["body"]["sheet"]["cities"] == 3


def test_a_judge_opens_a_claim_and_its_sheet_opens(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(**PHONE)
    page = judge(screen, pictures.picture())
    page.locator('[data-is="claim-board"]').fill("a")
    expect(page.locator(".offered button")).to_have_count(8)
    page.locator('[data-is="claim-board"]').fill("a 07")
    page.locator('.offered [data-board="A7"]').click()
    expect(page.locator('[data-is="claim-place"]')).to_contain_text("board 7")
    assert cut_off(page) == []
    assert page.get_by_role("button", name=re.compile("pause|resume|end|start", re.IGNORECASE)).count() == 0
    page.locator('[data-is="claim-go"]').click()
    (post,) = screen.stage.wait_for_posts(1)
    assert (post["name"], post["body"]["board"]) == ("claim", "A7")
    screen.stage.play(CLAIMED)
    expect(page.locator(".judged .claim-head")).to_contain_text("A7")
    page.locator('[data-is="judge-back"]').click()
    expect(page.locator(".queue button")).to_have_count(2)


def test_the_desk_sees_a_sheet_being_filled_in(screen: Screen) -> None:
    screen.stage.sheets()
    page = director(screen, CLAIMED, still=False)
    screen.stage.sheets(draft(1))
    expect(page.locator(".claim.open .hint").first).to_contain_text("Anna: 18 points")
    page.locator('[data-is="judge"]').first.click()
    expect(page.locator('[data-is="sheet-writer"]')).to_have_text("Filled in last by Anna")
    expect(page.locator(".sheet-points strong")).to_have_text("18 points")
    screen.stage.sheets(draft(2, cities=3))
    expect(page.locator(".sheet-points strong")).to_have_text("16 points")


def test_who_writes_on_an_old_sheet_sees_the_newest_and_why(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(**PHONE)
    page = judge(screen, CLAIMED)
    page.locator(".queue button").first.click()
    screen.stage.sheets(draft(4, "Ben"))
    expect(page.locator('[data-is="sheet-writer"]')).to_have_text("Filled in last by Ben")
    sentence = "Somebody else has changed this sheet since you looked: the current version is shown."
    screen.stage.answers["sheets"] = (409, {"accepted": False, "reasons": [sentence]})
    page.get_by_role("button", name="Victory-point cards: one more").click()
    expect(page.locator(".sheet .mistake").first).to_have_text(sentence)
    expect(page.locator(".sheet-points strong")).to_have_text("18 points")
    screen.complaints.clear()  # Chromium notes each answer of 400 and more
