"""The pages in every language: everything can be read, each person has their own, the hall's take turns."""

import pytest
from playwright.sync_api import Browser, Page, Route

from pi_controller.game.commands import PREPARED_LINES
from pi_controller.language.languages import LANGUAGES, NAMES, PSEUDO
from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from tests.browser import pictures
from tests.browser.every_page import found
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.browser.stage import Stage
from tests.matrix import further

pytestmark = pytest.mark.browser


@pytest.mark.soak
@pytest.mark.parametrize("language", [PSEUDO, *LANGUAGES])
def test_everything_can_be_read(chromium: Browser, stage: Stage, language: str) -> None:
    assert list(found(chromium, stage, language)) == []


def test_a_sample_can_be_read_in_the_longest_language(chromium: Browser, stage: Stage) -> None:
    """The hall screen in all its scenes, and every fifth state of the other pages."""
    assert list(found(chromium, stage, PSEUDO, every=5)) == []


def menu(page: Page) -> list[str]:
    return page.locator(".language option").all_inner_texts()


@pytest.mark.parametrize(
    "path", ["/login", *further("/director", "/technician", "/technician/selftest", "/sim")]
)
def test_a_person_chooses_a_language_and_it_is_kept(screen: Screen, path: str) -> None:
    screen.stage.documents["selftest/reports"] = {"reports": []}
    page = screen.page
    page.goto(f"{screen.stage.address}{path}?lang=de")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator(".language")).to_have_value("de")
    assert menu(page) == [NAMES[language] for language in LANGUAGES]
    page.locator(".language").select_option("pl")
    expect(page.locator("html")).to_have_attribute("lang", "pl")
    assert page.url == screen.stage.address + path
    page.goto(f"{screen.stage.address}/director")
    expect(page.locator("html")).to_have_attribute("lang", "pl")
    kept = page.context.cookies()[0]
    assert (kept.get("name"), kept.get("value"), kept.get("sameSite")) == ("language", "pl", "Lax")


def test_sentences_of_core_come_in_the_language_of_the_page(screen: Screen) -> None:
    page = screen.open("/director?lang=pl")
    damage = Sentence("bus.all_hear_damage", segment="A")
    items = [{"key": damage.key, "params": dict(damage.params), "level": "warning", "text": "in English"}]
    health = {"level": "warning", "messages": ["in English"], "items": items, "lost": False}
    screen.play(pictures.picture(health=health))
    screen.pass_ms(40)
    expect(page.locator('[data-is="health-line"]')).to_have_text(words(damage, "pl"))
    expect(page.locator(".tables-card .card-top a")).to_have_attribute("href", "/technician?lang=pl")


def test_a_refusal_is_told_in_the_language_of_the_page(screen: Screen) -> None:
    waited = Sentence("answer.disk_kept_it_waiting", seconds=5)
    keys = [{"key": waited.key, "params": dict(waited.params)}]
    screen.stage.answers["pause"] = (409, {"accepted": False, "reasons": ["in English"], "reason_keys": keys})
    screen.stage.answers["pin"] = (403, {"error": "in English", "reason_keys": keys})
    screen.allowed = ("403", "409")
    page = screen.open("/director?lang=de")
    screen.play(pictures.picture())
    page.locator('[data-is="primary"]').click()
    expect(page.locator('[data-is="answer-text"]')).to_have_text(words(waited, "de"))
    page.goto(f"{screen.stage.address}/login?lang=pl")
    page.locator('[data-is="pin"]').fill("123456")
    page.locator('[data-is="go"]').click()
    expect(page.locator('[data-is="mistake"]')).to_have_text(words(waited, "pl"))


def rounds(screen: Screen, *standing: str) -> list[tuple[str | None, str]]:
    """What the hall screen says in rounds of these languages, from the first on: its language, and the heading."""
    seen = []
    for number, language in enumerate(standing, start=1):
        screen.play(
            pictures.picture(round=number, seq=100 + number, languages=["pl", "en"], language=language)
        )
        seen.append((screen.page.locator("html").get_attribute("lang"), screen.text("round")))
    return seen


def test_the_hall_screen_speaks_the_language_of_each_picture(screen: Screen) -> None:
    screen.stage.speak("pl", "en")
    page = screen.open()
    page.wait_for_load_state("networkidle")
    polish = words(Sentence("page.round", round=1), "pl")
    assert rounds(screen, "pl", "en", "en") == [("pl", polish), ("en", "Round 2"), ("en", "Round 3")]
    expect(page.locator(".languages .spoken")).to_have_text("EN")
    breaking = {"text": words(PREPARED_LINES["break"], "pl"), "until_ms": None, "line": "break"}
    screen.play(pictures.picture(round=3, seq=150, languages=["pl", "en"], message=breaking))
    expect(page.locator('[data-is="says-text"]')).to_have_text("Short break")
    expect(page.locator(".languages span")).to_have_text(["PL", "EN"])
    expect(page.locator(".proof [data-is=proof-title]")).to_have_text("Seal 1 of this evening")
    screen.play(pictures.paused("button", round=3, seq=200, languages=["pl", "en"], language="en"))
    expect(page.locator(".pause h1")).to_have_text("Pause")
    screen.play(pictures.picture(round=4, seq=201, languages=["pl", "en"], language="pl"))
    expect(page.locator(".proof [data-is=proof-title]")).to_have_text(
        words(Sentence("page.seal_number", number=1), "pl")
    )
    assert screen.text("round") == words(Sentence("page.round", round=4), "pl")


def test_a_second_screen_stays_in_the_language_that_was_asked_for(screen: Screen) -> None:
    screen.stage.speak("pl", "en")
    page = screen.open("/?lang=en")
    assert [language for language, _ in rounds(screen, "pl", "en", "pl")] == ["en"] * 3
    assert page.locator(".languages").inner_text() == ""


def test_texts_that_do_not_come_are_asked_for_again(screen: Screen) -> None:
    asked: list[str] = []

    def refuse_first(route: Route) -> None:
        asked.append(route.request.url)
        route.abort() if len(asked) <= 2 else route.continue_()

    screen.allowed = ("ERR_FAILED", "preload")
    screen.page.route("**/static/words/login/en.json", refuse_first)
    screen.page.goto(screen.stage.address + "/login")
    expect(screen.page.locator("h1")).to_have_text("Log in")
    assert len(asked) >= 3
