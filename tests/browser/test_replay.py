"""A game again: the hall screen of any moment, with its time below."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import pictures
from tests.browser.screen import Screen

pytestmark = pytest.mark.browser

DARK = {"sun": False, "moon": False, "pause": False}


def line(since_ms: int, *, lit: str, **changes: Any) -> dict[str, Any]:
    lamps = DARK | {lit: True}
    picture = pictures.picture(as_of_ms=since_ms, claims=[], **changes)
    return {"since_ms": since_ms, "picture": picture, "lamps": [lamps, lamps]}


LINES = [
    line(0, lit="sun", round=1, remaining_ms=35_000),
    line(
        10_000,
        lit="pause",
        round=1,
        remaining_ms=25_000,
        running=False,
        paused=True,
        pause_reasons=["director"],
    ),
    line(30_000, lit="sun", round=1, remaining_ms=25_000),
    line(55_000, lit="moon", round=2, remaining_ms=35_000),
    line(60_000, lit="moon", round=2, remaining_ms=30_000),
]


def _half(lit: str) -> str:
    """A half of a display, in stripes or dark."""
    return base64.b64encode(bytes.fromhex(lit) * 512).decode()


TABLES: dict[str, Any] = {
    "boards": ["A1", "A2"],
    "halves": [_half("00"), _half("0f"), _half("ff")],
    "names": [],
    "places": [
        {"board": "", "side": "sun", "shown": [[0, 1, 0, -1], [10_000, 2, 0, -1]]},
        {"board": "", "side": "moon", "shown": [[0, 0, 1, -1], [10_000, 2, 0, -1]]},
        {"board": "A2", "side": "moon", "shown": [[30_000, 1, 1, -1], [55_000, -1, -1, -1]]},
    ],
}
DOCUMENTS: dict[str, Any] = {"games/g1/replay": LINES, "games/g1/replay/tables": TABLES}


@pytest.fixture
def page(new_screen: Callable[..., Screen]) -> Page:
    screen = new_screen(viewport={"width": 1366, "height": 768})
    screen.stage.documents |= DOCUMENTS
    screen.page.goto(screen.stage.address + "/replay/g1")
    expect(screen.page.locator('[data-is="replay-moment"]')).to_have_text("0:00 of 1:00")
    return screen.page


def test_any_moment_of_a_game_can_be_seen(page: Page) -> None:
    expect(page.locator('[data-is="round"]')).to_have_text("Round 1")
    slider = page.locator('[data-is="replay-slider"]')
    slider.fill("20000")
    expect(page.locator("body")).to_have_attribute("data-scene", "pause")
    expect(page.locator('[data-is="exact-whole"]')).to_have_text("25")
    expect(page.locator('[data-is="replay-lamp-pause"]')).to_contain_text("on")
    slider.fill("35000")
    expect(page.locator("body")).to_have_attribute("data-scene", "play")
    expect(page.locator('[data-is="digits"]')).to_have_text("20")
    expect(page.locator(".mark")).to_have_count(3)


def test_keys_move_through_the_marks_and_play(page: Page) -> None:
    page.keyboard.press("PageDown")
    expect(page.locator('[data-is="replay-moment"]')).to_have_text("0:10 of 1:00")
    page.keyboard.press("PageDown")
    expect(page.locator('[data-is="round"]')).to_have_text("Round 2")
    page.keyboard.press("PageUp")
    page.keyboard.press("ArrowRight")
    expect(page.locator('[data-is="replay-moment"]')).to_have_text("0:15 of 1:00")
    page.locator('[data-is="replay-speed"]').select_option("60")
    page.locator("body").press(" ")
    expect(page.locator('[data-is="replay-moment"]')).to_have_text("1:00 of 1:00")
    expect(page.locator('[data-is="replay-go"]')).to_have_text("Play")


def at(page: Page, moment: str, *displays: str) -> None:
    """At this moment this stands under the displays."""
    page.locator('[data-is="replay-slider"]').fill(moment)
    expect(page.locator(".displays figcaption")).to_have_text(list(displays))


def test_why_there_are_no_displays_is_said(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(viewport={"width": 1366, "height": 768})
    screen.allowed = ("503",)
    screen.stage.documents |= {"games/g1/replay": LINES}
    page = screen.page
    busy = {"error": "Too many wait.", "reason_keys": [{"key": "web.worker_busy", "params": {}}]}
    page.route("**/replay/tables?lang=*", lambda route: route.fulfill(status=503, json=busy))
    page.goto(screen.stage.address + "/replay/g1")
    expect(page.locator(".replay-tables [role=status]")).to_contain_text("ask again in a few seconds")
    expect(page.locator('[data-is="replay-moment"]')).to_have_text("0:00 of 1:00")


def test_tables_stand_once_with_the_boards_that_show_them_or_one_alone(page: Page) -> None:
    expect(page.locator(".displays figure")).to_have_count(2)
    at(page, "0", "Sun all 2 boards", "Moon all 2 boards")
    at(page, "20000", "Sun all 2 boards Moon all 2 boards")
    expect(page.locator("body")).to_have_attribute("data-scene", "pause")
    expect(page.locator(".join")).to_have_count(0)  # nobody is asked into a game that is over
    at(page, "40000", "Sun all 2 boards Moon A1", "Moon A2")
    at(page, "56000", "Sun all 2 boards Moon all 2 boards")
    spoken = page.get_by_role("img", name="Display: Sun, all 2 boards; Moon, all 2 boards")
    expect(spoken).to_be_visible()
    page.locator('[data-is="replay-board"]').select_option("A2")
    at(page, "40000", "Sun A2", "Moon A2")
    page.keyboard.press("Escape")
    page.locator('[data-is="replay-tables"]').click()
    expect(page.locator(".replay-tables")).to_be_hidden()
    expect(page.locator('[data-is="replay-tables"]')).to_have_attribute("aria-pressed", "false")
    page.locator('[data-is="replay-tables"]').click()
    expect(page.locator(".displays canvas")).to_have_count(2)


SIZES = [(1024, 768), (1366, 768), (1920, 1080), (390, 844)]


def test_hall_screen_tables_and_time_stand_beside_each_other(page: Page) -> None:
    expect(page.locator(".displays canvas")).to_have_count(2)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        boxes = [page.locator(place).bounding_box() for place in ("main", ".replay-tables", ".replay-bar")]
        hall, tables, bar = [box for box in boxes if box is not None]
        assert hall["x"] + hall["width"] <= tables["x"] + 1 or hall["y"] + hall["height"] <= tables["y"] + 1
        assert tables["y"] + tables["height"] <= bar["y"] + 1
        assert bar["y"] + bar["height"] <= height + 1
        for part in (".replay-acts > *", ".displays figcaption"):
            for one in page.locator(part).all():
                box = one.bounding_box()
                assert box is None or box["y"] + box["height"] <= height, part
        assert page.locator(".replay-acts a").is_visible()
    page.set_viewport_size({"width": 300, "height": 844})
    strip = page.locator('[data-is="replay-displays"]')  # beside the edge, so it is reached by the keyboard
    strip.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    expect(strip).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('.displays').scrollLeft > 0")
    expect(page.locator('[data-is="replay-moment"]')).to_have_text("0:00 of 1:00")


def test_a_blinking_lamp_stays_lit_for_whoever_asks_for_less_motion(page: Page) -> None:
    blinking = LINES[0] | {"lamps": [DARK, DARK | {"sun": True}]}
    told = "\n".join(json.dumps(one) for one in (blinking, *LINES[1:]))
    page.route("**/api/games/g1/replay", lambda route: route.fulfill(body=told))
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    for moment in ("0", "400", "600", "1100"):
        page.locator('[data-is="replay-slider"]').fill(moment)
        expect(page.locator('[data-is="replay-lamp-sun"]')).to_contain_text("on")


def test_playing_goes_on_while_many_displays_count(new_screen: Callable[..., Screen]) -> None:
    """A second of the page takes a small part of a second of the processor, however fast it plays."""
    screen = new_screen(viewport={"width": 1366, "height": 768})
    boards = [f"A{number}" for number in range(1, 25)]
    places = [
        {
            "board": board,
            "side": side,
            "shown": [[second * 1_000, second % 3, number % 3, -1] for second in range(60)],
        }
        for number, board in enumerate(boards)
        for side in ("sun", "moon")
    ]
    screen.stage.documents |= {
        "games/g1/replay": LINES,
        "games/g1/replay/tables": TABLES | {"boards": boards, "places": places},
    }
    page = screen.page
    page.goto(screen.stage.address + "/replay/g1")
    expect(page.locator(".displays figure")).to_have_count(3)
    page.locator('[data-is="replay-speed"]').select_option("16")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def task_s() -> float:
        """Processor time of the page's thread."""
        metrics = session.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))

    before = task_s()
    page.locator('[data-is="replay-go"]').click()
    expect(page.locator('[data-is="replay-go"]')).to_have_text("Hold")
    expect(page.locator('[data-is="replay-go"]')).to_have_text("Play")
    assert task_s() - before < 0.5 * 60 / 16
