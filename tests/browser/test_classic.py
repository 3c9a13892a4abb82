"""A whole classic game on the real controller through the pages alone: the seats, the founding, turns with a 7, a pause,
a claim and its sheet; without a complaint."""

import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from pi_controller.language.words import all_texts
from tests.browser import pictures
from tests.browser.classic_pictures import CLASSIC, SEATS, table
from tests.browser.hands import ChromiumTab, Hands
from tests.browser.looks import cut_off
from tests.browser.screen import CHROMIUM, Screen, launch
from tests.browser.whole_games import controller, fill_in, log_in, primary
from tests.matrix import further
from tests.needs import program

pytestmark = pytest.mark.browser
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
    primary(hands, f"Judge {name}")
    hands.see(".sheet", "2 of 5 settlements, 0 of 4 cities. At most 15 roads.")
    assert (
        hands.which('[aria-label="Ore: one more"]', '[aria-label="Cities: one more"]')
        == '[aria-label="Cities: one more"]'
    )
    fill_in(hands, {"Cities": 4})
    primary(hands, f"Confirm: 10 points – {name} wins")
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


# No page says of one table what only a hall with two sides has, in every state of the classic game; nothing is cut off.

LANGUAGES = ("en", "de", "es", "pt", "pt_BR", "pl")
PATHS = ("/", "/phone", "/overlay", "/director", "/moderator", "/judge")
SAMPLE = [*zip(PATHS, LANGUAGES, strict=True), *(("/", language) for language in ("es", "pl", "pt_BR"))]
"""Every page, and every language on one page: which words a page takes does not depend on the language; the largest words
in the languages with the longest."""
WORDS = ("page.board", "page.side_label", "page.sun", "page.moon", "page.report_round")
"""Of the catalogue: what they name is not there at one table."""
TURNS = "page.turns_"
"""So begin the keys of texts that take the place of others in turns."""


def of_a_hall(language: str) -> re.Pattern[str]:
    """Words of a hall, and the texts that have others at one table."""
    texts = all_texts(language)
    replaced = [texts["page." + key.removeprefix(TURNS)] for key in texts if key.startswith(TURNS)]
    plain = [text for text in replaced if isinstance(text, str) and "{" not in text]
    said = [re.escape(str(text)) for text in (*(texts[key] for key in WORDS), *plain)]
    return re.compile(rf"(?<!\w)(?:{'|'.join(said)})(?!\w)", re.IGNORECASE)


def said_of_a_hall(
    screen: Screen, path: str, language: str, states: dict[str, dict[str, object]]
) -> Iterator[str]:
    page = screen.open(f"{path}?lang={language}")
    wrong = of_a_hall(language)
    for number, (name, picture) in enumerate(states.items()):
        screen.play(
            picture | {"seq": 100 + number, "saved_seq": 100 + number, "as_of_ms": 1_000_000 + 400 * number}
        )
        screen.pass_ms(400)
        yield from (f"{name}: cut off: {text}" for text in cut_off(page))
        for line in page.locator("body").inner_text().splitlines():
            if found := wrong.search(line):
                yield f"{name}: {found[0]}: {line}"


@pytest.mark.parametrize(
    ("path", "language"),
    [*SAMPLE, *further(*(case for case in product(PATHS, LANGUAGES) if case not in SAMPLE))],
)
def test_a_page_speaks_of_seats_and_turns(
    path: str, language: str, new_screen: Callable[..., Screen]
) -> None:
    screen = new_screen(viewport={"width": 1366, "height": 768}, reduced_motion="reduce")
    assert list(said_of_a_hall(screen, path, language, CLASSIC)) == []


def test_the_words_of_a_hall_are_found(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(viewport={"width": 1366, "height": 768}, reduced_motion="reduce")
    assert list(said_of_a_hall(screen, "/", "en", {"round": pictures.sun_round()}))


# Red says: hands off. A seat may be red, too: so no ground has a seat's colour.

GROUNDS = {
    "/": (".side.acting", ".scene.countin", ".scene.pause"),
    "/phone": (".clock", ".clock", ".clock"),
    "/moderator": (".clock", ".clock", ".clock"),
    **dict.fromkeys(("/director", "/judge", "/sim"), (".live", ".live", ".live")),
}
GROUND = "part => getComputedStyle(part).backgroundColor"
FRAME = "part => getComputedStyle(part).boxShadow"


@pytest.mark.parametrize(("path", "theme"), [("/", "dark"), ("/phone", "light"), ("/moderator", "dark"),
                                            ("/director", "light"), ("/judge", "dark"), ("/sim", "dark"),
                                            *further(("/", "light"), ("/phone", "dark"), ("/moderator", "light"), ("/director", "dark"))])  # fmt: skip
def test_no_ground_has_a_seats_colour(path: str, theme: str, screen: Screen) -> None:
    """Of a turn and of the 3-2-1 before it; the seats differ by their frames."""
    page = screen.open(f"{path}?theme={theme}")
    grounds, frames = set(), set()
    turn, count_in, pause = GROUNDS[path]
    for number, seat in enumerate(SEATS):
        at = {"seats": SEATS, "side": seat["id"], "as_of_ms": 1_000_000 + 800 * number}
        screen.play(table(**at, seq=100 + 3 * number))
        screen.pass_ms(400)
        grounds.add(page.locator(turn).first.evaluate(GROUND))
        frames.add(page.locator(turn).first.evaluate(FRAME))
        counting = {"paused": True, "running": False, "resume_in_ms": 2_600}
        screen.play(table(**at, **counting, seq=101 + 3 * number))
        screen.pass_ms(400)
        grounds.add(page.locator(count_in).first.evaluate(GROUND))
    assert len(grounds) == 1
    assert len(frames) == len(SEATS)
    screen.play(CLASSIC["pause"] | {"seq": 200, "as_of_ms": 1_000_000 + 800 * len(SEATS)})
    screen.pass_ms(400)
    assert page.locator(pause).first.evaluate(GROUND) not in grounds
