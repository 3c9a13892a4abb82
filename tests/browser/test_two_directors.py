"""Two pages of the director on the real programs: what one does on an old picture is refused, and play goes on."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute

from tests.browser.seen import expect
from tests.system.programs import Program, client_of, program, wait_for_picture

pytestmark = pytest.mark.browser
PATIENCE_MS = 120_000


class HeldNews:
    """Lets the news of a page's feed through until they are held back."""

    def __init__(self, page: Page) -> None:
        self.held = False
        page.route_web_socket("**/api/feed", self._connect)

    def _connect(self, route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        server.on_message(lambda message: None if self.held else route.send(message))


def director(page: Page, address: str) -> Page:
    page.set_default_timeout(PATIENCE_MS)
    page.goto(address)
    return page


def logged_in(chromium: Browser, running: Program) -> Page:
    page = director(chromium.new_context().new_page(), running.said.wait_for("director http").split()[1])
    page.get_by_role("button", name="Log in", exact=True).click()
    page.wait_for_url("**/director")
    return page


def test_of_two_who_resume_the_second_is_refused_and_play_goes_on(chromium: Browser, tmp_path: Path) -> None:
    options = ("--hardware=sim", "--port=0", f"--state-dir={tmp_path}")
    with program("run", *options) as running:
        client = client_of(tmp_path)
        first = logged_in(chromium, running)
        second = first.context.new_page()
        news = HeldNews(second)
        assert client.command("start").accepted
        wait_for_picture(client, lambda picture: picture.running)
        assert client.command("pause").accepted
        director(second, first.url)
        for page in (first, second):
            resume = page.locator('[data-is="primary"][data-mode="resume"]')
            expect(resume).to_be_visible()
            expect(resume).not_to_have_attribute("aria-disabled", "true")
        news.held = True
        first.locator('[data-is="primary"]').click()
        wait_for_picture(client, lambda picture: picture.resume_in_ms is not None)
        second.locator('[data-is="primary"]').dispatch_event("click")
        refused = second.locator(".entry.refused .entry-reason")
        expect(refused).to_contain_text("since you looked, this has changed: the pause")
        news.held = False
        wait_for_picture(client, lambda picture: picture.running)
        first.context.close()
        assert running.end() == 0
