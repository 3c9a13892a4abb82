"""The first evening: on the real programs with its touches; when the card is there, what it sends, what it says where only its own
computer can open the pages."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from pi_controller.web.http.addresses import outward_address
from tests.browser import pictures
from tests.browser.acts import READY, director
from tests.browser.evening import MOST, SUGGESTED, evening
from tests.browser.looks import cut_off, weak_texts
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.browser.test_encrypted import free_ports

pytestmark = pytest.mark.browser

TABLE = (Path(__file__).parents[2] / "docs" / "touches.md").read_text(encoding="utf-8")
QR = {"size": 21, "path": "M4 4h13v1h-13z"}


def setting(key: str, value: Any, **more: Any) -> dict[str, Any]:
    form = {
        "kind": "yes_no",
        "choices": ["en", "de", "pl"],
        "whole": False,
        "least": None,
        "most": None,
        "longest": None,
    }
    told = {"key": key, "value": value, "form": form, "group": "phones", "source": "default", "waits": False}
    return told | {"default": value, "counts": "at_once", "meaning": "…"} | more


SETTINGS = {
    "settings": [setting("hall.languages", ["en"]), setting("tables.seat_codes", False), setting("sound.voice", True)],
    "restart_reasons": [],
}  # fmt: skip


def first(screen: Screen, **options: Any) -> Page:
    screen.stage.games = []
    screen.stage.documents["settings"] = SETTINGS
    return director(screen, READY | options)


def step(page: Page, name: str) -> None:
    expect(page.locator(f'[data-is="evening-{name}"]')).to_have_attribute("aria-expanded", "true")


def test_an_evening_takes_few_touches(chromium: Browser) -> None:
    if outward_address() is None:
        pytest.skip("this machine is in no network")
    [port] = free_ports(1)
    for what, count in evening(chromium, port):
        assert count <= MOST[what], what
        [row] = [line.split("|") for line in TABLE.splitlines() if line.startswith(f"| {what} |")]
        assert [int(row[2]), int(row[3])] == [count, MOST[what]], what


def test_it_is_there_until_a_game_has_ended_and_folds_to_a_line(screen: Screen) -> None:
    page = first(screen)
    step(page, "play")
    assert page.locator('[data-is="word-card"]').count() == 0
    page.locator('[data-is="evening-later"]').click()
    expect(page.locator('[data-is="evening"]')).to_have_count(0)
    expect(page.locator('[data-is="word-card"]')).to_be_visible()
    page.locator('[data-is="evening-go-on"]').click()
    step(page, "play")
    screen.play(pictures.picture(seq=90))
    expect(page.locator(".evening")).to_have_count(0)
    screen.stage.games = [
        {"game_id": "g0", "armed_at": "", "rule_set": "connect", "ended": True, "rounds": 3}
    ]
    screen.play(READY | {"seq": 91, "game_id": "g2"})
    expect(page.locator('[data-is="word-card"]')).to_be_visible()
    expect(page.locator(".evening")).to_have_count(0)


def test_each_answer_is_sent_at_once_and_every_step_can_be_taken_again(screen: Screen) -> None:
    page = first(screen)
    page.locator(SUGGESTED).click()
    step(page, "boards")
    page.get_by_role("button", name="Rows: one more").click()
    page.get_by_role("button", name="Boards per row: one fewer").click()
    page.locator(SUGGESTED).click()
    step(page, "claims")
    [roster] = screen.stage.wait_for_posts(1)
    names = [[board["name"] for board in row["boards"]] for row in roster["body"]["rows"]]
    assert (roster["name"], names) == ("roster", [["A1", "A2", "A3", "A4"], ["B1", "B2", "B3", "B4"]])
    page.locator('[data-is="evening-play"]').click()
    step(page, "play")
    page.locator(".evening-choices button").last.click()
    assert screen.stage.wait_for_posts(2)[1]["body"] == {"rule_set": "classic"}
    page.locator('[data-is="evening-claims"]').click()
    screen.allowed = ("409 (Conflict)",)
    screen.stage.answers["settings"] = (409, {"accepted": False, "reasons": ["No."], "mistakes": {}})
    page.locator(SUGGESTED).click()
    expect(page.locator(".evening .mistake")).to_have_text("No.")
    assert screen.stage.wait_for_posts(3)[2]["body"] == [{"key": "tables.seat_codes", "value": True}]
    step(page, "claims")


def test_where_only_this_computer_opens_the_pages_it_says_how_others_can(screen: Screen) -> None:
    here = screen.stage.join | {"address": "http://127.0.0.1:8080/phone", "seat_codes": True}
    screen.stage.join = here | {"served": False}
    page = first(screen)
    page.locator('[data-is="evening-look"]').click()
    expect(page.locator('[data-is="evening-here"]')).to_contain_text("--host 0.0.0.0")
    screen.stage.join = here | {"served": True}
    page.locator('[data-is="evening-look"]').click()
    expect(page.locator('[data-is="evening-here"]')).to_contain_text("not on a network")
    assert page.locator(".evening .qr").count() == 0


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_it_can_be_read(new_screen: Any, size: tuple[int, int]) -> None:
    screen = new_screen(viewport={"width": size[0], "height": size[1]})
    page = first(screen)
    for name in ("play", "boards", "claims", "speech", "look"):
        page.locator(f'[data-is="evening-{name}"]').click()
        step(page, name)
        assert weak_texts(page) == []
        assert cut_off(page) == []
