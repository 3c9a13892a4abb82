"""What is wrong with the controller stands at the head of the technician's pages and of the virtual hall as well."""

import pytest

from tests import hall_of_tables as tables
from tests.browser import pictures
from tests.browser.acts import READY, director
from tests.browser.looks import weak_texts
from tests.browser.screen import Screen
from tests.browser.seen import expect

pytestmark = pytest.mark.browser

PAGES = pytest.mark.parametrize(
    "path", ["/technician", "/technician/selftest", "/technician/hardware", "/sim"]
)
LOST = "After the restart 137 commands are missing, from 20:14:07 on."


@PAGES
def test_a_fault_stands_until_it_is_over(screen: Screen, path: str) -> None:
    screen.stage.tables(*tables.troubled_hall())
    screen.stage.play(pictures.picture(health={"level": "fault", "messages": [LOST]}))
    screen.page.goto(screen.stage.address + path)
    line = screen.page.locator('[data-is="trouble"]')
    expect(line).to_be_visible()
    expect(line).to_have_text(f"Fault: {LOST}")
    assert weak_texts(screen.page) == []
    screen.stage.play(pictures.picture(seq=42))
    expect(line).to_be_hidden()


@PAGES
def test_a_controller_that_does_not_start_says_why(screen: Screen, path: str) -> None:
    screen.allowed = ("503", "404")
    screen.stage.not_started = "The state folder cannot be used: change the memory card."
    screen.page.goto(screen.stage.address + path)
    expect(screen.page.locator('[data-is="trouble"]')).to_have_text(
        f"The controller does not start: {screen.stage.not_started}"
    )


def test_a_list_that_cannot_be_fetched_is_told(screen: Screen) -> None:
    screen.allowed = ("ERR_INTERNET_DISCONNECTED",)
    page = director(screen, READY, still=False, mode="setup")
    page.context.set_offline(True)
    page.locator('[data-is="games-load"]').click()
    expect(page.get_by_text("The list did not come (answer –). Try again.")).to_be_visible()
