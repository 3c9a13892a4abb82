"""A page in Chromium whose clock stands still until it is moved, and which notes every complaint."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright, sync_playwright

from tests.browser.stage import Stage
from tests.patience import DEADLINE_MS

CHROMIUM = "chromium-headless-shell"
"""Chromium that only draws: the program with windows takes 2.5 times the processor for the same tests."""

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--mute-audio",
]

WATCH_FEEDS = """
(() => {
  const patience = window.setTimeout.bind(window);
  let heard = 0;
  const open = new Set();
  let tell = () => {};
  let tellEnd = () => {};
  let tellConnected = () => {};
  window.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', ({ data }) => { heard += Number(!data.includes('"answer":')); Promise.resolve().then(() => patience(tell)); });
      open.add(this);
      this.addEventListener('open', () => patience(tellConnected));
      this.addEventListener('close', () => {
        open.delete(this);
        patience(tellConnected);
        Promise.resolve().then(() => patience(tellEnd));
      });
    }
  };
  window.forgetHeard = () => { heard = 0; };
  window.untilHeard = (count) => new Promise((done, fail) => {
    patience(() => fail(new Error(`heard ${heard} of ${count} messages`)), 300_000);
    tell = () => { if (heard >= count) done(); };
    tell();
  });
  window.untilConnected = () => new Promise((done, fail) => {
    const opening = () => [...open].filter((feed) => feed.readyState === WebSocket.CONNECTING).length;
    patience(() => fail(new Error(`${opening()} feeds are still being opened`)), 300_000);
    tellConnected = () => { if (opening() === 0) done(); };
    tellConnected();
  });
  window.untilAllEnded = () => new Promise((done, fail) => {
    patience(() => fail(new Error(`${open.size} feeds are still open`)), 300_000);
    tellEnd = () => { if (open.size === 0) done(); };
    tellEnd();
  });
})();
"""


def launch(playwright: Playwright, chromium: str) -> Browser:
    """The machine's own Chromium, by its path."""
    return playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)


@contextmanager
def staged() -> Iterator[tuple[Browser, Stage]]:
    """Chromium and a stage for a program of its own."""
    chromium = shutil.which(CHROMIUM)
    if chromium is None:
        sys.exit(f"{CHROMIUM} is not installed: `apt-get install {CHROMIUM}`, then once more")
    stage = Stage()
    try:
        with sync_playwright() as playwright:
            browser = launch(playwright, chromium)
            yield browser, stage
            browser.close()
    finally:
        stage.close()


class Screen:
    """A page on the stage: its clock stands still until the test moves it.

    What the page wants from elsewhere is a complaint: the stage's policy forbids it. Listening to every request
    would cost a sixteenth of the processor."""

    def __init__(self, page: Page, stage: Stage) -> None:
        self.page = page
        self.stage = stage
        self.sent = 0
        self.complaints: list[str] = []
        self.allowed: tuple[str, ...] = ()
        page.set_default_timeout(DEADLINE_MS)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.add_init_script(WATCH_FEEDS)

    def open(self, path: str = "/", *, still: bool = True) -> Page:
        """Open a page; with `still` time moves only by `pass_ms`."""
        if still:
            self.page.clock.install(time=1_000_000)
            self.page.clock.pause_at(1_000_001)
        self.page.goto(self.stage.address + path)
        self.forget()
        self.stage.wait_for_feeds(1)
        return self.page

    def cut_feeds(self) -> None:
        """Every feed is cut, and the page does not come back before `pass_ms` lets it."""
        self.page.clock.install()
        self.page.clock.pause_at(self.page.evaluate("Date.now() + 1000"))
        self.hang_up()

    def hang_up(self) -> None:
        """Every feed is cut and the page knows: its timers to come back are set, and wait for `pass_ms`. One that
        is just being opened is waited for: it would stay."""
        self.page.evaluate("untilConnected()")
        self.stage.hang_up()
        self.page.evaluate("untilAllEnded()")

    def forget(self) -> None:
        """Count messages anew: those that came so far were waited for otherwise."""
        self.sent = 0
        self.page.evaluate("forgetHeard()")

    def play(self, picture: dict[str, Any]) -> None:
        """Show a picture and wait until the page has taken it."""
        self.stage.play(picture)
        self.heard()

    def beat(self, as_of_ms: int) -> None:
        self.stage.beat(as_of_ms)
        self.heard()

    def panel(self, panel: dict[str, Any]) -> None:
        self.stage.panel(panel)
        self.heard()

    def pass_ms(self, ms: int) -> None:
        """Let so much time pass on the page, with all its timers and frames."""
        self.page.clock.run_for(ms)

    def lose_news(self) -> None:
        """Let so much time pass without news that the page must be covered; coming back alone brings it no news."""
        self.stage.fall_silent()
        self.pass_ms(3_000)

    def text(self, name: str) -> str:
        return self.page.locator(f'[data-is="{name}"]').inner_text()

    def scene(self) -> str | None:
        return self.page.locator("body").get_attribute("data-scene")

    def visible_text(self) -> str:
        return self.page.locator("body").inner_text()

    def heard(self) -> None:
        self.sent += 1
        self.page.evaluate("count => untilHeard(count)", self.sent)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not any(text in message.text for text in self.allowed):
            self.complaints.append(message.text)
