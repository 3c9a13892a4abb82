"""A sample of `make test-accessibility`; keyboard, live regions and reduced motion."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import pictures
from tests.browser.accessible import AXE, STATES, THEMES, found
from tests.browser.every_page import SIZES
from tests.browser.screen import Screen
from tests.browser.stage import Stage

pytestmark = pytest.mark.browser

SAMPLE = (
    "hall screen, pause-claims",
    "hall screen, lost",
    "phone, claims",
    "director judging",
    "replay",
    "moderator with notes",
    "technician",
    "self-test asking",
    "hardware test",
    "log-in",
    "setup of one table, ready-six",
    "judge, sheet",
    "report",
    "self-test over",
    "virtual table",
    "director setup",
)
"""Each page once; themes and sizes take turns."""
ROUND_S = 45
MOST_TOLD = 3
"""What a screen reader may be told in a round without events: the round itself, and a notice."""

WATCH_REGIONS = """
() => {
  window.told = [];
  const regions = "[aria-live=polite], [aria-live=assertive], [role=status], [role=alert]";
  const seen = new MutationObserver((changes) => {
    const places = new Set(changes.map(({ target }) => (target.nodeType === 1 ? target : target.parentElement)?.closest(regions)));
    places.delete(null);
    places.delete(undefined);
    for (const place of places) window.told.push(place.textContent.trim());
  });
  seen.observe(document.body, { subtree: true, childList: true, characterData: true });
}
"""
CONTROLS = """
() => {
  const found = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]");
  const reached = [...found].filter((each) => !each.matches(":disabled") && each.tabIndex >= 0 && each.type !== "radio"
    && each.checkVisibility({ visibilityProperty: true }) && !each.closest("[inert], details:not([open]) > :not(summary)"));
  reached.forEach((each, number) => { each.dataset.place = number; });
  return reached.length;
}
"""
FOCUSED = """
() => {
  const { activeElement: element } = document;
  const style = getComputedStyle(element);
  const marked = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  return [element.dataset.place ?? null, marked, element.outerHTML.slice(0, 90)];
}
"""


@pytest.mark.parametrize("name", SAMPLE)
def test_a_state_is_accessible(chromium: Browser, stage: Stage, name: str) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not there; `make packages` fetches it")
    number = SAMPLE.index(name)
    (state,) = (state for state in STATES if state.name == name)
    kind = list(SIZES)[number % len(SIZES)]
    assert list(found(chromium, stage, state, THEMES[number % len(THEMES)], (kind,))) == []


@pytest.mark.parametrize(("path", "ready"), [("/", "h1"), ("/director", ".live-seen, main")])
def test_live_regions_do_not_chatter(screen: Screen, path: str, ready: str) -> None:
    page = screen.open(path)
    before = pictures.picture(as_of_ms=0, remaining_ms=45_000)
    screen.play(before)
    screen.pass_ms(100)
    page.evaluate(WATCH_REGIONS)
    screen.play(
        pictures.picture(seq=50, saved_seq=50, as_of_ms=100, remaining_ms=45_000, round=15, side="sun")
    )
    for second in range(ROUND_S):
        screen.pass_ms(1_000)
        screen.beat(1_100 + second * 1_000)
    told = page.evaluate("window.told")
    assert len(told) <= MOST_TOLD, told


def tabbed(page: Page) -> tuple[int, set[str], list[str]]:
    """How many controls there are, which of them Tab reaches, and those whose focus is not seen."""
    count = page.evaluate(CONTROLS)
    reached: set[str] = set()
    unmarked: list[str] = []
    for _ in range(count + 5):
        page.keyboard.press("Tab")
        place, marked, markup = page.evaluate(FOCUSED)
        if place is None:
            continue
        reached.add(place)
        if not marked:
            unmarked.append(markup)
    return count, reached, unmarked


@pytest.mark.parametrize("name", ["technician, no boards", "self-test asking", "log-in"])
def test_every_control_is_reached_by_the_keyboard_and_seen(
    new_screen: Callable[..., Screen], stage: Stage, name: str
) -> None:
    (state,) = (state for state in STATES if state.name == name)
    state.show(stage)
    page = new_screen(viewport={"width": 1366, "height": 768}).page
    page.goto(stage.address + state.path)
    page.locator(state.ready).first.wait_for()
    count, reached, unmarked = tabbed(page)
    assert count > 1
    places = [str(place) for place in range(count) if str(place) not in reached]
    assert [
        page.locator(f"[data-place='{place}']").evaluate("each => each.outerHTML.slice(0, 90)")
        for place in places
    ] == []
    assert unmarked == []
