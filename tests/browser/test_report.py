"""The report of a game: what the server tells, for reading, for printing, as a file."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.reports import reported
from tests.browser.screen import Screen

pytestmark = pytest.mark.browser


@pytest.fixture
def page(new_screen: Callable[..., Screen]) -> Page:
    screen = new_screen(viewport={"width": 1366, "height": 768})
    screen.stage.documents["games/g1/report.json"] = reported()
    screen.stage.director = True
    screen.page.goto(screen.stage.address + "/report/g1")
    expect(screen.page.locator('[data-is="report-lead"]')).to_contain_text("20261121-193012-7f3a")
    return screen.page


def test_a_report_is_read_and_printed(page: Page) -> None:
    expect(page.locator("h1")).to_have_text("Report of the game")
    expect(page.locator(".short")).to_contain_text("A8 Sun")
    expect(page.locator('[data-is="report-sums"] rect')).to_have_count(11)
    expect(page.locator('[data-is="report-sums"]')).to_have_attribute("aria-label", re.compile(r"7: \d+ \("))
    expect(page.locator('[data-is="report-claims"] tbody tr')).to_have_count(2)
    expect(page.locator('[data-is="report-commands"] tbody tr').nth(3)).to_contain_text("taken back")
    expect(page.locator('[data-is="report-names"]')).to_have_text(
        "Names of people and free texts are left out."
    )
    hrefs = [
        link.get_attribute("href") for link in page.locator('[data-is="report-files"] a[download]').all()
    ]
    assert hrefs == [f"/api/games/g1/report.{kind}" for kind in ("pdf", "csv", "json")]
    page.emulate_media(media="print")
    expect(page.locator('[data-is="report-files"]')).to_be_hidden()
    expect(page.locator('[data-is="report-rolls"]')).to_be_visible()


def test_names_are_asked_for_by_the_staff(page: Page) -> None:
    page.locator('[data-is="report-other-names"]').click()
    page.wait_for_url("**/report/g1?names=1")
    expect(page.locator('[data-is="report-files"] a[download]')).to_have_count(3)
    for kind, link in zip(
        ("pdf", "csv", "json"), page.locator('[data-is="report-files"] a[download]').all(), strict=True
    ):
        expect(link).to_have_attribute("href", f"/api/games/g1/report.{kind}?names=1")
