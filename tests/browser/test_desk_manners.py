"""What the director's page asks before, keeps over a reload, empties after use and offers first."""

import pytest

from tests.browser import pictures
from tests.browser.acts import ENDED, ONE_CLAIM, READY, ROUND, button, director, fill, press, unfold
from tests.browser.screen import Screen
from tests.browser.seen import expect

pytestmark = pytest.mark.browser


def test_the_button_of_a_sheet_says_what_it_does(screen: Screen) -> None:
    page = director(screen, ONE_CLAIM)
    button("Fill in the sheet")(page)
    send = page.locator(".sheet-foot button")
    expect(send).to_have_text("Reject: 4 of 18")
    for _ in range(4):
        button("Cities: one more")(page)
    for flag in ("Foreign, left", "Foreign, right", "Largest army"):
        button(flag)(page)
    expect(send).to_have_text("Confirm: 18 points – A7 Moon wins")
    button("Victory-point cards: one more")(page)
    button("Confirm: 19 points – A7 Moon wins")(page)
    [post] = screen.stage.wait_for_posts(1)
    assert post["body"]["sheet"]["victory_cards"] == 1


def test_a_new_game_after_an_end_is_asked_for_first(screen: Screen) -> None:
    page = director(screen, ENDED)
    sure = page.locator('[data-is="arm-sure"]')
    expect(sure).to_be_hidden()
    press("arm")(page)
    expect(sure).to_contain_text("The result of the last one goes from all screens")
    expect(page.locator('[data-is="arm-cancel"]')).to_be_focused()
    press("arm-cancel")(page)
    expect(sure).to_be_hidden()
    assert screen.stage.posts == []
    screen.play(READY | {"seq": 42})
    press("arm")(page)  # nothing is lost by it
    assert [post["name"] for post in screen.stage.wait_for_posts(1)] == ["arm"]


def test_a_half_filled_sheet_survives_a_reload_and_belongs_to_its_game(screen: Screen) -> None:
    page = director(screen, ONE_CLAIM)
    button("Fill in the sheet")(page)
    button("Cities: one more")(page)
    page.reload()
    screen.stage.wait_for_feeds(2)
    expect(page.locator(".sheet-points")).to_have_text("6 points of 18 needed")
    screen.stage.play(ONE_CLAIM | {"seq": 2, "game_id": "another"})
    page.reload()
    screen.stage.wait_for_feeds(3)
    button("Fill in the sheet")(page)
    expect(page.locator(".sheet-points")).to_have_text("4 points of 18 needed")


def test_what_was_taken_leaves_its_field_and_what_was_refused_stays(screen: Screen) -> None:
    screen.allowed = ("409",)
    page = director(screen, READY)
    fill(word_text="lighthouse")(page)
    screen.stage.answers["contribute"] = (409, {"accepted": False, "seq": 1, "reasons": ["No."]})
    press("word-go")(page)
    expect(page.locator('[data-is="answer-text"]')).to_have_text("No.")
    expect(page.locator('[data-is="word-text"]')).to_have_value("lighthouse")
    del screen.stage.answers["contribute"]
    press("word-go")(page)
    expect(page.locator('[data-is="word-text"]')).to_have_value("")
    screen.play(ROUND | {"seq": 42})
    unfold("Enter a claim")(page)
    fill(claim_board="B3")(page)
    press("claim-go")(page)
    expect(page.locator('[data-is="claim-board"]')).to_have_value("")


def test_a_claim_is_entered_for_the_side_that_plays(screen: Screen) -> None:
    """Until the board is begun: from then on no turn of the clock changes what is being entered."""
    page = director(screen, ROUND)
    unfold("Enter a claim")(page)
    chosen = page.locator('.choice [aria-pressed="true"]')
    expect(chosen).to_have_text("Moon")
    screen.play(pictures.sun_round(seq=42))
    expect(chosen).to_have_text("Sun")
    page.locator('[data-is="claim-board"]').press_sequentially("B")
    screen.play(ROUND | {"seq": 43})
    expect(chosen).to_have_text("Sun")
    press("claim-go")(page)
    assert screen.stage.wait_for_posts(1)[0]["body"] == {"board": "B", "side": "sun"}
    expect(chosen).to_have_text("Moon")
