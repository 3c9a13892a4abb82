"""What the director's page asks before, keeps over a reload, empties after use and offers first."""

import pytest

from tests.browser import pictures
from tests.browser.acts import ENDED, JUDGE, ONE_CLAIM, READY, ROUND, button, director, fill, press
from tests.browser.screen import Screen
from tests.browser.seen import expect

pytestmark = pytest.mark.browser


def test_a_new_game_after_an_end_is_asked_for_first(screen: Screen) -> None:
    page = director(screen, ENDED)
    sure = page.locator('[data-is="arm-sure"]')
    expect(sure).to_be_hidden()
    press("arm")(page)
    expect(sure).to_contain_text("The last result disappears from all screens")
    expect(page.locator('[data-is="arm-cancel"]')).to_be_focused()
    press("arm-cancel")(page)
    expect(sure).to_be_hidden()
    assert screen.stage.posts == []
    screen.play(READY | {"seq": 42})
    press("arm")(page)  # nothing is lost by it
    assert [post["name"] for post in screen.stage.wait_for_posts(1)] == ["arm"]


def test_a_half_filled_sheet_survives_a_reload_and_belongs_to_its_game(screen: Screen) -> None:
    page = director(screen, ONE_CLAIM)
    JUDGE(page)
    button("Cities: one more")(page)
    page.reload()
    screen.stage.wait_for_feeds(2)
    expect(page.locator(".sheet-points")).to_have_text("6 points of 18 needed")
    screen.stage.play(ONE_CLAIM | {"seq": 2, "game_id": "another"})
    page.reload()
    screen.stage.wait_for_feeds(3)
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
    press("enter-claim")(page)
    fill(claim_board="B3")(page)
    press("claim-go")(page)
    expect(page.locator('[data-is="claim-board"]')).to_have_count(0)
    press("enter-claim")(page)
    expect(page.locator('[data-is="claim-board"]')).to_have_value("")


def test_a_claim_is_entered_for_the_side_that_plays(screen: Screen) -> None:
    """Until the board is begun: from then on no turn of the clock changes what is being entered."""
    page = director(screen, ROUND)
    press("enter-claim")(page)
    chosen = page.locator('.choice [aria-pressed="true"]')
    expect(chosen).to_have_text("Moon")
    screen.play(pictures.sun_round(seq=42))
    expect(chosen).to_have_text("Sun")
    page.locator('[data-is="claim-board"]').press_sequentially("B")
    screen.play(ROUND | {"seq": 43})
    expect(chosen).to_have_text("Sun")
    press("claim-go")(page)
    assert screen.stage.wait_for_posts(1)[0]["body"] == {"board": "B", "side": "sun"}
    press("enter-claim")(page)
    expect(chosen).to_have_text("Moon")


# The round times on the director's page: lines, usual times, and what is asked about.


def test_the_round_times_in_force_are_where_the_editor_begins(screen: Screen) -> None:
    short, longer = [{"from_round": 1, "seconds": 20.5}], [{"from_round": 1, "seconds": 60}]
    page = director(screen, ROUND | {"schedule": short}, mode="setup")
    expect(page.locator(".step .seconds")).to_have_count(1)
    expect(page.locator(".step .seconds")).to_have_value("20.5")
    page.locator(".step .seconds").fill("25")
    screen.play(ROUND | {"schedule": short, "seq": 42})
    expect(page.locator(".step .seconds")).to_have_value("25")  # what is being written stays
    screen.play(ROUND | {"schedule": longer, "seq": 43})
    expect(page.locator(".step .seconds")).to_have_value("60")
    press("set-schedule")(page)
    assert screen.stage.wait_for_posts(1)[0]["body"] == longer


WRONG = (
    (".from >> nth=0", "1", "2", "begin with round 1"),
    (".from >> nth=1", "11", "1", "a later round than the line before it"),
    (".seconds >> nth=1", "45", "0", "from 1 to 3600"),
)


def test_steps_are_checked_before_they_are_sent(screen: Screen) -> None:
    page = director(screen, ROUND, mode="setup")
    for row, usual, wrong, sentence in WRONG:
        page.locator(row).fill(wrong)
        press("set-schedule")(page)
        expect(page.locator('[data-is="schedule-mistake"]')).to_contain_text(sentence)
        page.locator(row).fill(usual)
    page.locator(".seconds >> nth=0").fill("1")
    press("set-schedule")(page)
    expect(page.locator('[data-is="schedule-sure"]')).to_contain_text("Rounds of 1 s")
    assert screen.stage.posts == []
    press("set-schedule-sure")(page)
    button("Quick: 25 s, 35 s")(page)
    press("set-schedule")(page)
    page.get_by_role("button", name="Remove this line").last.click()
    press("set-schedule")(page)
    short, quick, one = (post["body"] for post in screen.stage.wait_for_posts(3))
    assert short[0] == {"from_round": 1, "seconds": 1}
    assert quick == [{"from_round": 1, "seconds": 25}, {"from_round": 11, "seconds": 35}]
    assert one == quick[:1]
