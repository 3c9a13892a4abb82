"""Two pages of the director on the real programs: what one does on an old picture is refused, and play goes on. Of two
directors one directs, the other watches, may pause, takes over and hands back."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, WebSocketRoute

from pi_controller.protocol.client import Client
from tests.browser.seen import expect, expect_anywhere
from tests.patience import DEADLINE_MS
from tests.system.programs import Program, client_of, program, wait_for_picture

pytestmark = pytest.mark.browser
GIVEN = """async (name) => (await fetch(`/api/commands/${name}`, { method: "POST" })).json()"""
"""A command past the page's own buttons."""


class HeldNews:
    """Lets the news of a page's feed through until they are held back; it goes on hearing that core lives."""

    def __init__(self, page: Page) -> None:
        self.held = False
        page.route_web_socket(re.compile("/api/desk"), self._connect)

    def _connect(self, route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        server.on_message(self._pass_on(route))

    def _pass_on(self, route: WebSocketRoute) -> Callable[[str | bytes], None]:
        def hand_on(message: str | bytes) -> None:
            if not self.held or {"beat", "answer"} & json.loads(message).keys():
                route.send(message)

        return hand_on


def director(page: Page, address: str) -> Page:
    page.set_default_timeout(DEADLINE_MS)
    page.goto(address)
    return page


def logged_in(chromium: Browser, running: Program, **options: Any) -> Page:
    """A page that has used the printed link; `options` of its browser context."""
    page = director(
        chromium.new_context(**options).new_page(), running.said.wait_for("director http").split()[1]
    )
    page.get_by_role("button", name="Log in", exact=True).click()
    page.wait_for_url("**/director")
    return page


def part(page: Page, name: str) -> Locator:
    return page.locator(f'[data-is="{name}"]')


def invited(chromium: Browser, first: Page, name: str) -> Page:
    """A device of their own for this director, by a link that the first one made."""
    body, headers = {"role": "director", "name": name}, {"Origin": first.url.removesuffix("/director")}
    link = first.request.post(f"{headers['Origin']}/api/login-link", data=body, headers=headers).json()
    page = director(chromium.new_context().new_page(), headers["Origin"] + link["path"])
    page.get_by_role("button", name="Log in", exact=True).click()
    page.wait_for_url("**/director")
    return page


def test_two_pages_of_one_director_and_two_directors(chromium: Browser, tmp_path: Path) -> None:
    options = ("--hardware=sim", "--port=0", f"--state-dir={tmp_path}")
    with program("run", *options) as running:
        client = client_of(tmp_path)
        first = logged_in(chromium, running)
        of_two_who_resume_the_second_is_refused_and_play_goes_on(first, client)
        one_directs_and_the_other_watches_takes_over_and_hands_back(chromium, first, client)
        first.context.close()
        assert running.end() == 0


def of_two_who_resume_the_second_is_refused_and_play_goes_on(first: Page, client: Client) -> None:
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
        expect(part(page, "directing")).to_have_count(0)
    news.held = True
    part(first, "primary").click()
    wait_for_picture(client, lambda picture: picture.resume_in_ms is not None)
    part(second, "primary").evaluate("button => button.click()")
    # Two seconds later this page, without news, says only that: on a busy machine there is no time for a second look.
    expect_anywhere(part(second, "answer-text")).to_contain_text(
        "this has changed since you looked: the pause"
    )
    news.held = False
    wait_for_picture(client, lambda picture: picture.running)


def one_directs_and_the_other_watches_takes_over_and_hands_back(
    chromium: Browser, first: Page, client: Client
) -> None:
    bea = invited(chromium, first, "Bea")
    expect(part(bea, "directing")).to_contain_text("Director without a name is directing, you are watching")
    expect(part(first, "directing")).to_contain_text("You are directing")
    expect(part(bea, "skip")).to_be_disabled()
    part(bea, "primary").click()
    wait_for_picture(client, lambda picture: picture.paused)
    expect(part(bea, "primary")).to_have_attribute("data-mode", "take-over")
    refused = bea.evaluate(GIVEN, "skip")
    assert refused["reason_keys"][0]["key"] == "directing.unnamed_directs"

    part(bea, "take-over").click()
    expect(part(bea, "take-over-sure")).to_contain_text("will be told at once")
    part(bea, "take-over-now").click()
    expect(part(first, "directing-news")).to_have_text("Bea has taken over. You are watching now.")
    first.reload()
    expect(part(first, "directing")).to_contain_text("Bea is directing, you are watching")
    expect(bea.locator('[data-is="primary"][data-mode="resume"]')).to_be_visible()
    expect(part(bea, "primary")).not_to_have_attribute("aria-disabled", "true")
    part(bea, "primary").click()
    wait_for_picture(client, lambda picture: picture.running)
    expect_anywhere(first.locator(".act-by").first).to_have_text("Bea")

    part(bea, "mode-setup").click()
    part(bea, "hand-over").click()
    expect(part(first, "directing-news")).to_have_text("You have been handed the game. You direct now.")
    expect(part(bea, "directing")).to_contain_text("Director without a name is directing, you are watching")
    expect(part(bea, "directing-card").locator(".direct-changes li")).to_contain_text(
        [
            "Handed over to Director without a name",
            "Bea took over",
            "Director without a name started directing",
        ]
    )
    bea.context.close()
    expect(part(first, "directing")).to_contain_text("You are directing")
