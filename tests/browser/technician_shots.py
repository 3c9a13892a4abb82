"""Pictures for the documents of the technician's self-test, walk and hardware test."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Page

from tests import hall_of_tables as halls
from tests.browser import selftests as tests
from tests.browser.stage import Stage

LAPTOP, PHONE = (1366, 768), (390, 844)
BEGAN_NS = 1_000_000_000_000
MORE = [
    tests.result("TMP", "temperature of the controller", "passed", "The controller is cool enough."),
    tests.result("JRN", "journal round trip", "passed", "The journal writes and reads back."),
]
LAMP = tests.running(question=tests.question(), results=[*tests.RESULTS[:3], *MORE])
WALK = tests.walk({"A": (6, 5), "B": (3, 3)}, notes={"A3": "Moon was heard first"})
NAMES = [f"A{number}-{side}" for number in range(1, 8) for side in ("sun", "moon")]
DISPLAYS = tests.running(
    question=tests.question("OLD-11", tests.PATTERN, picture="display", names=["panel", *NAMES]),
    progress=tests.PROGRESS | {"code": "OLD", "title": "displays", "done": 23, "left_s": 2.0},
)

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One picture of the self-test's page: window, what is told of the test, and what a hand does before."""

    name: str
    size: tuple[int, int]
    snapshot: Json
    theme: str = "dark"
    do: Callable[[Page], object] = lambda page: page


def _bounce(page: Page) -> None:
    page.locator(".result", has_text="BNC").locator("summary").click()
    page.locator("svg.bars").scroll_into_view_if_needed()


def _names(page: Page) -> None:
    page.get_by_role("button", name="I did not see it").click()
    page.get_by_role("button", name="A3 Sun").click()


REFUSED = "A game is under way (round 3): the hardware can be tested before a game's start and after its end."
SHOTS = (
    Shot(name="technician-selftest", size=LAPTOP, snapshot=LAMP),
    Shot(name="technician-selftest-begin", size=LAPTOP, snapshot=tests.IDLE),
    Shot(name="technician-selftest-refused", size=PHONE, snapshot=tests.refused(REFUSED)),
    Shot(name="technician-report", size=LAPTOP, snapshot=tests.ended()),
    Shot(name="technician-report-light", size=LAPTOP, snapshot=tests.ended(), theme="light"),
    Shot(name="technician-report-bounce", size=LAPTOP, snapshot=tests.ended(), do=_bounce),
    Shot(name="technician-phone-report", size=PHONE, snapshot=tests.ended()),
    Shot(name="technician-phone-question", size=PHONE, snapshot=LAMP),
    Shot(name="technician-phone-presses", size=PHONE, snapshot=tests.presses(7)),
    Shot(name="technician-phone-names", size=PHONE, snapshot=DISPLAYS, do=_names),
    Shot(name="technician-phone-walk-test", size=PHONE, snapshot=WALK),
    Shot(name="technician-walk-test", size=LAPTOP, snapshot=WALK),
)


def technician_shots(browser: Browser, stage: Stage) -> Iterator[tuple[str, Page]]:
    """Each picture's name and the page as it is to be taken."""
    for shot in SHOTS:
        stage.clear()
        stage.documents["selftest/reports"] = tests.REPORTS
        stage.selftest(shot.snapshot)
        page = _page(browser, shot.size)
        page.goto(f"{stage.address}/technician/selftest?theme={shot.theme}")
        page.locator("body[data-standing]").wait_for()
        page.locator(".report").first.wait_for(state="attached")
        shot.do(page)
        yield from _taken(shot.name, page)
    for name, size, theme in (
        ("technician-hardware", LAPTOP, "dark"),
        ("technician-hardware-light", LAPTOP, "light"),
        ("technician-phone-hardware", PHONE, "dark"),
    ):
        yield from _taken(name, _hardware(browser, stage, size, theme))


def _hardware(browser: Browser, stage: Stage, size: tuple[int, int], theme: str) -> Page:
    stage.clear()
    stage.tables(*halls.well_hall(40, per_row=14))
    stage.hardware({"held": True, "settings": tests.FITTED})
    page = _page(browser, size)
    page.goto(f"{stage.address}/technician/hardware?theme={theme}")
    page.get_by_role("button", name="Begin the test").click()
    page.locator('body[data-state="held"]').wait_for()
    inputs, edges = tests.inputs(BEGAN_NS + 8_300_000_000, pressed=True), tests.edges(BEGAN_NS)
    stage.hardware_news({"test": {"inputs": inputs, "edges": edges, "next": len(edges)}})
    for number, side, acknowledged in ((3, "sun", 153.1), (4, "moon", None)):
        press = {"uid": halls.uid(number), "board": f"A{number}", "side": side, "at_ms": 112.0}
        stage.hardware_news({"test": {"pressed": press | {"acknowledged_ms": acknowledged}}})
    for lamp in ('.outputs-card [data-lamp="sun"]', '.nodes-card [data-lamp="moon_claim"]'):
        page.locator(lamp).click()
        page.locator(f'{lamp}[aria-pressed="true"]').wait_for()
    page.locator('.outputs-card [data-pattern="checker"]').click()
    page.locator('.outputs-card [data-pattern="checker"][aria-pressed="true"]').wait_for()
    page.evaluate("scrollTo(0, 0)")
    return page


def _page(browser: Browser, size: tuple[int, int]) -> Page:
    viewport = {"width": size[0], "height": size[1]}
    return browser.new_context(viewport=viewport, reduced_motion="reduce").new_page()


def _taken(name: str, page: Page) -> Iterator[tuple[str, Page]]:
    page.mouse.move(0, 0)
    page.wait_for_function("() => document.fonts.status === 'loaded'")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    yield name, page
    page.context.close()
