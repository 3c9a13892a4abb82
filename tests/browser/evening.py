"""A first evening on the real programs, and the touches that it takes: from the log-in to round 1 with two phones as seats, and from
a claim by phone to its verdict. A code that is scanned is a touch, too."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests.browser.seen import expect
from tests.patience import DEADLINE_MS
from tests.system.programs import client_of, program, wait_for_picture

MOST = {
    "First evening, from the log-in to round 1 with two phones": 12,
    "A claim by phone, to its verdict": 6,
}
CODES = (
    "async () => (await (await fetch('/api/seat-codes?board=A1')).json()).seats.map(({ address }) => address)"
)
SHEETS = "async () => (await (await fetch('/api/seat-codes.pdf')).text()).slice(0, 5)"
COUNT = "addEventListener('pointerdown', ({ isTrusted }) => { if (isTrusted) window.touched(); }, true);"
SUGGESTED = '.evening-step .evening-choices:not(.small) [aria-pressed="true"]'
ONE_ROUND = "[game]\nschedule = [{from_round = 1, seconds = 3600}]\nstart_countdown_seconds = 0\n"
HOLD_MS = 700


class Touches:
    """Pages whose touches are counted together."""

    def __init__(self, chromium: Browser) -> None:
        self._chromium = chromium
        self._count = 0

    def page(self, address: str, **options: Any) -> Page:
        context = self._chromium.new_context(**options)
        context.expose_function("touched", self.note)
        context.add_init_script(COUNT)
        page = context.new_page()
        page.set_default_timeout(DEADLINE_MS)
        page.goto(address)
        return page

    def note(self) -> None:
        self._count += 1

    def taken(self) -> int:
        """Since this was last asked."""
        count, self._count = self._count, 0
        return count


def all_right(page: Page, step: str) -> None:
    """The answer that stands already."""
    expect(page.locator(f'[data-is="evening-{step}"]')).to_have_attribute("aria-expanded", "true")
    page.locator(SUGGESTED).click()


def press_once(page: Page, says: str) -> None:
    """The main action, once it says this and listens."""
    page.locator('[data-is="primary"]:not([aria-disabled])', has_text=says).click()


def evening(chromium: Browser, port: int) -> Iterator[tuple[str, int]]:
    """What was done, and in how many touches."""
    to_round_1, to_verdict = MOST
    touches = Touches(chromium)
    with tempfile.TemporaryDirectory() as place:
        (settings := Path(place) / "settings.toml").write_text(ONE_ROUND)
        state = Path(place) / "s"
        options = ("--hardware=none", "--host=0.0.0.0", f"--port={port}", f"--settings={settings}")
        with program("run", *options, f"--state-dir={state}") as running:
            page = touches.page(running.said.wait_for("director http").split()[1])
            page.locator('[data-is="link-go"]').click()
            for step in ("play", "boards", "claims", "speech"):
                all_right(page, step)
            expect(page.locator('[data-is="evening-codes"] svg.qr')).to_have_count(2)
            assert page.evaluate(SHEETS) == "%PDF-"
            phones = []
            for address in page.evaluate(CODES):
                touches.note()
                phones.append(touches.page(address, viewport={"width": 390, "height": 844}))
            for phone in phones:
                expect(phone.locator(".claim-place")).to_be_attached()
            press_once(page, "Start")
            for phone in phones:
                expect(phone.locator('[data-is="claim"]')).to_be_attached()
            yield to_round_1, touches.taken()
            core = client_of(state)
            assert (core.picture().round, len(core.roster().boards)) == (1, 5)
            sun = phones[0].locator('[data-is="claim"]:not([disabled])')
            sun.click(delay=HOLD_MS)
            press_once(page, "Pause")
            press_once(page, "Judge A1 Sun")
            expect(page.locator('[data-is="claim-panel"]')).to_be_visible()
            page.locator('[data-is="primary"]:not([aria-disabled])').wait_for()  # what has just come is deaf
            page.get_by_role("button", name="Checked at the table: board A1, Sun wins").click()
            expect(phones[1].locator('[data-is="winners"]')).to_contain_text("A1")
            wait_for_picture(core, lambda picture: picture.phase == "ended")
            yield to_verdict, touches.taken()
            for each in (page, *phones):
                each.context.close()
            assert running.end() == 0
