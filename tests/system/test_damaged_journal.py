"""One bit flips on the card while the controller is off: the hall is told what is lost, and fetches it from a copy."""

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from pi_controller.protocol.picture import HealthView
from tests.browser.screen import CHROMIUM, launch
from tests.needs import program as installed
from tests.patience import DEADLINE_MS
from tests.protocol.asking import exported
from tests.system.programs import cli, client_of, program, simulated, wait_for_picture

COMMANDS = 20


def play_and_flip(folder: Path) -> Path:
    """A game with commands; then a bit in the middle of its journal. Where a copy from before lies."""
    state, copy = folder / "s", folder / "copy"
    with program("core", *simulated(folder)) as core:
        client = client_of(state, core)
        assert client.command("start").accepted
        wait_for_picture(client, lambda picture: picture.running)
        for number in range(COMMANDS):
            assert client.command("say", {"text": f"text {number:02}."}).accepted
        core.process.kill()
        core.left()
    shutil.copytree(state / "games", copy / "games")
    shutil.rmtree(
        state / "exports", ignore_errors=True
    )  # the export has these lines too, once a second has passed
    (journal,) = state.glob("games/*/journal.jsonl")
    content = bytearray(journal.read_bytes())
    content[content.index(b"text 07.")] ^= 1
    journal.write_bytes(content)
    return copy


def test_lost_commands_are_told_and_fetched_from_a_copy(tmp_path: Path) -> None:
    copy = play_and_flip(tmp_path)
    state = tmp_path / "s"
    with program("core", *simulated(tmp_path)) as core:
        seen = client_of(state, core).picture()
        assert core.end() == 0
    assert (seen.paused, seen.health.level, seen.health.lost) == (True, "fault", True)
    (sentence,) = [item.text for item in seen.health.items if item.key == "journal.lost_fetch"]
    assert "12 commands after " in sentence
    assert "13 lines, 1 of them unreadable" in sentence

    fetched = cli("restore", copy, "--state-dir", state)
    assert fetched.returncode == 0, fetched.stderr
    with program("core", *simulated(tmp_path)) as core:
        client = client_of(state, core)
        picture = client.picture()
        assert (picture.health, picture.paused) == (
            HealthView(level="ok", messages=[], items=[]),
            True,
        )
        lines = list(exported(client, picture.game_id))
    for number in range(COMMANDS):
        assert sum(f"text {number:02}." in line for line in lines) == 1


@pytest.mark.browser
def test_the_hall_screen_does_not_say_that_nothing_is_lost(tmp_path: Path) -> None:
    play_and_flip(tmp_path)
    with program("run", *simulated(tmp_path), "--port", "0") as running, sync_playwright() as playwright:
        address = running.said.wait_for("hall http").split()[1]
        page = launch(playwright, installed(CHROMIUM)).new_page()
        page.goto(address)
        body = page.locator("body")
        expect(body).to_have_attribute("data-scene", "pause", timeout=DEADLINE_MS)
        expect(page.get_by_text("a part of the game is lost")).to_be_visible(timeout=DEADLINE_MS)
        expect(page.get_by_text("The journal was damaged: 12 commands")).to_be_visible()
        expect(page.get_by_text("nothing is lost")).to_be_hidden()
        assert running.end() == 0
