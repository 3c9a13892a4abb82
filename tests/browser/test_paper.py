"""Paper and stick on the director's page: what is found, how far it is, what came of it."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser

from tests.browser.acts import READY, director
from tests.browser.looks import cut_off, weak_texts
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.browser.stage_files import NO_STICK
from tests.browser.test_real_technician import fetched, logged_in
from tests.system.programs import program
from tests.system.test_stick import MOUNT
from tests.system.test_stick import STICK as PLACE

pytestmark = pytest.mark.browser

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
SIZES = [(390, 844), (1366, 768), (1920, 1080)]


def failed(**more: Any) -> dict[str, Any]:
    return WORKING | {"state": "failed", "reason": "-", "reason_key": GONE} | more


@pytest.mark.parametrize("size", SIZES)
def test_the_evening_is_saved_and_each_step_is_told(
    new_screen: Callable[..., Screen], size: tuple[int, int]
) -> None:
    screen = new_screen(viewport={"width": size[0], "height": size[1]})
    stage = screen.stage
    stage.answers["stick"] = (200, WORKING)
    page = director(screen, READY, still=False, mode="setup")
    card = page.locator('[data-is="paper-card"]')
    expect(card.locator('[data-is="stick-none"]')).to_contain_text("No stick is found")
    stage.documents["stick"] = THERE
    expect(card.locator(".stick .hint")).to_have_text("14550 MB free")
    card.get_by_role("button", name="Save to STICK").dblclick()
    stage.wait_for_posts(1)
    stage.documents["stick"] = WORKING
    told = card.locator('[data-is="stick-progress"]')
    expect(told).to_contain_text("Saving begins")
    expect(card.get_by_role("button", name="Save to STICK")).to_have_count(0)
    stage.documents["stick"] = WORKING | {"done": 1, "of": 3}
    expect(told).to_contain_text("1 of 3 games done")
    stage.documents["stick"] = WORKING | {"step": "writing", "done": 2, "of": 5}
    expect(told).to_contain_text("2 of 5 files")
    expect(told.locator("progress")).to_have_js_property("position", 0.4)
    assert weak_texts(page) == []
    stage.documents["stick"] = DONE
    done = card.locator('[data-is="stick-done"]')
    expect(done).to_contain_text("Written to STICK, folder pi-controller-20261120-230501")
    expect(done).to_contain_text("2 files, 119 KiB. The stick may be pulled out.")
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


def test_from_the_page_through_the_real_programs_onto_a_real_file_system(
    chromium: Browser, tmp_path: Path
) -> None:
    before = ("unshare", "-rm", "sh", "-c", MOUNT, "sh")
    if subprocess.run([*before, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("this user may not mount a stick in a name space of its own")
    options = ("--hardware", "none", "--state-dir", tmp_path / "s", "--port", "0")
    with program("run", *options, before=before) as running:
        page = logged_in(chromium, running)
        page.goto(urljoin(page.url, "/director#setup"))
        card = page.locator('[data-is="paper-card"]')
        for kind in ("all", "dice", "sheets"):
            assert fetched(page, card.locator(f'[data-is="paper-{kind}"]'))[:5] == b"%PDF-"
        card.get_by_role("button", name="Save to STICK").dblclick()
        expect(card.locator('[data-is="stick-done"]')).to_contain_text("read back and right: 5 files")
        (folder,) = Path(f"/proc/{running.pid}/root{PLACE}").iterdir()
        expect(card.locator('[data-is="stick-done"]')).to_contain_text(folder.name)
        assert len(list(folder.iterdir())) == 5
        page.context.close()
        assert running.end() == 0
