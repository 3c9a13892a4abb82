"""No page says of one table what only a hall with two sides has: in all languages, in every state of the classic game."""

import re
from collections.abc import Callable, Iterator
from itertools import product

import pytest

from pi_controller.language.words import all_texts
from tests.browser import pictures
from tests.browser.classic_pictures import CLASSIC
from tests.browser.screen import Screen
from tests.matrix import further

pytestmark = pytest.mark.browser

LANGUAGES = ("en", "de", "es", "pt", "pt_BR", "pl")
PATHS = ("/", "/phone", "/overlay", "/director", "/moderator", "/judge")
SAMPLE = [*product(PATHS, ["en"]), *zip(PATHS, LANGUAGES[1:], strict=False)]
"""Every page, and every language on one page: which words a page takes does not depend on the language."""
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


@pytest.mark.parametrize("path", ["/", "/phone", "/overlay", "/director", "/moderator"])
def test_the_words_of_a_hall_are_found(path: str, new_screen: Callable[..., Screen]) -> None:
    states = {"round": pictures.sun_round(), "paused": pictures.paused("director")}
    screen = new_screen(viewport={"width": 1366, "height": 768}, reduced_motion="reduce")
    assert list(said_of_a_hall(screen, path, "en", states))
