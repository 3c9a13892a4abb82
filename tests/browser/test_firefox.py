"""A sample of `make test-games`: pages open in Firefox ESR over WebDriver BiDi, and it has nothing to complain of."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import pictures
from tests.browser.bidi import FIREFOX, Firefox, FirefoxTab
from tests.browser.hands import Hands
from tests.browser.stage import Stage
from tests.browser.verify_games import PAGE
from tests.browser.whole_games import controller, log_in, look_at_every_page
from tests.needs import program
from tests.system.programs import client_of, wait_for_picture, wait_until

pytestmark = pytest.mark.browser
PLAYS = "() => { const it = document.querySelector('video'); return it?.muted && !it.paused && it.currentTime > 0; }"
VECTORS = Path(__file__).parents[1] / "vectors"
LEFT_OUT = (
    *("/?layout=side", "/?layout=corner", "/?screen", "/director#setup", "/verify.html"),
    *("/overlay", "/judge", "/moderator", "/technician/selftest", "/technician/hardware", "/login", "/sim"),
)
"""`make test-games` opens them in Firefox too."""


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FirefoxTab]:
    with Firefox(program(FIREFOX), tmp_path_factory.mktemp("firefox")) as firefox:
        yield FirefoxTab(firefox)


@pytest.fixture(autouse=True)
def _without_complaints(tab: FirefoxTab) -> None:
    tab.complaints.clear()


def test_what_goes_wrong_on_a_page_is_noted(tab: FirefoxTab, stage: Stage) -> None:
    tab.open(stage.address + "/login")
    assert tab.complaints == []
    tab.run(
        """
        async () => {
          console.error("said");
          console.warn("warned");
          setTimeout(() => { throw new Error("thrown"); });
          Promise.reject(new Error("rejected"));
          await fetch("/static/none.js");
          await fetch("http://127.0.0.1:1/").catch(() => {});
          await new Promise((done) => setTimeout(done));
        }
        """
    )
    noted = (
        "error: said",
        "warn: warned",
        "Error: thrown",
        "Error: rejected",
        "none.js: 404",
        "127.0.0.1:1/",
    )
    wait_until(lambda: all(any(part in one for one in tab.complaints) for part in noted))


def test_pages_of_the_controller_are_in_order(tab: FirefoxTab, tmp_path: Path) -> None:
    with controller(tmp_path) as (hall, link):
        client = client_of(tmp_path / "s")
        assert client.command("start").accepted
        game = wait_for_picture(client, lambda picture: picture.round > 0).game_id
        assert client.command("end", {"confirm": True}).accepted
        log_in(Hands(tab), link)
        look_at_every_page(Hands(tab), hall, game, but=LEFT_OUT)
        tab.open("about:blank")


def test_a_phone_without_a_wake_lock_is_kept_lit_by_a_muted_video(tab: FirefoxTab, stage: Stage) -> None:
    stage.play(pictures.picture())
    with tab.begins_with("() => { delete Navigator.prototype.wakeLock; }"):
        tab.open(stage.address + "/phone")
    wait_until(lambda: tab.run(PLAYS) is True)
    Hands(tab).click(on='[data-is="awake"]')
    wait_until(lambda: tab.run("() => document.querySelector('video').paused") is True)
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
    Hands(tab).see("article h2", "Passed, with one caveat")
    assert tab.complaints == []
