"""What somebody is typing or has chosen stays while pictures, answers and snapshots arrive."""

import pytest
from playwright.sync_api import Page

from tests import hall_of_tables as tables
from tests.browser import pictures, selftests
from tests.browser.acts import ONE_CLAIM, REPLACE, ROUND, director, instead, press
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.browser.test_selftest import button, selftest
from tests.browser.test_technician import technician

pytestmark = pytest.mark.browser


def focused(page: Page) -> str | None:
    return page.evaluate("document.activeElement.dataset.is ?? null")


def test_half_a_line_survives_pictures(screen: Screen) -> None:
    page = director(screen, ROUND)
    text = page.locator('[data-is="say-text"]')
    text.press_sequentially("Please take")
    page.keyboard.press("Home")
    screen.play(pictures.paused("director", seq=42, message={"text": "Hello", "until_ms": None}))
    screen.play(ONE_CLAIM | {"seq": 43})
    screen.pass_ms(3_000)
    assert focused(page) == "say-text"
    page.keyboard.type("All: ")
    expect(text).to_have_value("All: Please take")
    assert screen.stage.posts == [], "the space key writes a space in a text"


def test_what_is_chosen_stays_chosen_when_claims_come_and_go(screen: Screen) -> None:
    first, second, third = (
        pictures.claim(n, board, "moon") for n, board in ((1, "A1"), (2, "A2"), (3, "A3"))
    )
    page = director(screen, pictures.paused("claim", claims=[first, second]))
    REPLACE(page)
    instead("A2 rejected")(page)
    chosen = page.locator('#drawer-replace .toggle[aria-pressed="true"]')
    screen.play(pictures.paused("claim", seq=42, claims=[second, third]))
    expect(chosen).to_have_text("A2 rejected")
    expect(page.locator('[data-is="replace-go"]')).to_have_text("Replace with: A2 rejected")


def test_an_open_panel_stays_open_and_a_new_claim_moves_nothing(screen: Screen) -> None:
    page = director(screen, ROUND)
    press("enter-claim")(page)
    board = page.locator('[data-is="claim-board"]')
    board.fill("B")
    screen.play(ROUND | {"seq": 42, "claims": [pictures.claim(1, "A7", "moon")]})
    expect(board).to_be_visible()
    expect(board).to_have_value("B")
    assert focused(page) == "claim-board"


def test_what_is_typed_and_ticked_stays_while_a_self_test_says_more(screen: Screen) -> None:
    page = selftest(screen)
    page.get_by_label("Your name, for the report").press_sequentially("An")
    page.locator("summary", has_text="All 26 checks").click()
    page.get_by_label("LMP").check()
    screen.stage.selftest(selftests.refused("A game is under way: wait until it has ended."))
    expect(page.locator('[data-is="strip"]')).to_contain_text("A game is under way")
    expect(page.get_by_label("Your name, for the report")).to_have_value("An")
    expect(page.get_by_label("LMP")).to_be_checked()


def test_a_reason_that_is_being_typed_stays_until_another_question_is_asked(screen: Screen) -> None:
    page = selftest(screen, selftests.running(question=selftests.question()))
    button(page, "Skip …").click()
    reason = page.get_by_label("Reason")
    reason.press_sequentially("the lamp")
    progress = selftests.PROGRESS | {"title": "all lamps"}
    screen.stage.selftest(selftests.running(question=selftests.question(), progress=progress))
    expect(page.locator('[data-is="strip"]')).to_contain_text("all lamps")
    expect(reason).to_have_value("the lamp")
    expect(reason).to_be_focused()
    screen.stage.selftest(selftests.running(question=selftests.question("LMP-2")))
    expect(reason).to_have_count(0)
    button(page, "Skip …").click()
    expect(reason).to_have_value("")


def test_half_a_roster_survives_snapshots(screen: Screen) -> None:
    page = technician(screen)
    button(page, "Rows and boards").click()
    name = page.locator('.roster-row input[name="name"]').first
    name.fill("WE")
    roster, snapshot = tables.troubled_hall()
    snapshot["nodes"][0] |= {"state": "lost", "age_ms": 300_000}
    screen.stage.tables(roster, snapshot)
    expect(page.locator('.map-board[data-board="A1"]')).to_have_attribute("data-node", "lost")
    expect(name).to_have_value("WE")
    expect(name).to_be_focused()


def test_two_touches_at_once_count_as_one(screen: Screen) -> None:
    page = technician(screen)
    identify = button(page, "Identify all")
    identify.evaluate("button => { button.click(); button.click(); }")
    expect(identify).not_to_have_attribute("aria-busy", "true")
    identify.click()
    assert len(screen.stage.wait_for_posts(2)) == 2
    expect(identify).not_to_have_attribute("aria-busy", "true")
    assert len(screen.stage.posts) == 2


def test_what_the_tables_cannot_show_is_said_while_it_is_typed(screen: Screen) -> None:
    screen.stage.director = True
    page = screen.open("/director")
    screen.play(pictures.sun_round())
    hint = page.locator('[data-is="say-lost"]')
    text = page.locator('[data-is="say-text"]')
    expect(hint).to_be_hidden()
    text.fill("Zażółć gęślą jaźń – ¿Señor Müller? “Café dvořák” 1 €, ½ m²")
    expect(hint).to_be_hidden()
    text.fill("Hooray 🎉 👩‍🚀 🎉 да")
    expect(hint).to_have_text("The tables’ displays cannot show: 🎉 👩‍🚀 д а")
    text.fill("Hooray")
    expect(hint).to_be_hidden()
