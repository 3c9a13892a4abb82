"""A change of the hall screen costs the browser what changes, not the whole page: `make frames` measures the time that it takes."""

from collections.abc import Callable

import pytest

from tests.browser import pictures
from tests.browser.covers import COMES_WITHIN_S, GOES_WITHIN_S, SMALL, covers
from tests.browser.frames import CATEGORIES, read
from tests.browser.screen import Screen

pytestmark = pytest.mark.browser

ROUND = pictures.picture()
CHANGES = {
    "other side": (ROUND, pictures.picture(side="sun", next_side="moon"), 60),
    "pause": (ROUND, pictures.paused("button"), 100),
    "claims": (pictures.paused("button"), pictures.claims_pause(), 80),
    "end": (pictures.collecting(), pictures.ended(), 80),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_restyles_what_changes(screen: Screen, change: str) -> None:
    before, after, most = CHANGES[change]
    page = screen.open()
    browser = page.context.browser
    assert browser is not None
    for number, picture in enumerate((before, after, before)):
        screen.play(picture | {"seq": number, "saved_seq": number})
        screen.pass_ms(100)
    browser.start_tracing(page=page, categories=CATEGORIES)
    screen.play(after | {"seq": 9, "saved_seq": 9})
    page.screenshot()
    restyled = read(browser.stop_tracing()).restyled
    assert 0 < restyled <= most


# A cover is there within 2.5 s after the news stop, and gone within a second after they return.


def test_covers_come_and_go_in_time(new_screen: Callable[..., Screen]) -> None:
    screens = [new_screen(viewport=SMALL) for _ in range(2)]
    for screen in screens:
        screen.allowed = ("503",)
    came, went = zip(*covers(screens, times=2), strict=True)
    assert max(came) <= COMES_WITHIN_S
    assert max(went) <= GOES_WITHIN_S
