"""The big button of the director's page: the second click of two on Pause never resumes; nothing lies over it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser import pictures
from tests.browser.acts import ONE_CLAIM, PAUSED, READY, ROUND, button, director
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.matrix import further

pytestmark = pytest.mark.browser

UNCOVERED = """() => {
  const button = document.querySelector('[data-is="primary"]'), box = button.getBoundingClientRect();
  return [0.1, 0.5, 0.9].every((part) =>
    button.contains(document.elementFromPoint(box.x + box.width / 2, box.y + part * box.height)));
}"""
"""Whether the big button lies under nothing, at its top, in its middle and at its bottom."""


def click(page: Page) -> None:
    """Where the button is, whatever it is now and whether or not it listens."""
    box = page.locator('[data-is="primary"]').bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def given(screen: Screen, count: int) -> list[str]:
    return [post["name"] for post in screen.stage.wait_for_posts(count)]


def test_a_double_click_on_pause_pauses(screen: Screen) -> None:
    """However fast the second click is, and whatever the picture shows by then."""
    page = director(screen, ROUND)
    seq = 41
    for count, gap_ms in enumerate((80, 300, 600), 1):
        click(page)
        given(screen, count)
        seq += 1
        screen.play(PAUSED | {"seq": seq, "as_of_ms": 1_000_000 + 2_000 * count})
        expect(page.locator('[data-is="primary"]')).to_have_attribute("data-mode", "resume")
        screen.pass_ms(gap_ms)
        click(page)
        seq += 1
        screen.play(ROUND | {"seq": seq, "as_of_ms": 1_000_500 + 2_000 * count})
    click(page)
    assert given(screen, 4) == ["pause"] * 4


def test_after_a_second_it_listens_again_and_pause_always_does(screen: Screen) -> None:
    page = director(screen, ROUND)
    click(page)
    given(screen, 1)
    screen.play(PAUSED | {"seq": 42})
    screen.pass_ms(1_000)
    click(page)
    given(screen, 2)
    screen.play(pictures.count_in(seq=43))
    click(page)
    page.keyboard.press("Space")
    assert given(screen, 3) == ["pause", "resume", "pause"], (
        "the second click of two on Resume freezes nothing"
    )


def test_who_meant_to_resume_while_another_has_resumed_freezes_nothing(screen: Screen) -> None:
    page = director(screen, PAUSED)
    screen.play(pictures.count_in(seq=42))
    screen.pass_ms(600)
    click(page)
    screen.pass_ms(1_000)
    screen.play(pictures.count_in(seq=43))
    click(page)
    assert given(screen, 1) == ["pause"]
    screen.play(pictures.count_in(seq=44))
    assert len(screen.stage.posts) == 1


def test_keys_are_not_heard_either(screen: Screen) -> None:
    page = director(screen, ROUND)
    page.locator('[data-is="primary"]').focus()
    page.keyboard.press("Space")
    given(screen, 1)
    screen.play(PAUSED | {"seq": 42})
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    screen.play(READY | {"seq": 43})
    page.keyboard.press("Enter")
    screen.pass_ms(1_000)
    page.keyboard.press("Enter")
    assert given(screen, 2) == ["pause", "start"]


@pytest.mark.parametrize("size", [(1366, 768), (360, 640), *further(((390, 844),))])
def test_pause_is_whole_also_without_connection_and_beside_a_sheet(
    new_screen: Callable[..., Screen], size: tuple[int, int]
) -> None:
    screen = new_screen(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    page = director(screen, ONE_CLAIM)
    button("Fill in the sheet")(page)
    before = page.locator('[data-is="primary"]').bounding_box()
    screen.lose_news()
    expect(page.locator('[data-is="lost-why"]')).to_be_visible()
    assert page.locator('[data-is="primary"]').bounding_box() == before
    assert page.evaluate(UNCOVERED)
