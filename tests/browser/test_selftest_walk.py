"""The walk of the rows: one hand, several people, what was heard out of turn."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser import selftests as tests
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.browser.test_selftest import PHONE, button, posted, selftest

pytestmark = pytest.mark.browser


@pytest.fixture
def phone(new_screen: Callable[..., Screen]) -> Screen:
    return new_screen(**PHONE, has_touch=True)


def call(page: Page) -> tuple[str, str]:
    """What is to be pressed, and at which board."""
    return page.locator('[data-is="walk-press"]').inner_text(), page.locator(
        '[data-is="walk-board"]'
    ).inner_text()


def board(name: str, *, sun: bool = False, moon: bool = False) -> dict[str, Any]:
    return {"board": name, "row": name[0], "sun": sun, "moon": moon, "note": ""}


def heard(*names: str) -> Any:
    """Row A of four boards of which these have been pressed, in whatever order."""
    boards = [
        board(f"A{number}", sun=f"A{number}" in names, moon=f"A{number}" in names) for number in range(1, 5)
    ]
    return tests.walk_of(boards)


def test_it_says_which_board_and_which_button_comes_next(phone: Screen) -> None:
    page = selftest(phone, tests.walk())
    assert call(page) == ("Press Sun, then Moon at", "A1")
    phone.stage.selftest(tests.walk({"A": (6, 5)}))
    expect(page.locator('[data-is="walk-board"]')).to_have_text("A6")
    assert call(page) == ("Now Moon’s button at", "A6")
    expect(page.locator(".walk-sides .heard")).to_have_text("Sun")
    expect(page.locator('.walk-map [data-standing="done"]')).to_have_count(5)
    expect(page.locator(".walk-map .next")).to_have_attribute("aria-label", "A6: one side pressed")


def test_its_buttons_are_large_and_under_the_thumb(phone: Screen) -> None:
    page = selftest(phone, tests.walk({"A": (3, 3)}))
    for name in ("A4 does not react: go on", "End the walk"):
        box = button(page, name).bounding_box()
        assert box is not None
        assert box["height"] >= 60
        assert box["width"] >= 340
        assert 844 * 0.6 < box["y"] < box["y"] + box["height"] <= 844


def test_two_people_walk_rows_of_their_own(new_screen: Callable[..., Screen]) -> None:
    one, other = new_screen(**PHONE), new_screen(**PHONE)
    pages = [selftest(one, tests.walk()), selftest(other, tests.walk())]
    pages[1].get_by_role("button", name="Row B, 0 of 14 boards done").click()
    one.stage.selftest(tests.walk({"A": (2, 2), "B": (3, 3)}))
    expect(pages[0].locator('[data-is="walk-board"]')).to_have_text("A3")
    expect(pages[1].locator('[data-is="walk-board"]')).to_have_text("B4")
    for page in pages:
        expect(page.locator('[data-is="walk-progress"]')).to_have_text("5 of 40 boards in the hall")


def test_a_row_that_is_over_leads_to_the_next(phone: Screen) -> None:
    page = selftest(phone, tests.walk({"A": (14, 14)}))
    expect(page.locator('[data-is="walk-board"]')).to_have_text("B1")


def test_a_row_may_be_walked_from_its_end(phone: Screen) -> None:
    page = selftest(phone, heard())
    phone.stage.selftest(heard("A4"))
    expect(page.locator('[data-is="walk-board"]')).to_have_text("A3")
    phone.stage.selftest(heard("A4", "A3"))
    expect(page.locator('[data-is="walk-board"]')).to_have_text("A2")
    expect(page.locator(".walk-notes li")).to_have_count(0)


def test_a_press_out_of_turn_is_told_at_once(phone: Screen) -> None:
    page = selftest(phone, heard())
    phone.stage.selftest(heard("A1"))
    expect(page.locator('[data-is="walk-board"]')).to_have_text("A2")
    phone.stage.selftest(heard("A1", "A3"))
    expect(page.locator(".walk-notes")).to_contain_text("heard when it was A2’s turn")
    expect(page.locator('.walk-map [data-standing="odd"]')).to_have_text("A3")


def test_sides_that_are_exchanged_are_told_at_once(phone: Screen) -> None:
    page = selftest(phone, tests.walk({"A": (3, 3)}, notes={"A3": "Moon was heard first"}))
    expect(page.locator(".walk-notes")).to_contain_text(
        "A3Moon was heard first. The result offers to mend it."
    )
    expect(page.locator('.walk-map [data-standing="odd"]')).to_have_attribute(
        "aria-label", "A3: something is odd"
    )


def test_a_board_that_does_not_react_is_passed_over(phone: Screen) -> None:
    page = selftest(phone, heard("A1"))
    button(page, "A2 does not react: go on").click()
    assert call(page)[1] == "A3"
    phone.stage.selftest(heard("A1", "A3", "A4"))
    expect(page.locator('[data-is="walk-board"]')).to_have_text("done")
    expect(page.locator('.walk-map [data-standing="passed"]')).to_have_text("A2")
    button(page, "Back to those that were passed over").click()
    assert call(page)[1] == "A2"


def test_the_walk_is_ended_on_purpose_only(phone: Screen) -> None:
    page = selftest(phone, heard("A1", "A2", "A3"))
    button(page, "End the walk").click()
    expect(page.locator('[data-is="walk-sure"]')).to_contain_text("1 board is not done yet.")
    button(page, "Walk on").click()
    expect(page.locator('[data-is="walk-sure"]')).to_be_hidden()
    button(page, "End the walk").click()
    button(page, "End it all the same").click()
    assert posted(phone, 1) == [("answer", {"question": "CLM-7", "answer": "done", "reason": ""})]
    phone.stage.selftest(heard("A1", "A2", "A3", "A4"))
    button(page, "End the walk").click()
    assert len(posted(phone, 2)) == 2


@pytest.mark.parametrize("language", ["en", "pl"])
def test_on_a_laptop_the_question_at_the_end_stands_within_the_walk(
    new_screen: Callable[..., Screen], language: str
) -> None:
    page = selftest(new_screen(viewport={"width": 1366, "height": 768}, locale=language), tests.walk())
    page.locator('[data-is="walk-done"]').click()
    walk, question = (page.locator(name).bounding_box() for name in (".walk-test", ".walk-test .sure"))
    assert walk is not None
    assert question is not None
    assert walk["y"] <= question["y"]
    assert question["y"] + question["height"] <= walk["y"] + walk["height"]
