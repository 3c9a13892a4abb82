"""The director's page: thumb and keyboard, sheets, answers, two-step actions, and what is said when it cannot act."""

import re

import pytest
from playwright.sync_api import Locator, Page

from tests import hall_of_tables
from tests.browser import pictures
from tests.browser.acts import (
    ENDED,
    JUDGE,
    ONE_CLAIM,
    PAUSED,
    READY,
    ROUND,
    button,
    director,
    fill,
    press,
)
from tests.browser.classic_pictures import CLASSIC
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.browser.stage import CUT
from tests.browser.stage_files import SCREENS
from tests.matrix import further

pytestmark = pytest.mark.browser


def test_a_full_sheet(screen: Screen) -> None:
    page = director(screen, ONE_CLAIM)
    JUDGE(page)
    for what, times in (
        ("Settlements", 1),
        ("Cities", 4),
        ("Victory-point cards", 1),
        ("Grain", 3),
        ("Wool", 1),
    ):
        for _ in range(times):
            button(f"{what}: one more")(page)
    button("Settlements: one fewer")(page)
    for flag in ("Foreign, left", "Largest army"):
        button(flag)(page)
    expect(page.locator(".sheet-points")).to_have_text("17 points of 18 needed")
    expect(page.get_by_role("button", name="Cities: one more")).to_be_disabled()
    assert "2 of 5 settlements, 5 of 5 cities" in page.locator(".sheet").inner_text()
    expect(page.locator('[data-is="primary"]')).to_have_text("Reject: 17 of 18")
    screen.pass_ms(600)
    press("primary")(page)
    [post] = screen.stage.wait_for_posts(1)
    assert post["body"] == {
        "claim": "c1",
        "sheet": {
            "settlements": 2, "cities": 5, "foreign_left": True, "foreign_right": False, "victory_cards": 1,
            "largest_army": True, "longest_route": False,
            "resources": {"grain": 3, "ore": 0, "brick": 0, "lumber": 0, "wool": 1},
        },
    }  # fmt: skip


def test_several_claims_need_sheets_and_share_no_army(screen: Screen) -> None:
    claims = [pictures.claim(1, "A7", "moon"), pictures.claim(2, "A7", "sun")]
    page = director(screen, pictures.paused("claim", claims=claims))
    assert "each needs a sheet" in page.locator('[data-is="claims-hint"]').inner_text()
    for number in range(2):
        page.locator(".claims > .claim").nth(number).locator('[data-is="judge"]').click()
        expect(page.locator('[data-is="checked"]')).to_have_count(0)
        page.get_by_role("button", name="Largest army").click()
        if number == 0:
            press("close-panel")(page)
    expect(page.locator(".sheet .mistake:not(:empty)")).to_have_text(
        "Largest army: only one of the two players at a board can have it."
    )


def test_space_only_ever_pauses(screen: Screen) -> None:
    page = director(screen, ROUND)
    page.locator('[data-is="skip"]').focus()
    page.keyboard.press("Space")
    assert screen.stage.wait_for_posts(1)[0]["name"] == "pause"
    screen.play(PAUSED | {"seq": 42})
    screen.pass_ms(1_000)
    page.locator('[data-is="skip"]').focus()
    page.keyboard.press("Space")
    page.locator('[data-is="primary"]').focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    assert [post["name"] for post in screen.stage.wait_for_posts(2)] == ["pause", "resume"]


def test_done_but_not_saved_is_no_refusal_and_can_be_sent_again_until_it_is_saved(screen: Screen) -> None:
    screen.allowed = ("507",)
    sentence = "It is done and shown, but not saved: check the memory card."
    unsaved = {"accepted": False, "done": True, "seq": 41, "reasons": [sentence]}
    screen.stage.answers["skip"] = (507, unsaved)
    page = director(screen, ROUND)
    press("skip")(page)
    expect(page.locator('[data-is="answer-text"]')).to_have_text(sentence)
    expect(page.locator('[data-is="answer-text"]')).to_be_visible()
    press("status")(page)
    expect(page.locator(".entry.unsaved .entry-status")).to_have_text("done, but not saved")
    del screen.stage.answers["skip"]
    page.locator(".entry.unsaved button").dispatch_event("click")
    expect(page.locator(".entry.accepted")).to_have_count(1)
    first, again = screen.stage.wait_for_posts(2)
    assert first["key"] == again["key"]


def test_keys_without_random_uuid(screen: Screen) -> None:
    screen.page.add_init_script("delete Crypto.prototype.randomUUID")
    page = director(screen, ROUND)
    press("skip")(page)
    press("add5")(page)
    keys = [post["key"] for post in screen.stage.wait_for_posts(2)]
    assert all(re.fullmatch("[0-9a-f]{32}", key) for key in keys)
    assert keys[0] != keys[1]


def test_without_connection_only_pause_can_be_tried(screen: Screen) -> None:
    page = director(screen, ROUND)
    screen.lose_news()
    assert "No connection to the controller" in page.locator('[data-is="live"]').inner_text()
    assert not re.search(r"\d", page.locator('[data-is="live"]').inner_text())
    expect(page.locator('[data-is="skip"]')).to_be_disabled()
    assert "only Pause can still be tried" in page.locator('[data-is="lost-why"]').inner_text()
    expect(page.locator('[data-is="skip"]')).to_have_attribute("title", re.compile("No connection"))
    press("primary")(page)
    assert screen.stage.wait_for_posts(1)[0]["name"] == "pause"


def test_ending_takes_two_steps_and_the_question_closes_again(screen: Screen) -> None:
    page = director(screen, ROUND)
    press("end")(page)
    expect(page.locator('[data-is="end-sure"]')).to_be_visible()
    press("end-cancel")(page)
    expect(page.locator('[data-is="end-sure"]')).to_be_hidden()
    press("end")(page)
    for second in range(1, 16):
        screen.pass_ms(1_000)
        screen.beat(1_000_000 + 1_000 * second)
    expect(page.locator('[data-is="end-sure"]')).to_be_hidden()
    assert screen.stage.posts == []


def test_an_end_can_be_undone_until_the_game_is_closed_and_the_page_says_so(screen: Screen) -> None:
    page = director(screen, pictures.ended(closed=False, seed=None))
    said = page.locator('[data-is="closed-or-not"]')
    expect(said).to_contain_text("seed of its dice is still secret")
    press("primary")(page)
    expect(page.locator('[data-is="close-sure"]')).to_contain_text("nothing in this game can be undone")
    press("close-cancel")(page)
    expect(page.locator('[data-is="close-sure"]')).to_be_hidden()
    waiting = pictures.ended(seq=12, closed=False, seed=None)
    screen.play(waiting | {"closes_at_ms": waiting["as_of_ms"] + 9 * 60_000})
    expect(said).to_contain_text("for 9 more minutes")
    screen.play(pictures.ended(seq=13))
    expect(said).to_contain_text("its seed is published")
    expect(page.locator('[data-is="primary"]')).to_have_attribute("data-mode", "arm")
    assert screen.stage.posts == []


def test_games_can_be_exported(screen: Screen) -> None:
    screen.stage.games = [
        {
            "game_id": "g/1",
            "armed_at": "20 Nov",
            "rule_set": "connect",
            "ended": True,
            "rounds": 27,
            "winners": [],
        }
    ]
    page = director(screen, ENDED)
    press("games-load")(page)
    link = page.locator(".game a[download]")
    expect(link).to_have_attribute("href", "/api/games/g%2F1/export")
    expect(page.locator(".game")).to_contain_text("ended")


def test_the_one_checkbox_is_changed_by_the_keyboard_and_space_pauses_after_a_click(screen: Screen) -> None:
    page = director(screen, ROUND)
    box = page.locator('[data-is="say-tables"]')
    box.focus()
    page.keyboard.press("Space")
    expect(box).not_to_be_checked()
    assert screen.stage.posts == []
    box.click()
    expect(box).to_be_checked()
    page.keyboard.press("Space")
    assert screen.stage.wait_for_posts(1)[0]["name"] == "pause"


ANSWERS = {
    401: "Not logged in: enter the PIN, or open the link that the controller printed.",
    403: "The controller answered 403.",
    503: "The core is not running.",
    500: "The controller answered 500.",
}


def test_a_refusal_stands_in_the_status_line_until_the_scene_changes(screen: Screen) -> None:
    screen.allowed = ("409",)
    screen.stage.answers["skip"] = (409, {"accepted": False, "seq": 41, "reasons": ["Nothing runs."]})
    page = director(screen, ROUND)
    press("skip")(page)
    expect(page.locator('[data-is="answer-text"]')).to_have_text("Nothing runs.")
    press("status")(page)
    expect(page.locator(".entry.refused .entry-reason")).to_have_text("Nothing runs.")
    page.keyboard.press("Escape")
    screen.play(PAUSED | {"seq": 42})
    expect(page.locator('[data-is="answer-text"]')).to_have_count(0)


def test_what_stands_against_going_on_is_listed_and_can_be_gone_over(screen: Screen) -> None:
    against = {"reasons": ["The disk is full: make room."], "override": True}
    page = director(screen, PAUSED | {"allowed": PAUSED["allowed"] | {"resume": against}})
    expect(page.locator('[data-is="primary"]')).to_have_attribute("data-mode", "look")
    expect(page.locator('[data-is="gate"] li')).to_have_text(against["reasons"])
    press("primary")(page)
    expect(page.locator('[data-is="resume-override"]')).to_be_focused()
    press("resume-override")(page)
    assert screen.stage.wait_for_posts(1)[0]["body"] == {"override": True}


def test_answers_without_reasons_are_sentences_too(screen: Screen) -> None:
    screen.allowed = (*map(str, ANSWERS), "ERR_FAILED")
    page = director(screen, ROUND)
    said = page.locator('[data-is="answer-text"]')
    for status, sentence in ANSWERS.items():
        screen.stage.answers["skip"] = (status, {})
        press("skip")(page)
        expect(said).to_contain_text(sentence)
    screen.stage.answers["skip"] = (CUT, {})
    press("skip")(page)
    expect(said).to_contain_text("may not have arrived")


def test_a_start_that_the_computer_is_not_fit_for_can_be_insisted_on(screen: Screen) -> None:
    """Each reason at once, before anything was tried; why it is started all the same must be typed."""

    def gated(override: bool, *sentences: str) -> pictures.Json:
        return READY | {"allowed": READY["allowed"] | {"start": {"reasons": sentences, "override": override}}}

    page = director(screen, gated(False, "A test of the hardware is running."))
    expect(page.locator('[data-is="gate"] li')).to_have_text(["A test of the hardware is running."])
    expect(page.locator('[data-is="override"]')).to_have_count(0)
    sentences = ["The controller is too hot (84 °C): let it cool down.", "The disk is full: make room."]
    screen.play(gated(True, *sentences) | {"seq": 42})
    expect(page.locator('[data-is="gate"] li')).to_have_text(sentences)
    press("override")(page)
    expect(page.locator('[data-is="start-reason"]')).to_be_focused()
    fill(start_reason="It cools down in the first round")(page)
    press("override")(page)
    [post] = screen.stage.wait_for_posts(1)
    assert post["body"] == {"override": True, "reason": "It cools down in the first round"}


def test_the_page_follows_the_picture(screen: Screen) -> None:
    page = director(screen, READY)
    expect(page.locator('[data-is="skip"]')).to_have_attribute(
        "title", "The game has not begun: start it first."
    )
    screen.play(pictures.picture(seq=42, saved_seq=40, remaining_ms=20_440, gained_ms={"moon": 15_000}))
    screen.pass_ms(260)
    expect(page.locator('[data-is="skip"]')).to_have_attribute("title", "")
    expect(page.locator('[data-is="timer-start"]')).to_be_disabled()
    expect(page.locator('[data-is="uneven"]')).to_have_text("Moon has had 15 s more than Sun.")
    expect(page.locator('[data-is="saved"]')).to_have_text("Saving …")
    expect(page.locator(".live-digits")).to_have_text("21")
    screen.pass_ms(240)
    expect(page.locator(".live-digits")).to_have_text("20")
    screen.play(ROUND | {"seq": 43, "saved_seq": 43, "gained_ms": {"moon": 15_000, "sun": 15_000}})
    expect(page.locator('[data-is="uneven"]')).to_have_text("")
    expect(page.locator('[data-is="saved"]')).to_have_text("Saved")


@pytest.mark.parametrize(
    "path", ["/", "/phone", "/technician", *further("/director", "/sim", "/technician/selftest")]
)
def test_every_page_of_a_rehearsal_says_so(screen: Screen, path: str) -> None:
    page = screen.open(path)
    marked = page.locator("html")
    screen.stage.play(pictures.picture(rehearsal=True, seq=50))
    expect(marked).to_have_attribute("data-rehearsal", "Rehearsal")
    screen.stage.play(pictures.picture(seq=51))
    expect(marked).not_to_have_attribute("data-rehearsal", "Rehearsal")


def fact(page: Page, name: str) -> Locator:
    return page.locator('[data-is="ready-card"] .link-fact', has_text=name)


def test_before_the_start_it_says_what_is_set_and_what_wants_a_look(screen: Screen) -> None:
    screen.stage.screens = SCREENS
    screen.stage.tables(*hall_of_tables.troubled_hall())
    muted = {"captions": [], "muted": {"until_ms": None}, "ducked": False}
    page = director(screen, READY | {"sound": muted, "languages": ["de", "pt_BR"]})
    for name, text, wants_a_look in (
        ("Boards", "A7", True),
        ("Round times", "From round 11: 45", False),
        ("When a table claims", "Let the clock run", False),
        ("Languages and sound", "Deutsch · Português (Brasil) · Muted", True),
        ("Screens", "1 / 2 · Foyer", True),
        ("Seal 1", "c1f3 90ab", False),
    ):
        expect(fact(page, name)).to_contain_text(text)
        expect(fact(page, name)).to_have_class(re.compile("look" if wants_a_look else "^(?!.*look)"))
    screen.play(CLASSIC["ready-six"] | {"seq": 90})
    expect(fact(page, "Seats")).to_contain_text("Anna · Bartholomäus K. · Chiara")
    screen.play(ROUND | {"seq": 91})
    expect(page.locator('[data-is="ready-card"]')).to_have_count(0)
