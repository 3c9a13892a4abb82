"""A whole classic game on the real controller through the pages alone: the seats, the founding, turns with a 7, a pause,
a claim and its sheet; without a complaint. And every state of the one table: nothing is cut off, and no word of the
other format shows."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.browser.classic_pictures import CLASSIC
from tests.browser.hands import ChromiumTab, Hands
from tests.browser.looks import cut_off
from tests.browser.screen import CHROMIUM, Screen, launch
from tests.browser.whole_games import controller, fill_in, log_in, open_sheet, primary
from tests.matrix import further
from tests.needs import program

pytestmark = pytest.mark.browser
OTHER_FORMAT = re.compile(r"\b(Sun|Moon|[Rr]ound|side|[Bb]oards?)\b")
MOST_TURNS = 60
"""Among so many rolls there is a 7: 0.00002 is what is left."""


def seat_three(hands: Hands) -> None:
    """In place of the hall's game one at one table, for three; one of them has a name of her own, and white comes
    before blue."""
    hands.click(on='[data-is="mode-setup"]')
    hands.tab.run("() => { document.querySelector('[data-is=\"rule-set\"]').value = 'classic'; }")
    hands.click(on='[data-is="arm"]')
    hands.see('[data-is="seats-form"]', "Seats")
    hands.click("Remove Orange")
    hands.write('[data-is="seats-form"] input[name="red"]', "Anna")
    hands.click("Move White up: an earlier turn")
    assert hands.tab.run("() => document.activeElement.ariaLabel") == "Move White up: an earlier turn"
    hands.tab.run("() => { document.querySelector('[data-is=\"first-side\"]').value = 'red'; }")
    hands.click(on='[data-is="arm"]')
    hands.see(".live-title", "The game begins soon")
    hands.click(on='[data-is="mode-show"]')


def found(hands: Hands) -> None:
    """In order 1 to 3, then 3 to 1."""
    primary(hands, "Start")
    for name in ("Anna", "White", "Blue", "Blue", "White", "Anna"):
        hands.see(".live-mark", name.upper())
        primary(hands, f"{name} has placed")
    hands.see(".live-title", "Turn 1")


def play_until_a_seven(hands: Hands) -> str:
    """The name of who rolled it."""
    for turn in range(MOST_TURNS):
        name = ("Anna", "White", "Blue")[turn % 3]
        primary(hands, f"Roll for {name}")
        hands.see('[data-is="primary"]', f"End turn: {name}")  # drawn with the roll, from the same picture
        if hands.text(".live-roll strong") == "7":
            return name
        primary(hands, f"End turn: {name}")
    raise AssertionError("no 7")


def claim_and_win(hands: Hands, name: str) -> None:
    hands.click(on='[data-is="pause"]')
    hands.see('[data-is="primary"]', "Resume")
    hands.click("Enter a claim")
    hands.click(on='[data-is="claim-go"]')
    hands.see(".claims .claim", name)
    open_sheet(hands, 1)
    hands.see(".sheet", "2 of 5 settlements, 0 of 4 cities. At most 15 roads.")
    assert (
        hands.which('[aria-label="Ore: one more"]', '[aria-label="Cities: one more"]')
        == '[aria-label="Cities: one more"]'
    )
    fill_in(hands, 1, {"Cities": 4})
    hands.click(f"Confirm: 10 points – {name} wins")
    hands.see(".live-title", "The game has ended")


def test_a_classic_game_is_played_to_its_end_through_the_pages(tmp_path: Path) -> None:
    with sync_playwright() as playwright, controller(tmp_path) as (hall, link):
        browser = launch(playwright, program(CHROMIUM))
        hands, screen = (Hands(ChromiumTab(browser.new_page())) for _ in range(2))
        hands.tab.resize(1366, 768)
        log_in(hands, link)
        seat_three(hands)
        screen.tab.open(hall)
        screen.see(".seats", "Anna")
        found(hands)
        screen.see('[data-is="asked"]', "Anna: roll the dice")
        name = play_until_a_seven(hands)
        screen.see('[data-is="turn-help"]', f"{name} moves the robber to another hex and steals one card.")
        claim_and_win(hands, name)
        screen.see(".winner-board", name)
        screen.see(".winner-points", "10 points")
        assert hands.tab.complaints + screen.tab.complaints == []
        screen.tab.open("about:blank")
        hands.tab.open("about:blank")
        browser.close()


@pytest.mark.parametrize(
    ("path", "size"),
    [
        ("/", (1920, 1080)),
        ("/", (390, 844)),
        ("/phone", (390, 844)),
        *further(("/", (1366, 768)), ("/phone", (1366, 768)), ("/phone", (1920, 1080))),
    ],
    ids=str,
)
def test_every_state_of_the_one_table_is_shown_whole_and_in_its_own_words(
    path: str, size: tuple[int, int], new_screen: Callable[..., Screen]
) -> None:
    screen = new_screen(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    page = screen.open(path)
    for number, (name, picture) in enumerate(CLASSIC.items()):
        screen.play(picture | {"seq": 100 + number, "rate": 0.0001, "as_of_ms": 1_000_000 + 400 * number})
        screen.pass_ms(400)
        assert cut_off(page) == [], name
        said = OTHER_FORMAT.search(page.locator("main").inner_text())
        assert said is None, f"{name}: {said}"
