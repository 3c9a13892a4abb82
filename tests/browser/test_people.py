"""The director's list of who may log in: a link as a code for a camera, and its end."""

from collections.abc import Callable
from typing import Any

import pytest

from pi_controller.web.api.links import qr_code
from tests.browser.acts import READY, director
from tests.browser.looks import cut_off, weak_texts
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.browser.stage_files import NO_STICK

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


def test_a_judges_link_is_made_shown_and_revoked(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(**PHONE)
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


# Paper and stick on the director's page: what is found, how far it is, what came of it.

STICK = {"place": "/media/pi/STICK", "name": "STICK", "free_kib": 14_900_000, "read_only": False}
THERE = NO_STICK | {"sticks": [STICK]}
WORKING = THERE | {"number": 1, "state": "working", "place": "/media/pi/STICK"}
GAME = "20261120-183005-ab12"
DONE = WORKING | {
    "state": "done",
    "step": "writing",
    "done": 5,
    "of": 5,
    "folder": "pi-controller-20261120-230501",
    "files": [
        {"name": f"{GAME}.jsonl", "bytes": 81_234},
        {"name": f"{GAME}.report.pdf", "bytes": 40_000},
    ],
}
GONE = {"key": "stick.gone", "params": {"folder": "/media/pi/STICK"}}


def failed(**more: Any) -> dict[str, Any]:
    return WORKING | {"state": "failed", "reason": "-", "reason_key": GONE} | more


def test_the_evening_is_saved_and_each_step_is_told(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(viewport={"width": 390, "height": 844})
    stage = screen.stage
    stage.answers["stick"] = (200, WORKING)
    page = director(screen, READY, still=False, mode="setup")
    card = page.locator('[data-is="paper-card"]')
    expect(card.locator('[data-is="stick-none"]')).to_contain_text("No stick found")
    stage.documents["stick"] = THERE
    expect(card.locator(".stick .hint")).to_have_text("14550 MB free")
    card.get_by_role("button", name="Save to STICK").dblclick()
    stage.wait_for_posts(1)
    stage.documents["stick"] = WORKING
    told = card.locator('[data-is="stick-progress"]')
    expect(told).to_contain_text("Starting to save")
    expect(card.get_by_role("button", name="Save to STICK")).to_have_count(0)
    stage.documents["stick"] = WORKING | {"done": 1, "of": 3}
    expect(told).to_contain_text("1 of 3 games done")
    stage.documents["stick"] = WORKING | {"step": "writing", "done": 2, "of": 5}
    expect(told).to_contain_text("2 of 5 files")
    expect(told.locator("progress")).to_have_js_property("position", 0.4)
    assert weak_texts(page) == []
    stage.documents["stick"] = DONE
    done = card.locator('[data-is="stick-done"]')
    expect(done).to_contain_text("Saved to STICK, folder pi-controller-20261120-230501")
    expect(done).to_contain_text("2 files, 119 KiB. You can unplug the stick now.")
    card.locator("summary").click()
    expect(card.locator(".stick-files li").first).to_contain_text(f"{GAME}.jsonl")
    assert weak_texts(page) == []
    assert cut_off(page) == []
    (post,) = stage.posts
    assert post["body"] == {"place": "/media/pi/STICK", "seen": 0}


def test_each_failure_is_one_sentence_in_the_language_of_the_page(screen: Screen) -> None:
    screen.stage.documents["stick"] = failed()
    page = screen.open("/director?lang=de#setup", still=False)
    screen.play(READY)
    mistake = page.locator('[data-is="stick-mistake"]')
    expect(mistake).to_contain_text("/media/pi/STICK wurde abgezogen oder ist defekt")
    screen.stage.documents["stick"] = failed(sticks=[STICK | {"read_only": True}])
    expect(page.get_by_role("button", name="Auf STICK speichern")).to_be_disabled()
    expect(page.locator(".stick .hint")).to_have_text("kann nur gelesen werden")
    screen.stage.documents["stick"] = failed(sticks=[STICK], number=7)
    screen.stage.answers["stick"] = (200, WORKING)
    page.get_by_role("button", name="Auf STICK speichern").click()
    assert screen.stage.wait_for_posts(1)[0]["body"] == {"place": "/media/pi/STICK", "seen": 7}


def test_paper_is_a_file_in_the_language_of_the_page(screen: Screen) -> None:
    page = screen.open("/director?lang=pl#setup", still=False)
    screen.play(READY)
    for kind in ("all", "dice", "sheets"):
        way = page.locator(f'[data-is="paper-{kind}"]')
        expect(way).to_have_attribute("href", f"/api/fallback/{kind}.pdf?lang=pl")
        expect(way).to_have_attribute("download", f"fallback-{kind}.pdf")
