"""The round times on the director's page: lines, usual times, and what is asked about."""

import pytest

from tests.browser.acts import ROUND, USUAL, button, director, press
from tests.browser.screen import Screen
from tests.browser.seen import expect

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("row", "value", "sentence"),
    [
        (".from >> nth=0", "2", "begins with round 1"),
        (".from >> nth=1", "1", "a later round than the one above"),
        (".seconds >> nth=1", "0", "from 1 to 3600"),
    ],
)
def test_a_wrong_schedule_is_not_sent(screen: Screen, row: str, value: str, sentence: str) -> None:
    page = director(screen, ROUND, mode="setup")
    page.locator(row).fill(value)
    press("set-schedule")(page)
    expect(page.locator('[data-is="schedule-mistake"]')).to_contain_text(sentence)
    assert screen.stage.posts == []


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


def test_a_schedule_line_can_be_removed(screen: Screen) -> None:
    page = director(screen, ROUND, mode="setup")
    page.get_by_role("button", name="Remove this line").last.click()
    press("set-schedule")(page)
    assert screen.stage.wait_for_posts(1)[0]["body"] == USUAL[:1]


def test_rounds_of_a_second_are_asked_about(screen: Screen) -> None:
    page = director(screen, ROUND, mode="setup")
    page.locator(".seconds >> nth=0").fill("1")
    press("set-schedule")(page)
    expect(page.locator('[data-is="schedule-sure"]')).to_contain_text("Rounds of 1 s")
    assert screen.stage.posts == []
    press("set-schedule-sure")(page)
    [post] = screen.stage.wait_for_posts(1)
    assert post["body"][0] == {"from_round": 1, "seconds": 1}


def test_a_preset_fills_the_lines(screen: Screen) -> None:
    page = director(screen, ROUND, mode="setup")
    button("Quick: 25 s, 35 s")(page)
    press("set-schedule")(page)
    [post] = screen.stage.wait_for_posts(1)
    assert post["body"] == [{"from_round": 1, "seconds": 25}, {"from_round": 11, "seconds": 35}]
