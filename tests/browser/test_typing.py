"""What somebody is typing or has chosen stays while pictures, answers and snapshots arrive."""

import pytest
from playwright.sync_api import Page

from tests.browser import pictures
from tests.browser.acts import ONE_CLAIM, REPLACE, ROUND, director
from tests.browser.screen import Screen
from tests.browser.seen import expect

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


def test_what_is_chosen_stays_chosen_when_claims_come_and_go(screen: Screen) -> None:
    first, second, third = (
        pictures.claim(n, board, "moon") for n, board in ((1, "A1"), (2, "A2"), (3, "A3"))
    )
    page = director(screen, pictures.paused("claim", claims=[first, second]))
    REPLACE(page)
    page.locator('[data-is="replace-name"]').select_option("rejected")
    claim = page.locator('[data-is="replace-claim"]')
    claim.select_option("c2")
    screen.play(pictures.paused("claim", seq=42, claims=[second, third]))
    expect(claim).to_have_value("c2")
    screen.play(pictures.paused("claim", seq=43, claims=[third]))
    expect(claim).to_have_value("c3")


def test_an_unfolded_part_stays_unfolded_and_a_new_claim_moves_nothing(screen: Screen) -> None:
    page = director(screen, ROUND)
    page.locator("summary", has_text="Enter a claim").click()
    board = page.locator('[data-is="claim-board"]')
    board.fill("B")
    screen.play(ROUND | {"seq": 42, "claims": [pictures.claim(1, "A7", "moon")]})
    expect(board).to_be_visible()
    expect(board).to_have_value("B")
    assert focused(page) == "claim-board"
