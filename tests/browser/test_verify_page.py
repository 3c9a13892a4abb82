"""verify.html in Chromium: from a file it says what Python says, and over HTTP it loads a game of its controller."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from pi_controller.language.languages import LANGUAGES, NAMES
from pi_controller.protocol.errors import NoCore
from pi_controller.protocol.picture import Picture
from pi_controller.web.api.games import VerifyPage
from pi_controller.web.http.addresses import PageAddress
from pi_controller.web.http.routes import POLICY
from pi_controller.web.http.static_files import static_file
from tests.browser.looks import weak_texts
from tests.browser.verify_games import PAGE, Verifier, compare, forged_games, true_games
from tests.journal.exports import CONNECT_2, Plan, built, golden_plan, records_of, seal
from tests.journal.test_verify import RULES_OF_TODAY, UNKNOWN_RULES, evening_of, with_rules
from tests.matrix import further

pytestmark = pytest.mark.browser

BOOK = golden_plan().book
GAME = Plan(type(BOOK)(BOOK.seed, BOOK.game_id, CONNECT_2), words=("lantern",), steps=("next",) * 15)
SEAL = GAME.book.commitment
SIZES = ((1366, 768), (1920, 1080), (390, 844))


@pytest.fixture(scope="module")
def verifier(chromium: Browser) -> Verifier:
    return Verifier(chromium)


def keys(verifier: Verifier, part: int) -> list[str]:
    """Of what the page shows (0) and does not show (1)."""
    items = verifier.page.locator("article > ul").nth(part).locator("li")
    return [str(item.get_attribute("data-key")).removeprefix("page.verify_") for item in items.all()]


def choose(verifier: Verifier, lines: list[bytes], tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(b"".join(lines))
    verifier.page.set_input_files("[data-is=files]", path)


def shown(verifier: Verifier) -> None:
    """The one result is there."""
    expect(verifier.page.locator("article[data-verdict=proved]")).to_be_visible()


def test_browser_and_python_say_the_same(verifier: Verifier) -> None:
    rng = random.Random(20261123)
    verdicts = true_games(verifier, rng, 30) + forged_games(verifier, rng, 38)
    assert verdicts["true: proved"] == 30
    assert verdicts["forged, alone: refused"] > 15
    assert verdicts["forged, with the truth: refused"] == verdicts["forged, alone: proved"] >= 10


def test_the_page_says_what_it_has_shown_and_what_not(verifier: Verifier, tmp_path: Path) -> None:
    verifier.see({})
    choose(verifier, built(GAME), tmp_path)
    shown(verifier)
    assert keys(verifier, 0) == ["shown_chain", "shown_rolls"]
    assert keys(verifier, 1) == ["open_seal", "open_word", "open_accomplice", "open_head", "open_spy"]
    head = records_of(built(GAME))[-2]["hash"]
    spaced = " ".join((SEAL[:4].upper(), SEAL[4:24]))
    verifier.see({"commitment": spaced, "word": " LANTERN", "head": head[:12]})
    verifier.page.press("[data-is=head]", "Enter")
    expect(verifier.page.locator("[data-key$=open_weak_head]")).to_be_visible()
    assert keys(verifier, 0) == ["shown_chain", "shown_rolls", "shown_seal", "shown_word", "shown_head"]
    assert keys(verifier, 1) == ["open_accomplice", "open_after_head", "open_weak_head", "open_spy"]


def test_a_tail_after_the_head_is_a_pass_only_up_to_there(verifier: Verifier, tmp_path: Path) -> None:
    head = records_of(built(GAME))[8]["hash"]
    verifier.see({"head": head})
    choose(verifier, built(GAME), tmp_path)
    expect(verifier.page.locator("article[data-verdict=partly]")).to_be_visible()
    assert keys(verifier, 0) == ["shown_chain", "shown_rolls", "shown_head"]
    assert "open_after_head" in keys(verifier, 1)
    verdict = verifier.page.locator("details li").last
    expect(verdict).to_contain_text("PASSED, ONLY UP TO LINE 9 OF 19: ")


def test_a_rehearsal_and_the_number_of_a_seal_are_told(verifier: Verifier, tmp_path: Path) -> None:
    verifier.see({})
    choose(verifier, built(replace(GAME, more={"rehearsal": True, **seal(3)})), tmp_path)
    expect(verifier.page.locator("article[data-late] h2")).to_contain_text("Passed, as a rehearsal")
    told = keys(verifier, 1)
    assert "open_rehearsal" in told
    assert "open_seal_number" in told
    expect(verifier.page.locator("[data-key$=open_seal_number]")).to_contain_text("seal 3")


def test_rules_that_the_page_does_not_know_are_named(verifier: Verifier) -> None:
    known = [with_rules(rules) for rules in RULES_OF_TODAY.values()]
    reports = compare(verifier, [with_rules({**RULES_OF_TODAY["connect"], **UNKNOWN_RULES}), *known], {})
    told = ["verify.unknown_rules" in [one.key for one in report.sentences] for report in reports]
    assert told == [True, *(False for _ in known)]


def test_games_of_an_evening_are_compared_with_each_other(verifier: Verifier) -> None:
    games = evening_of(5, w1="hat", w4="hat")
    compare(verifier, games[:3], {})
    assert [key for key, _ in verifier.evening] == ["verify.evening_has_seals"]
    compare(verifier, [games[0], games[3]], {})
    told = [key for key, _ in verifier.evening]
    assert told == ["verify.evening_has_seals", "verify.in_the_evening", "verify.in_the_evening"]
    assert "MISSING: seals 2-3." in verifier.evening[1][1]
    assert "WRONG: seals 1 and 4 have the same word, 'hat'." in verifier.evening[2][1]


def test_digits_that_are_none_are_not_compared(verifier: Verifier, tmp_path: Path) -> None:
    verifier.see({"commitment": "123"})
    choose(verifier, built(GAME), tmp_path)
    expect(verifier.page.locator("[data-is=seal][aria-invalid=true]")).to_be_visible()
    verifier.see({"commitment": SEAL[:16]})
    verifier.page.press("[data-is=seal]", "Enter")
    expect(verifier.page.locator("[data-key$=shown_seal]")).to_be_visible()
    expect(verifier.page.locator("[aria-invalid=true]")).to_have_count(0)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A file for each verdict."""
    place = tmp_path_factory.mktemp("outcomes")
    later = Plan(GAME.book, steps=("next", "next", "end", "next"))
    games = [built(GAME), built(later), built(Plan(GAME.book, ended=False)), [*built(GAME)[:-1], b"{}\n"], []]
    paths = [place / f"{number}.jsonl" for number in range(len(games))]
    for path, lines in zip(paths, games, strict=True):
        path.write_bytes(b"".join(lines))
    return paths


@pytest.mark.parametrize(
    "language", ["de", "pt-BR", *further(*(one for one in LANGUAGES if one not in ("de", "pt-BR")))]
)
def test_every_language_works_without_a_network(
    chromium: Browser, language: str, outcomes: list[Path]
) -> None:
    verifier = Verifier(chromium, f"?lang={language}")
    page = verifier.page
    assert page.evaluate("document.documentElement.lang") == language
    assert page.locator("[data-is=language] option:checked").inner_text() == NAMES[language]
    page.set_input_files("[data-is=files]", outcomes)
    expect(page.locator("article")).to_have_count(len(outcomes))
    verdicts = [article.get_attribute("data-verdict") for article in page.locator("article").all()]
    assert verdicts == ["proved", "proved", "unproved", "refused", "refused"]
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        assert weak_texts(page) == []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_without_a_choice_the_page_speaks_the_language_of_the_browser(chromium: Browser) -> None:
    context = chromium.new_context(locale="pt-BR")
    page = context.new_page()
    page.goto(PAGE.as_uri())
    assert page.evaluate("document.documentElement.lang") == "pt-BR"
    context.close()


async def never() -> Picture:
    raise NoCore


@pytest.fixture
def served(chromium: Browser) -> Iterator[Verifier]:
    """The page as the controller serves it, with its policy, and a controller that has one game."""
    verifier = Verifier(chromium)
    page, lists = verifier.page, VerifyPage(never, PageAddress("0.0.0.0", 80), static_file(b"", ".py"))

    def serve(route: Route) -> None:
        path = route.request.url.removeprefix("http://hall.test").split("?")[0].split("#")[0]
        if path == "/verify.html":
            route.fulfill(
                body=PAGE.read_bytes(),
                content_type="text/html; charset=utf-8",
                headers={POLICY: lists.policy},
            )
        elif path == "/api/games/g1/export":
            route.fulfill(body=b"".join(built(GAME)), content_type="application/x-ndjson")
        elif path == "/api/games":
            route.fulfill(json={"games": [{"game_id": "g1", "armed_at": "2026-11-20T18:30:05Z"}]})
        else:
            route.fulfill(status=404)

    page.route("http://hall.test/**", serve)
    yield verifier
    page.context.close()


def test_a_link_loads_the_game_and_compares_the_seal(served: Verifier) -> None:
    page = served.page
    page.goto(f"http://hall.test/verify.html?game=g1#{SEAL}")
    expect(page.locator("article[data-verdict=proved]")).to_be_visible()
    assert keys(served, 0) == ["shown_chain", "shown_rolls", "shown_seal"]
    assert keys(served, 1)[0] == "open_link_seal"
    page.goto("about:blank")
    page.goto(f"http://hall.test/verify.html?game=g1#{'0' * 24}")
    expect(page.locator("article[data-verdict=refused] > ul li")).to_contain_text("The hall saw commitment")
    page.goto("about:blank")
    page.goto("http://hall.test/verify.html?game=g2")
    expect(page.locator("[data-is=status]")).to_contain_text("The controller did not give this game")


def test_the_games_of_the_controller_are_offered(served: Verifier) -> None:
    page = served.page
    page.goto("http://hall.test/verify.html")
    page.locator("[data-is=games] button").click()
    expect(page.locator("article[data-verdict=proved]")).to_be_visible()
    expect(page.locator("[data-is=save] [download]")).to_be_visible()
