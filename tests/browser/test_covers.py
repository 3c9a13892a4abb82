"""A cover is there within 2.5 s after the news stop, and gone within a second after they return."""

from collections.abc import Callable

import pytest

from tests.browser.covers import COMES_WITHIN_S, GOES_WITHIN_S, SMALL, covers
from tests.browser.screen import Screen

pytestmark = pytest.mark.browser


def test_covers_come_and_go_in_time(new_screen: Callable[..., Screen]) -> None:
    screens = [new_screen(viewport=SMALL) for _ in range(2)]
    for screen in screens:
        screen.allowed = ("503",)
    came, went = zip(*covers(screens, times=2), strict=True)
    assert max(came) <= COMES_WITHIN_S
    assert max(went) <= GOES_WITHIN_S
