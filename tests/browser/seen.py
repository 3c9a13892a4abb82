"""`expect` for tests of pages: a text counts only where it can be seen.

Playwright's own `to_have_text` and `to_contain_text` look at what is hidden, too, and so pass on a warning that
nobody is shown.
"""

from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Locator, LocatorAssertions
from playwright.sync_api import expect as expect_anywhere


class Seen(LocatorAssertions):
    """Playwright's assertions, of which those on texts need the text to be visible."""

    def __init__(self, place: Locator, within_ms: float | None) -> None:
        super().__init__(expect_anywhere(place)._impl_obj)
        self._place = place
        self._within_ms = within_ms

    def to_have_text(self, expected: Any, **options: Any) -> None:
        """Exactly this text, or for a list these texts, each of them visible; "" may be anywhere."""
        super().to_have_text(expected, **options)
        self._check_seen(expected)

    def to_contain_text(self, expected: Any, **options: Any) -> None:
        """As `to_have_text`, among other text."""
        super().to_contain_text(expected, **options)
        self._check_seen(expected)

    def to_be_drawn_hidden(self) -> None:
        """On the page, and hidden: `to_be_hidden` passes before the page has been drawn, too."""
        self.to_be_attached(timeout=self._within_ms)
        self.to_be_hidden(timeout=self._within_ms)

    def _check_seen(self, expected: Any) -> None:
        if isinstance(expected, Sequence) and not isinstance(expected, str):
            for number, text in enumerate(expected):
                if text != "":
                    expect_anywhere(self._place.nth(number)).to_be_visible(timeout=self._within_ms)
        elif expected != "":
            expect_anywhere(self._place).to_be_visible(timeout=self._within_ms)


def expect(place: Locator, *, within_ms: float | None = None) -> Seen:
    """`within_ms`: how long a text may stay hidden; None: as long as anything else may take."""
    return Seen(place, within_ms)
