"""Whole games on the real controller through the pages alone: one that ends in a shared victory by the last step of the
tie-break, one that ends by the last rounds and the ranking. The same steps in every browser:
`python -m tests.browser.whole_games [chromium] [firefox]`.
"""

import shutil
import sys
import tempfile
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urljoin

from pi_controller.journal.witnesses import games
from tests.browser.bidi import FIREFOX, Firefox, FirefoxTab
from tests.browser.hands import ChromiumTab, Hands, Tab
from tests.browser.screen import staged
from tests.system.programs import program

SPEED = 20
SEED = "5e" * 32
WINNING = {"Settlements": 2, "Cities": 4, "Victory-point cards": 2}
"""Beside the first two settlements that every game starts with."""
WINNING_FLAGS = ("Foreign, left", "Foreign, right")
RANKED = {"Cities": 3}
CLAIM_FIELD = '[data-is="claim-board"]'
PAGES = {
    "/": "h1",
    "/?layout=side": "h1",
    "/?layout=corner": "h1",
    "/?screen": "h1",
    "/overlay": "body",
    "/phone": '[data-is="winners"]',
    "/director": '[data-is="primary"]',
    "/director#setup": '[data-is="paper-card"] .hint',
    "/judge": "h1",
    "/moderator": '[data-is="clock"]',
    "/technician": "main h2",
    "/technician/selftest": "body[data-standing]",
    "/technician/hardware": ".hold",
    "/sim": "h1",
    "/report/GAME": ".files",
    "/replay/GAME": '[data-is="replay-go"]',
    "/verify.html": "h1",
    "/verify.html?game=GAME": "article h2",
    "/login": '[data-is="primary"]',
}
"""What is seen of each when it is there; GAME is one that has ended. The log-in leads on who is logged in."""


def log_in(hands: Hands, link: str) -> None:
    hands.tab.open(link)
    hands.click(on='[data-is="link-go"]')
    hands.see('[data-is="primary"]')


def primary(hands: Hands, says: str) -> None:
    """Press the one large button once it says this."""
    hands.click(on='[data-is="primary"]', part=says)


def enter_claim(hands: Hands, board: str) -> None:
    hands.click(on='[data-is="enter-claim"]')
    hands.write(CLAIM_FIELD, board)
    hands.click(on='[data-is="claim-go"]')


def fill_in(hands: Hands, counts: Mapping[str, int], flags: tuple[str, ...] = ()) -> None:
    """The sheet that is open."""
    for what, times in counts.items():
        count = f'.sheet .stepper:has([aria-label="{what}: one more"]) output'
        before = int(hands.text(count))
        for number in range(before + 1, before + times + 1):
            hands.click(f"{what}: one more", within=".sheet")
            hands.see(count, str(number))
        assert int(hands.text(count)) == before + times
    for flag in flags:
        hands.click(flag, within=".sheet")


def shared_victory(hands: Hands, hall: str, link: str) -> None:
    """Two boards claim in the same round with sheets that are equal in everything."""
    log_in(hands, link)
    primary(hands, "Start")
    primary(hands, "Pause")
    hands.see('[data-is="primary"]', "Resume")
    for board in ("A1", "B2"):
        enter_claim(hands, board)
        hands.see(".claims .claim", board)
    for board in ("A1", "B2"):
        primary(hands, f"Judge {board}")
        fill_in(hands, WINNING, WINNING_FLAGS)
        primary(hands, "Confirm: ")
    hands.see('[data-is="live"]', "The game has ended")
    look_at_the_end(hands, hall, "Shared victory", "Equal in every count: the victory is shared")


def ranked_end(hands: Hands, hall: str, link: str) -> None:
    """The last round is over, two sheets are ranked, and the director ends the game."""
    hands.tab.open(link.split("/login", maxsplit=1)[0] + "/director")
    hands.see('[data-is="primary"]')
    primary(hands, "Close and publish")
    hands.click(on='[data-is="close-cancel"]')
    hands.click(on='[data-is="mode-setup"]')
    hands.click(on='[data-is="arm"]')
    hands.click("Arm now")
    hands.click(on='[data-is="mode-show"]')
    primary(hands, "Start")
    hands.see('[data-is="primary"]', "Pause")
    hands.click(on='[data-is="open-end"]')
    hands.click(on='[data-is="last-go"]')
    hands.see('[data-is="ranking"]')
    for board, counts in (("A1", RANKED), ("B2", {"Cities": 1})):
        enter_claim(hands, board)
        hands.see('[data-is="claim-panel"]', board)
        fill_in(hands, counts)
        primary(hands, "Into the ranking: ")
    primary(hands, "End: A1")
    hands.click("End now")
    look_at_the_end(hands, hall, "Winner", "Best checked sheet after the last round")


def look_at_the_end(hands: Hands, hall: str, title: str, decided: str) -> None:
    """Hall screen, and the page that checks the dice, which cannot prove anything before the game is closed."""
    hands.tab.open(hall)
    hands.see("h1", title)
    hands.see('[data-is="decided"]', decided)
    hands.click(on='[data-is="check"]')
    hands.see("article h2", "Cannot be checked yet")


def look_at_every_page(hands: Hands, hall: str, game: str, *, but: Container[str] = ()) -> None:
    """Each page once, by who is logged in, until it shows something; nothing is complained of. `but` are left out."""
    for path, shows in PAGES.items():
        if path in but:
            continue
        hands.tab.open(urljoin(hall, path.replace("GAME", game)))
        hands.see(shows)
        assert hands.tab.complaints == [], f"{path}: {hands.tab.complaints}"


@contextmanager
def controller(folder: Path) -> Iterator[tuple[str, str]]:
    """The real one with a simulated panel: the hall's address and the director's link."""
    options = ("--hardware", "sim", "--speed", str(SPEED), "--seed-hex", SEED, "--state-dir", folder / "s")
    with program("run", *options, "--port", "0") as running:
        yield running.said.wait_for("hall http").split()[1], running.said.wait_for("director http").split()[1]
        assert running.end() == 0


def both_games(tab: Tab, folder: Path) -> None:
    hands = Hands(tab)
    with controller(folder) as (hall, link):
        tab.resize(1366, 768)
        shared_victory(hands, hall, link)
        ranked_end(hands, hall, link)
        newest, *_ = games(folder / "s")
        look_at_every_page(hands, hall, newest.game_id)
        tab.open("about:blank")
    assert tab.complaints == []


def main() -> int:
    browsers = sys.argv[1:] or ["chromium", "firefox"]
    for name in browsers:
        with tempfile.TemporaryDirectory() as folder:
            if name == "firefox":
                with Firefox(shutil.which(FIREFOX) or FIREFOX, Path(folder) / "profile") as firefox:
                    both_games(FirefoxTab(firefox), Path(folder))
            else:
                with staged() as (browser, _):
                    both_games(ChromiumTab(browser.new_page()), Path(folder))
        print(f"{name}: both games were played to their ends, every page was looked at, no complaint")
    return 0


if __name__ == "__main__":
    sys.exit(main())
