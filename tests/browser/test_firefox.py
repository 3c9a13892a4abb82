"""A sample of `make test-games`: pages open in Firefox ESR over WebDriver BiDi, and it has nothing to complain of."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.accessible import beating
from tests.browser.bidi import FIREFOX, Firefox, FirefoxTab
from tests.browser.every_page import over
from tests.browser.hands import Hands
from tests.browser.stage import Stage
from tests.browser.verify_games import PAGE
from tests.needs import program

pytestmark = pytest.mark.browser
VECTORS = Path(__file__).parents[1] / "vectors"


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FirefoxTab]:
    with Firefox(program(FIREFOX), tmp_path_factory.mktemp("firefox")) as firefox:
        yield FirefoxTab(firefox)


def test_pages_show_a_game_in_firefox(tab: FirefoxTab, stage: Stage) -> None:
    over(stage)
    hands = Hands(tab)
    with beating(stage):
        tab.open(stage.address + "/")
        hands.see("h1", "Winner")
        tab.open(stage.address + "/director")
        hands.see('[data-is="live"]', "The game has ended")
        tab.open(stage.address + "/sim")
        hands.see("h1")
    assert tab.complaints == []


def test_the_page_that_checks_games_says_the_same_in_firefox(tab: FirefoxTab) -> None:
    tab.open(PAGE.as_uri() + "?lang=en")
    game = (VECTORS / "export-v2.jsonl").read_text(encoding="utf-8")
    tab.run(
        """
        (text) => {
          const given = new DataTransfer();
          given.items.add(new File([text], "game.jsonl"));
          const field = document.querySelector("[data-is=files]");
          field.files = given.files;
          field.dispatchEvent(new Event("change"));
        }
        """,
        game,
    )
    Hands(tab).see("article h2", "Passed, with a reservation")
    assert tab.complaints == []
