"""The technician's pages on the real programs: simulated panel, virtual tables with the nodes' own firmware."""

import json
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, Locator, Page

from pi_controller.protocol.client import Client
from tests.browser.seen import expect
from tests.browser.test_two_directors import logged_in
from tests.patience import DEADLINE_MS
from tests.system.programs import client_of, program, wait_until
from tests.system.test_virtual_tables import arguments, wait_for_tables
from tests.system.virtual_tables import VirtualTables, virtual_tables

pytestmark = pytest.mark.browser

TRIES = 5
OF_THIS_MACHINE = {"press to acknowledgement, slowest"}
"""Figures of a check that a busy machine may spoil; their limit has tests on a clock moved by hand."""


def button(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def holds_the_hardware(page: Page, hall: Page, client: Client) -> None:
    """Lamps obey the page, contacts are shown, and no game starts before it is left."""
    button(page, "Begin the test")
    expect(page.locator("body")).to_have_attribute("data-state", "held")
    button(page, "Sun lamp")
    expect(hall.locator('[data-is="lamp-sun-state"]')).to_have_text("on")
    hall.evaluate("fetch('/api/sim/tap', {method: 'POST', headers: {'Content-Type': 'application/json'}})")
    expect(page.locator(".stamps tbody tr").nth(3)).to_be_visible()
    refused = client.command("start")
    assert (refused.accepted, "hardware test" in " ".join(refused.reasons)) == (False, True)


def walks(page: Page, client: Client, tables: VirtualTables) -> None:
    """All claim buttons are pressed, Sun's first; the walk ends by itself."""
    for board in client.roster().boards:
        expect(page.locator('[data-is="walk-board"]')).to_have_text(board.name)
        # Until the order to walk has reached the table, a press is a touch and no claim.
        tables.until(lambda seen, uid=board.node: seen[uid]["lamps"]["claim_sun"] > 0)
        tables.do("hold", board.node, side="sun", value=0.2)
        expect(page.locator(".walk-sides .heard")).to_have_text("Sun")
        tables.do("hold", board.node, side="moon", value=0.2)
    expect(page.locator('[data-is="walk"]')).to_be_hidden()


def fetched(page: Page, link: Locator) -> bytes:
    address = urljoin(page.url, link.get_attribute("href") or "")
    for _ in range(TRIES):  # on a busy machine it is not made within the minute that it has
        answer = page.request.get(address, timeout=DEADLINE_MS)
        if answer.status != 503:
            break
    return answer.body()


def test_an_evening_of_the_technician(chromium: Browser, tmp_path: Path) -> None:
    state = tmp_path / "s"
    with program("run", *arguments(tmp_path)) as running:
        client = client_of(state)
        wait_for_tables(client, 2)
        page = logged_in(chromium, running, viewport={"width": 390, "height": 844})
        hall = page.context.new_page()
        hall.goto(urljoin(page.url, "/sim"))
        page.goto(urljoin(page.url, "/technician/hardware"))
        holds_the_hardware(page, hall, client)
        page.goto(page.url.replace("hardware", "selftest"))
        wait_until(lambda: client.command("start").accepted)
        page.get_by_label("Your name, for the report").fill("Ann")
        button(page, "Only walk the rows")
        expect(page.locator('[data-is="strip"]')).to_contain_text("A game is under way")
        assert client.command("end", {"confirm": True}).accepted
        wait_for_tables(client, 2)  # a busy machine may have lost one meanwhile
        button(page, "Only walk the rows")
        with virtual_tables(state) as tables:
            walks(page, client, tables)
        expect(page.locator(".result .code")).to_have_text("CLM")
        expect(page.locator(".report a")).to_have_count(2)
        printed, data = page.locator(".report a").all()
        assert fetched(page, printed)[:5] == b"%PDF-"
        (result,) = json.loads(fetched(page, data))["results"]
        assert result["code"] == "CLM"
        assert {value["name"] for value in result["values"] if not value["ok"]} <= OF_THIS_MACHINE
        page.context.close()
        assert running.end() == 0
