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
    undone = page.locator('[data-is="report-commands"] tbody tr', has_text="undone")
    expect(undone.first).to_contain_text("command line")
    expect(page.locator('[data-is="report-names"]')).to_have_text(
        "People’s names and free text are left out."
    )
    hrefs = [
        link.get_attribute("href") for link in page.locator('[data-is="report-files"] a[download]').all()
    ]
    assert hrefs == [f"/api/games/g1/report.{kind}" for kind in ("pdf", "csv?table=locale", "json")]
    expect(page.locator('[data-is="report-notes"] tbody td').nth(1)).to_have_text(
        "The controller was off for 2.1 s, was restarted and took the game up again."
    )
    expect(page.locator('[data-is="report-rate"]')).to_have_count(0)
    page.emulate_media(media="print")
    expect(page.locator('[data-is="report-files"]')).to_be_hidden()
    expect(page.locator('[data-is="report-rolls"]')).to_be_visible()


def test_names_are_asked_for_by_the_staff(page: Page) -> None:
    page.locator('[data-is="report-other-names"]').click()
    page.wait_for_url("**/report/g1?names=1")
    expect(page.locator('[data-is="report-files"] a[download]')).to_have_count(3)
    for kind, link in zip(
        ("pdf?names=1", "csv?names=1&table=locale", "json?names=1"),
        page.locator('[data-is="report-files"] a[download]').all(),
        strict=True,
    ):
        expect(link).to_have_attribute("href", f"/api/games/g1/report.{kind}")


def test_a_report_of_turns_tells_the_time_of_each_seat(page: Page, new_screen: Callable[..., Screen]) -> None:
    expect(page.locator('[data-is="report-seats"]')).to_have_count(0)
    screen = new_screen(viewport={"width": 390, "height": 844})
    screen.stage.documents["games/g1/report.json"] = reported(
        rule_set="classic",
        rate=30,
        seats=[
            {"side": "red", "name": None, "turns": 2, "total_ms": 65_000, "mean_ms": 32_500},
            {"side": "blue", "name": "Ann", "turns": 1, "total_ms": 9_000, "mean_ms": 9_000},
        ],
        longest_turn={"side": "red", "round": 5, "at_ms": 9_000, "length_ms": 45_000},
        winners=[{"board": None, "side": "blue", "points": 10}],
    )
    screen.page.goto(screen.stage.address + "/report/g1")
    cells = screen.page.locator('[data-is="report-seats"] tbody td')
    expect(cells).to_have_text(["Red", "2", "1:05", "32.5 s", "Ann", "1", "0:09", "9.0 s"])
    short = screen.page.locator(".short")
    expect(short).to_contain_text("Red, turn 5: 0:45")
    expect(short).to_contain_text("WinnersAnn")
    expect(short).not_to_contain_text("Round")
    expect(screen.page.locator('[data-is="report-rate"]')).to_contain_text("30 times as fast")
