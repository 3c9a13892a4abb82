"""The mark of unencrypted pages: it stays on each page of the staff, and nothing is cut off or overlapped by it."""

from collections.abc import Iterator
from itertools import product

import pytest
from playwright.sync_api import Browser, Page

from tests import hall_of_tables as tables
from tests.browser.pictures import picture
from tests.browser.stage import Stage
from tests.matrix import further

pytestmark = pytest.mark.browser

NARROW, LAPTOP = {"width": 390, "height": 844}, {"width": 1366, "height": 768}
MARK = "[data-is=unencrypted]"
COVERED = """mark => {
  const { left, right, top, bottom } = mark.getBoundingClientRect();
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  return [[left + 3, y], [right - 3, y], [x, top + 3], [x, bottom - 3]]
    .filter(([x, y]) => document.elementFromPoint(x, y) !== mark);
}"""


PATHS = ("/director", "/judge", "/moderator", "/technician", "/login")
SAMPLE = [*((path, "de", NARROW) for path in PATHS), ("/director", "pl", LAPTOP)]
OTHERS = [case for case in product(PATHS, ("de", "pl"), (NARROW, LAPTOP)) if case not in SAMPLE]


@pytest.fixture
def page(chromium: Browser, stage: Stage) -> Iterator[Page]:
    context = chromium.new_context()
    yield context.new_page()
    context.close()


def opened(page: Page, stage: Stage, path: str, size: dict[str, int]) -> None:
    """By a name that is not this machine's own, as from another device."""
    stage.director = True
    stage.play(picture())
    stage.tables(*tables.troubled_hall())
    page.set_viewport_size(size)  # type: ignore[arg-type]
    page.goto(stage.address.replace("127.0.0.1", "hall.localhost") + path)


@pytest.mark.parametrize(("path", "language", "size"), [*SAMPLE, *further(*OTHERS)], ids=str)
def test_it_stands_whole_and_pushes_nothing_out(
    page: Page, stage: Stage, path: str, language: str, size: dict[str, int]
) -> None:
    opened(page, stage, f"{path}?lang={language}", size)
    mark = page.locator(MARK)
    mark.wait_for()
    page.locator("[data-is=lost], .lost").first.wait_for(state="hidden")
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert mark.evaluate("mark => mark.scrollWidth <= mark.clientWidth")
    assert mark.evaluate(COVERED) == []


@pytest.mark.parametrize("size", [NARROW, LAPTOP], ids=["390", "1366"])
def test_it_is_one_thin_line_at_the_head_of_the_directors_page(
    page: Page, stage: Stage, size: dict[str, int]
) -> None:
    """The way to the other parts stands beside the mode as it does without it."""
    opened(page, stage, "/director?lang=de", size)
    box = page.locator(MARK).bounding_box()
    modes, theme = (
        page.locator(".status > :nth-child(2)").bounding_box(),
        page.locator("[data-is=theme]").bounding_box(),
    )
    assert box is not None
    assert modes is not None
    assert theme is not None
    assert box["y"] + box["height"] <= modes["y"] + 1
    assert box["height"] <= 24
    assert abs((modes["y"] + modes["height"] / 2) - (theme["y"] + theme["height"] / 2)) < 4, "in one row"


def test_on_the_machine_itself_there_is_none(page: Page, stage: Stage) -> None:
    stage.director = True
    stage.play(picture())
    page.goto(stage.address + "/director")
    page.locator("[data-is=theme]").wait_for()
    assert page.locator(MARK).count() == 0
