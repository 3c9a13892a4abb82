"""The event's name, colours and logo on the hall screen, and the time of day."""

import pytest

from tests.browser import pictures
from tests.browser.screen import Screen

pytestmark = pytest.mark.browser

EVENT = {"name": "Winter Marathon", "logo": True, "colours": ["#ffc94d", "#7fdcae"]}
NAMES = "names => names.map(name => [getComputedStyle(name).color, getComputedStyle(name).borderBottomColor])"


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_event_stands_in_its_colours_on_dark_ground(screen: Screen, theme: str) -> None:
    page = screen.open(f"/?theme={theme}")
    screen.play(pictures.ready(event=EVENT))
    names = page.locator(".event-name:visible")
    assert names.all_inner_texts() == ["Winter Marathon"]
    assert names.evaluate_all(NAMES) == [["rgb(255, 201, 77)", "rgb(127, 220, 174)"]]
    assert (
        page.locator(".scene.ready .event").evaluate("e => getComputedStyle(e).backgroundColor")
        == "rgb(11, 14, 20)"
    )
    page.wait_for_function("() => document.querySelector('.scene.ready .event-logo')?.naturalWidth === 8")
    screen.play(pictures.picture(seq=42, event=EVENT | {"colours": None, "logo": False}))
    assert page.locator(".event-name:visible").all_inner_texts() == ["Winter Marathon"]
    assert page.locator(".event-logo").count() == 0


def test_without_an_event_there_is_no_place_for_one(screen: Screen) -> None:
    page = screen.open("/")
    screen.play(pictures.picture())
    assert page.locator(".event:visible").count() == 0


def test_the_time_of_day_goes_on(screen: Screen) -> None:
    """The clock of the page stands at 46 minutes and 40 seconds past the hour."""
    page = screen.open("/")
    screen.play(pictures.ready())
    seen = []
    for seconds in range(2, 24, 2):
        screen.pass_ms(2_000)
        screen.beat(1_000_000 + 1_000 * seconds)
        seen.append(page.locator(".scene.ready .time").inner_text().split(":")[1])
    assert (seen[0], seen[-1]) == ("46", "47")
