"""kill -9 through the real processes."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest
from playwright.sync_api import expect, sync_playwright

from tests.browser.screen import CHROMIUM, launch
from tests.needs import program as installed
from tests.patience import DEADLINE_MS, DEADLINE_S
from tests.system.audience import Audience, Picture
from tests.system.programs import (
    ROOT,
    Program,
    client_of,
    kill_child,
    program,
    simulated,
    wait_for_picture,
)


def test_six_kills() -> None:
    soak = subprocess.run(
        [sys.executable, "-m", "tests.soak.kills", "--kills", "6"],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=6 * DEADLINE_S,
    )
    assert soak.returncode == 0, soak.stdout + soak.stderr
    assert "Traceback" not in soak.stderr
    assert soak.stdout.startswith("6 kills (")


def started(running: Program, state: Path) -> str:
    """A game under way; the pages' address."""
    address = running.said.wait_for("hall http").split()[1].rstrip("/")
    assert client_of(state).command("start").accepted
    return address


def test_core_dies_and_the_feed_goes_on_by_itself(tmp_path: Path) -> None:
    with program("run", *simulated(tmp_path), "--port=0") as running:
        address = started(running, tmp_path / "s")
        web = running.child("web")
        before, after = asyncio.run(watch_the_fall(running, address))
        assert running.child("web") == web, "the pages' process lived through it"
        assert running.end() == 0
    assert (after.paused, after.pause_reasons) == (True, ["recovery"])
    for name in ("game_id", "round", "side", "dice", "commitment"):
        assert getattr(after, name) == getattr(before, name), name


async def watch_the_fall(running: Program, address: str) -> tuple[Picture, Picture]:
    """The last picture of the old core and the first of the new one, over the same open socket."""
    async with Audience(f"{address}/api/feed", usual_times=False) as audience:
        # Core pauses play itself where a busy machine has let it stand still.
        before = await audience.until(lambda seen: seen.running or seen.pause_reasons == ["recovery"])
        await asyncio.to_thread(kill_child, running, "core")
        after = await audience.until(lambda picture: picture.session != before.session)
        async with aiohttp.ClientSession() as session, session.get(f"{address}/api/state") as answer:
            assert answer.status == 200
            state = await answer.json()
            assert state["session"] == after.session
        assert audience.connections == 1
    return before, after


@pytest.mark.browser
def test_core_dies_and_the_hall_screen_comes_back_by_itself(tmp_path: Path) -> None:
    with program("run", *simulated(tmp_path), "--port=0") as running, sync_playwright() as playwright:
        address = started(running, tmp_path / "s")
        browser = launch(playwright, installed(CHROMIUM))
        page = browser.new_page()
        page.goto(address)
        expect(page.locator("body")).to_have_attribute("data-scene", "play", timeout=DEADLINE_MS)
        core = running.child("core")
        os.kill(core, signal.SIGSTOP)
        expect(page.locator("body")).to_have_attribute("data-scene", "lost", timeout=DEADLINE_MS)
        os.kill(core, signal.SIGKILL)
        expect(page.locator("body")).to_have_attribute("data-scene", "pause", timeout=DEADLINE_MS)
        expect(page.locator("body")).to_contain_text("The controller was restarted – nothing is lost")
        browser.close()
        assert running.end() == 0


def test_a_kill_during_the_count_in_does_not_let_play_begin(tmp_path: Path) -> None:
    state = tmp_path / "s"
    given = ["core", *simulated(tmp_path, "[game]\nstart_countdown_seconds = 10\n")]
    with program(*given) as core:
        client = client_of(state, core)
        assert client.command("start").accepted
        wait_for_picture(client, lambda picture: picture.resume_in_ms is not None)
        core.process.kill()
        core.left()
    with program(*given) as core:
        picture = client_of(state, core).picture()
        assert (picture.running, picture.resume_in_ms, picture.round) == (False, None, 0)
        again = client.command("resume")
        assert again.accepted, again.reasons
        assert client.picture().resume_in_ms is not None
