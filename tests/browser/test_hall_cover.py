"""Black screens and the test picture: nothing of the game is seen under them, and it goes on."""

from collections.abc import Callable

import pytest

from tests.browser import pictures
from tests.browser.screen import Screen

pytestmark = pytest.mark.browser

TOP = "([x, y]) => document.elementFromPoint(innerWidth * x, innerHeight * y).className"


def marks(screen: Screen) -> tuple[str | None, str | None]:
    mark = screen.page.locator(".alive")
    return mark.get_attribute("data-step"), mark.get_attribute("data-fresh")


def test_black_shows_nothing_but_a_mark_that_moves_while_there_are_news(screen: Screen) -> None:
    page = screen.open()
    screen.play(pictures.picture(cover="black"))
    screen.pass_ms(40)
    assert [page.evaluate(TOP, at) for at in ([0.5, 0.5], [0.1, 0.1], [0.1, 0.95])] == ["blackout"] * 3
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.blackout')).backgroundColor")
        == "rgb(0, 0, 0)"
    )
    assert screen.page.locator(".round-number").is_hidden()
    first = marks(screen)
    screen.pass_ms(1_000)
    second = marks(screen)
    assert (first[1], second[1]) == ("true", "true")
    assert first[0] != second[0]


def test_a_hall_that_was_made_dark_stays_dark_without_news_and_comes_back_with_them(screen: Screen) -> None:
    page = screen.open()
    screen.play(pictures.picture(cover="black"))
    screen.pass_ms(2_450)
    assert screen.scene() == "lost"
    assert page.evaluate(TOP, [0.5, 0.5]) == "blackout"
    assert marks(screen)[1] == "false"
    screen.play(pictures.paused("button", seq=42, as_of_ms=1_002_450))
    assert screen.scene() == "pause"
    assert page.locator(".blackout").is_hidden()
    assert "PAUSE" in screen.visible_text()


def test_the_pause_goes_on_under_a_black_screen(screen: Screen) -> None:
    screen.open()
    screen.play(pictures.picture(cover="black"))
    screen.play(pictures.claims_pause(seq=42, cover="black"))
    assert screen.scene() == "pause"
    screen.play(pictures.claims_pause(seq=43))
    assert "Board A7" in screen.visible_text()


@pytest.mark.parametrize("size", [(1920, 1080), (1024, 768), (390, 844)])
def test_the_test_picture_fits_and_names_size_and_letters(
    new_screen: Callable[..., Screen], size: tuple[int, int]
) -> None:
    screen = new_screen(viewport={"width": size[0], "height": size[1]})
    page = screen.open()
    screen.play(pictures.picture(cover="test"))
    screen.pass_ms(40)
    said = screen.visible_text()
    assert f"{size[0]} × {size[1]} pixels" in said
    assert "This screen has no name yet" in said
    assert "MOON" not in said.upper()
    edge = page.locator(".test-edge").bounding_box()
    assert edge == {"x": 0, "y": 0, "width": size[0], "height": size[1]}
    circle = page.locator(".test-circle").bounding_box()
    assert circle is not None
    assert circle["width"] == pytest.approx(circle["height"])
    unit = min(size[1] / 100, size[0] * 0.005625)
    heights = page.locator(".test-sample").evaluate_all(
        "all => all.map(e => parseFloat(getComputedStyle(e).fontSize))"
    )
    if size[0] > size[1]:
        assert heights == pytest.approx([percent * unit for percent in (4, 6, 9, 13)], rel=0.01)
    screen.lose_news()
    assert page.locator(".test-picture").is_hidden()
    assert page.locator(".cover").is_visible()
