"""Pictures for the documents of what shows the tables: technician's page, hall map, virtual tables."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Page

from tests import hall_of_tables as halls
from tests.browser import pictures
from tests.browser.stage import Stage
from tests.browser.tables import hall_of

WIDE, LAPTOP, PHONE = (1920, 1080), (1440, 900), (390, 844)
SHOW_TABLES = "scrollTo(0, document.querySelector('.tables').offsetTop - 10)"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One picture: page, window, what is on the feeds, and what a hand does before it is taken."""

    name: str
    path: str
    size: tuple[int, int]
    hall: tuple[Json, Json] = halls.troubled_hall()
    picture: Json | None = None
    virtual: int = 0
    do: Callable[[Page], object] = lambda page: page


def _board(name: str) -> Callable[[Page], object]:
    return lambda page: page.locator(f'.map-board[data-board="{name}"]').click()


def _walk() -> tuple[Json, Json]:
    roster, snapshot = halls.troubled_hall()
    done = [f"A{number}" for number in range(1, 7)]
    return roster, snapshot | {"enrolment": {"row": "A", "next_board": "A7", "done": done}}


def _enlarged(page: Page) -> None:
    page.get_by_role("button", name="Table A3: enlarge, faults").click()


def _form(page: Page) -> None:
    page.get_by_role("button", name="Rows and boards").click()
    page.locator('[data-is="roster-form"]').scroll_into_view_if_needed()


CLAIMS = pictures.picture(claims=pictures.asked(2), notices=["robber_possible"], as_of_ms=0, rate=0.001)
"""Time all but stands still in it, so that the picture is the same each time it is taken."""
EMPTY = ({"version": 1, "rows": []}, halls.snapshot([]))

SHOTS = (
    Shot(name="technician", path="/technician", size=LAPTOP, do=_board("A11")),
    Shot(name="technician-wide", path="/technician", size=WIDE, do=_board("A7")),
    Shot(name="technician-light", path="/technician?theme=light", size=LAPTOP, do=_board("B4")),
    Shot(name="technician-phone", path="/technician", size=PHONE),
    Shot(name="technician-phone-board", path="/technician", size=PHONE, do=_board("A11")),
    Shot(name="technician-phone-roster", path="/technician", size=PHONE, do=_form),
    Shot(name="technician-walk", path="/technician", size=LAPTOP, hall=_walk()),
    Shot(name="technician-phone-walk", path="/technician", size=PHONE, hall=_walk()),
    Shot(name="technician-empty", path="/technician", size=LAPTOP, hall=EMPTY),
    Shot(name="technician-256", path="/technician", size=WIDE, hall=halls.well_hall(256)),
    Shot(
        name="technician-halls",
        path="/technician",
        size=LAPTOP,
        picture=pictures.leading(),
        do=lambda page: page.evaluate(
            "document.querySelector('.halls-card').scrollIntoView({ block: 'end' })"
        ),
    ),
    Shot(name="director-asked", path="/director", size=LAPTOP, picture=CLAIMS),
    Shot(name="director-asked-light", path="/director?theme=light", size=LAPTOP, picture=CLAIMS),
    Shot(name="sim-tables", path="/sim", size=LAPTOP, virtual=40, do=lambda page: page.evaluate(SHOW_TABLES)),
    Shot(
        name="sim-tables-256", path="/sim", size=WIDE, virtual=256, do=lambda page: page.evaluate(SHOW_TABLES)
    ),
    Shot(
        name="sim-tables-phone",
        path="/sim",
        size=PHONE,
        virtual=40,
        do=lambda page: page.evaluate(SHOW_TABLES),
    ),
    Shot(name="sim-table", path="/sim", size=LAPTOP, virtual=40, do=_enlarged),
)


def table_shots(browser: Browser, stage: Stage) -> Iterator[tuple[str, Page]]:
    """Each picture's name and the page as it is to be taken."""
    for shot in SHOTS:
        stage.clear()
        stage.play(shot.picture or pictures.picture(as_of_ms=0, rate=0.001))
        stage.panel(pictures.panel(sun=False, moon=True))
        stage.tables(*shot.hall)
        stage.virtual(hall_of(shot.virtual))
        viewport = {"width": shot.size[0], "height": shot.size[1]}
        page = browser.new_context(viewport=viewport, reduced_motion="reduce").new_page()
        page.goto(stage.address + shot.path)
        page.locator(_ready(shot)).first.wait_for()
        shot.do(page)
        page.mouse.move(0, 0)
        page.wait_for_function("() => document.fonts.status === 'loaded'")
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        yield shot.name, page
        page.context.close()


def _ready(shot: Shot) -> str:
    if shot.virtual:
        return ".vt-card"
    return ".map-board" if shot.hall[0]["rows"] else '[data-is="no-roster"]'
