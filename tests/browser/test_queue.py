"""Every open claim with its buttons in the window, nothing scrolled, and *Take over* within reach: in every state of the queue."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest

from tests.browser import pictures
from tests.browser.acts import director, press
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.matrix import further

pytestmark = pytest.mark.browser

Json = dict[str, Any]
SIZES = {"laptop": (1366, 768), "phone": (390, 844), "lying": (844, 390), "projector": (1920, 1080)}
LANGUAGES = ("en", "de", "es", "pl", "pt", "pt-BR")
WATCHED: Json = {"directs": 2, "directors": [{"number": 0, "name": "", "here": True}, {"number": 2, "name": "Bartholomäus", "here": True}], "changes": []}  # fmt: skip
ALONE: Json = {"directs": None, "directors": [{"number": 0, "name": "", "here": True}], "changes": []}
WARNING: Json = {
    "level": "warning",
    "messages": ["The second copy is not written: put its stick in again, or take it out of the settings."],
    "items": [],
}
SOUND: Json = {"captions": [], "muted": None, "ducked": False}
MESSAGE: Json = {"text": "Please take your seats", "until_ms": None}
MEASURE = """() => {
  const inside = ({ left, right, top, bottom }) => left >= -1 && top >= -1 && right <= innerWidth + 1 && bottom <= innerHeight + 1;
  const said = [];
  for (const button of document.querySelectorAll('.claims-card > .claims .claim.open button, [data-is=take-over], [data-is=primary]')) {
    if (!button.checkVisibility()) continue;
    const box = button.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    if (!inside(box)) said.push(`outside: ${button.textContent.trim()}`);
    else if (!button.contains(document.elementFromPoint(x, y))) said.push(`under something: ${button.textContent.trim()}`);
  }
  for (const part of [document.documentElement, ...document.querySelectorAll('.stage, .stage *, .side, .drawer.more')]) {
    const { overflowY } = getComputedStyle(part);
    if ((overflowY === 'auto' || overflowY === 'scroll' || part === document.documentElement) && part.scrollHeight > part.clientHeight + 1) said.push(`scrolls: ${part.className || part.localName}`);
  }
  return said;
}"""


def claims(decided: int, opened: int) -> list[Json]:
    """In press order, the decided ones first; names of boards as long as they come."""
    done = [pictures.claim(n, f"B{n}", "sun", status="rejected", points=12) for n in range(1, decided + 1)]
    boards = ("C11", "HALL-12", "A13")
    return [*done, *(pictures.claim(20 + n, boards[n], "moon", rejected_before=n) for n in range(opened))]


def states(decided: tuple[int, ...], opened: tuple[int, ...]) -> Iterator[tuple[str, Json, bool]]:
    """What is shown, and whether another one directs."""
    for done, still, warned, watching, said in product(decided, opened, *[(False, True)] * 3):
        more = ({"health": WARNING} if warned else {}) | ({"message": MESSAGE} if said else {})
        yield (
            f"{done} decided, {still} open, {warned=}, {watching=}, {said=}",
            pictures.paused("claim", claims=claims(done, still), sound=SOUND, **more),
            watching,
        )


@pytest.mark.parametrize(
    ("size", "language"),
    [("laptop", "pt"), ("phone", "de"), ("lying", "pl"), *further(*product(SIZES, LANGUAGES))],
)
def test_all_open_claims_are_in_the_window_and_nothing_scrolls(
    new_screen: Callable[..., Screen], size: str, language: str, request: pytest.FixtureRequest
) -> None:
    width, height = SIZES[size]
    screen = new_screen(viewport={"width": width, "height": height}, reduced_motion="reduce")
    page = screen.open(f"/director?lang={language}")
    found = []
    whole = request.node.get_closest_marker("matrix") is not None
    for number, (state, picture, watching) in enumerate(
        states(tuple(range(11)) if whole else (0, 10), (0, 1, 2, 3) if whole else (1, 3))
    ):
        at_ms = 1_000_000 + 40 * number
        screen.stage.directing(WATCHED if watching else ALONE)
        screen.play(picture | {"seq": 100 + number, "as_of_ms": at_ms, "as_of_us": at_ms * 1_000})
        expect(page.locator('[data-is="take-over"]')).to_have_count(int(watching))
        screen.pass_ms(40)
        found += [f"{state}: {problem}" for problem in page.evaluate(MEASURE)]
    assert found == []


@pytest.mark.parametrize("size", ["phone", *further("laptop", "lying")])
def test_who_watches_takes_over_while_somebody_fills_a_sheet(
    new_screen: Callable[..., Screen], size: str
) -> None:
    width, height = SIZES[size]
    screen = new_screen(viewport={"width": width, "height": height})
    page = director(screen, pictures.paused("claim", claims=claims(10, 3)))
    screen.stage.directing(WATCHED)
    page.locator('[data-is="judge"]').first.click()
    expect(page.locator('[data-is="claim-panel"]')).to_be_visible()
    press("take-over")(page)
    press("take-over-now")(page)
    [post] = screen.stage.wait_for_posts(1)
    assert (post["kind"], post["name"]) == ("directing", "take-over")
