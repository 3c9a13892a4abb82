"""`make test-games` as tests: two whole games on the real controller through the pages alone, then every page, without a
complaint. The default run plays a classic game (test_classic.py), collects sheets (test_collecting.py) and looks at every page in
Firefox (test_firefox.py)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.browser.bidi import FIREFOX, Firefox, FirefoxTab
from tests.browser.hands import ChromiumTab, Tab
from tests.browser.screen import CHROMIUM, launch
from tests.browser.whole_games import both_games
from tests.matrix import further
from tests.needs import program

pytestmark = pytest.mark.browser


@pytest.fixture(params=further(CHROMIUM, FIREFOX))
def tab(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Tab]:
    if request.param == FIREFOX:
        with Firefox(program(FIREFOX), tmp_path / "profile") as firefox:
            yield FirefoxTab(firefox)
        return
    with sync_playwright() as playwright:
        browser = launch(playwright, program(CHROMIUM))
        yield ChromiumTab(browser.new_page())
        browser.close()


def test_both_games_are_played_to_their_ends_and_every_page_is_in_order(tab: Tab, tmp_path: Path) -> None:
    both_games(tab, tmp_path)
