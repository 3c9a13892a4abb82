"""What was done last on the director's page: undo by name, several steps deep, and something else instead."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser import pictures
from tests.browser.acts import REPLACE, ROUND, director, instead, press
from tests.browser.pictures import PAST
from tests.browser.screen import Screen
from tests.browser.seen import expect
from tests.browser.stage import Stage
from tests.matrix import further

pytestmark = pytest.mark.browser


def test_what_undo_and_a_replacement_leave_is_shown_before_it_is_done(screen: Screen) -> None:
    screen.stage.actions = PAST
    page = director(screen, ROUND)
    expect(page.locator('[data-is="undo"] b')).to_have_text("Undo: 15 s added")
    expect(page.locator('[data-is="undo-after"]')).to_have_text("Round 14 · Moon · 16.4 s left · running")
    for act in (REPLACE, press("replace-seconds"), press("replace-go")):
        act(page)
    expect(page.locator('[data-is="replace-amount"]')).to_have_value("")  # not complete, so not sent
    after = page.locator('[data-is="replace-after"]')
    instead("−5 s")(page)
    expect(after).to_have_text("Round 14 · Moon · 31.4 s left · paused")
    expect(page.locator('[data-is="replace-go"]')).to_have_text("Replace with: −5 s")
    screen.stage.actions = PAST | {"outcome": {"phase": "unseen"}}
    instead("+5 s")(page)
    expect(after).to_have_text("the next phase begins")
    expect(page.locator('[data-is="replace-go"]')).to_be_enabled()
    assert screen.stage.posts == []


def test_several_steps_back_are_shown_and_then_undone_one_after_the_other(screen: Screen) -> None:
    """Each with what the one before has left: nothing that comes between is undone unseen."""
    screen.stage.actions = PAST
    screen.stage.answers["undo"] = (200, {"accepted": True, "seq": 77, "reasons": []})
    page = director(screen, ROUND)
    press("open-log")(page)
    lines = page.locator(".acts .act")
    expect(lines.locator(".act-said").nth(2)).to_have_text("Board B3 rejected, 16 points")
    expect(lines.locator(".act-by").nth(3)).to_have_text("table")
    expect(lines.nth(3).locator("button")).to_have_count(0)
    lines.nth(2).locator("button").click()
    expect(page.locator(".act-sure .after")).to_have_text(
        "Round 14 · Moon · 17.3 s left · paused · 1 claim open"
    )
    assert screen.stage.posts == []
    press("undo-steps")(page)
    posts = screen.stage.wait_for_posts(3)
    assert [(post["name"], post["seen"][1]) for post in posts] == [
        ("undo", "41"),
        ("undo", "77"),
        ("undo", "77"),
    ]


LATE_MORNING_S = 1_763_637_840
"""11:24 at the zero meridian: far from the 16 minutes for which the controller of these pictures has run."""
TIME_OF_DAY = re.compile(r"\b(\d\d):\d\d(?::\d\d)?\b")
USUAL_END = {"earliest_ms": 600_000, "latest_ms": 1_500_000, "basis": "usual"}
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.mark.parametrize(
    ("path", "ready", "picture"),
    [
        ("/", ".goal[data-shows=forecast]", pictures.ready(forecast=USUAL_END)),
        ("/director", ".act", pictures.picture(forecast=USUAL_END)),
        ("/technician", '[data-is="halls-card"]', pictures.link_lost()),
        *further(
            ("/director", ".act", pictures.link_lost()),
            ("/moderator", '[data-is="quiet"]', pictures.picture(forecast=USUAL_END)),
            ("/phone", "main", pictures.link_lost()),
            ("/judge", '[data-is="link-line"]', pictures.link_lost()),
        ),
    ],
)
def test_a_page_shows_times_of_this_place_from_its_first_picture_on(
    new_screen: Callable[..., Screen], stage: Stage, path: str, ready: str, picture: dict[str, Any]
) -> None:
    """One picture and no other: all that the page knows of core's clock came with it."""
    stage.actions = PAST
    stage.play(picture)
    screen = new_screen(timezone_id="Etc/UTC")
    screen.page.clock.install(time=LATE_MORNING_S)
    screen.open(path, still=False)
    screen.page.locator(ready).first.wait_for(state="attached")
    screen.page.evaluate(FRAMES)
    shown = screen.page.evaluate("document.body.textContent")
    times = TIME_OF_DAY.findall(shown)
    assert times, shown
    assert set(times) <= {"10", "11", "12"}, shown
