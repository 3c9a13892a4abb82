"""The tables' displays of a game that was played on virtual tables: the page shows what stood on their glass."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest
from playwright.sync_api import CDPSession, Page, expect
from playwright.sync_api import TimeoutError as TooLate

from pi_controller.replay.changes import changes_of
from pi_controller.replay.pictures import Replay, lines_of
from tests.browser.screen import Screen
from tests.core.hand_bus import LANGUAGES
from tests.replay import recorded_tables
from tests.replay.recorded_tables import Glass, Played, shown

pytestmark = pytest.mark.browser

LENGTH_S = 66
STEP_MS = 100
"""Of the slider."""
LIT = """() => [...document.querySelectorAll(".displays figure")].map((figure) => {
  const copy = new OffscreenCanvas(128, 64).getContext("2d", { willReadFrequently: true });
  copy.drawImage(figure.querySelector("canvas"), 0, 0);
  const pixels = copy.getImageData(0, 0, 128, 64).data;
  let bits = "";
  for (let at = 0; at < pixels.length; at += 4) bits += pixels[at] > 100 ? "1" : "0";
  return bits;
})"""
"""The pixels of each display, from the top, the leftmost first."""
SHOWN = f"(expected) => JSON.stringify(({LIT})()) === JSON.stringify(expected)"
LATEST_MS = 10_000
"""A busy machine draws late; what is not there then is wrong."""
MOST_WRONG = 5
"""As many are told: each is waited for."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """On a thread of its own: where playwright keeps a loop running, core's would not run."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(recorded_tables.play, tmp_path_factory.mktemp("tables")).result()


@pytest.fixture
def page(new_screen: Callable[..., Screen], played: Played) -> Page:
    screen = new_screen(viewport={"width": 1366, "height": 768})
    lines = lines_of(Replay(changes_of(played.records), LANGUAGES).pictures())
    screen.stage.documents["games/g1/replay"] = [_plain(line) for line in lines]
    screen.stage.documents["games/g1/replay/tables"] = _plain(shown(played.records))
    screen.page.goto(screen.stage.address + "/replay/g1")
    expect(screen.page.locator(".displays canvas")).to_have_count(2)
    return screen.page


def _plain(value: object) -> Any:
    return json.loads(msgspec.json.encode(value))


def comes(page: Page, pixels: list[str]) -> bool:
    """Whether the displays show this, at last."""
    try:
        page.wait_for_function(SHOWN, arg=pixels, timeout=LATEST_MS)
    except TooLate:
        return False
    return True


def test_the_page_shows_what_stood_on_the_glass(page: Page, played: Played) -> None:
    again = Glass(shown(played.records))
    length_ms = changes_of(played.records)[-1].since_ns // 1_000_000
    looks: dict[tuple[str, int], dict[str, str]] = {}
    for at_ms, (board, side), rows in played.seen:
        rounded = round(at_ms / STEP_MS) * STEP_MS
        if rounded <= length_ms and rows in again.around(rounded, (board, side), late_ms=0, early_ms=0):
            looks.setdefault((board, rounded), {})[side] = f"{int.from_bytes(rows):08192b}"
    both = {look: sides for look, sides in looks.items() if len(sides) == 2}
    assert len(both) > 140
    others = []
    for board in recorded_tables.BOARDS:
        page.locator('[data-is="replay-board"]').select_option(board)
        for (place, at_ms), sides in list(both.items())[::3]:
            if place == board:
                page.locator('[data-is="replay-slider"]').fill(str(at_ms))
                if not comes(page, [sides["sun"], sides["moon"]]):
                    others.append((board, at_ms))
                    assert len(others) < MOST_WRONG, others
    assert others == []


def test_playing_goes_on_while_the_displays_count(page: Page) -> None:
    """A second of the page with all displays takes a small part of a second of the processor, however fast it plays."""
    page.locator('[data-is="replay-speed"]').select_option("16")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = _task_s(session)
    page.locator('[data-is="replay-go"]').click()
    expect(page.locator('[data-is="replay-go"]')).to_have_text("Hold")
    expect(page.locator('[data-is="replay-go"]')).to_have_text("Play")
    expect(page.locator(".displays figure").last).to_contain_text("B12")
    assert _task_s(session) - before < 0.5 * LENGTH_S / 16


def _task_s(session: CDPSession) -> float:
    """Processor time of the page's thread."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))
