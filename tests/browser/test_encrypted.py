"""The staff's encrypted address in a browser that has been told to trust its certificate, on the real programs."""

import socket
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser
from playwright.sync_api import expect as seen

from tests.browser.seen import expect
from tests.patience import DEADLINE_MS
from tests.system.programs import program

pytestmark = pytest.mark.browser


def free_ports(count: int) -> list[int]:
    with ExitStack() as held:
        return [
            held.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1] for _ in range(count)
        ]


def test_staff_and_claiming_phones_come_encrypted(chromium: Browser, tmp_path: Path) -> None:
    port, staff_port = free_ports(2)
    settings = tmp_path / "settings.toml"
    settings.write_text(
        f"[web]\nport = {port}\nstaff_port = {staff_port}\nstaff_tls = true\n[tables]\nseat_codes = true\n"
    )
    with program(
        "run", "--hardware", "sim", "--settings", settings, "--state-dir", tmp_path / "s"
    ) as running:
        hall = running.said.wait_for("hall http").split()[1]
        link = running.said.wait_for("director http").split()[1]
        assert link.startswith(f"https://127.0.0.1:{staff_port}/login?token=")
        page = chromium.new_context(ignore_https_errors=True).new_page()
        page.set_default_timeout(DEADLINE_MS)
        page.goto(link)
        page.get_by_role("button", name="Log in", exact=True).click()
        page.wait_for_url("**/director")
        expect(page.locator("body")).to_have_attribute("data-state", "fresh")
        assert [cookie.get("secure") for cookie in page.context.cookies()] == [True]
        page.goto(urljoin(hall, "/director"))
        assert page.url == f"https://127.0.0.1:{staff_port}/director"
        page.goto(urljoin(hall, "/phone#a.code"))
        seen(page).to_have_url(f"https://127.0.0.1:{staff_port}/phone")
        assert page.evaluate("localStorage.getItem('seat-code')") == "a.code"
        page.context.close()
        assert running.end() == 0
