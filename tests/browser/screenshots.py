"""Takes the pictures that the documents show from the real pages: `python -m tests.browser.screenshots OUT_DIR`."""

import io
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page

from pi_controller.language.languages import LANGUAGES
from tests import hall_of_tables
from tests.browser import every_page, pictures
from tests.browser import selftests as tests
from tests.browser.classic_pictures import CLASSIC
from tests.browser.every_page import State
from tests.browser.pictures import PAST
from tests.browser.screen import Screen, staged
from tests.browser.situations import HALL
from tests.browser.stage import Stage
from tests.browser.tables import hall_of

COLOURS = 192
PROJECTOR, LAPTOP, PHONE, DESK = (1920, 1080), (1366, 768), (390, 844), (1440, 900)
ON_PROJECTORS = ("round", "pause", "link-lost", "link-divided")
ONE_TABLE = (
    ("classic-hall-seven", "/", PROJECTOR),
    ("classic-director-turn", "/director", LAPTOP),
    ("classic-setup-ready-six", "/director#setup", LAPTOP),
)

BEGAN_NS = 1_000_000_000_000
REFUSED = "A game is under way (round 3): test the hardware before a game's start or after its end."
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
SHOW_SEATS = """() => {
  const [list, form] = ['main.setup', '[data-is="seats-form"]'].map((part) => document.querySelector(part));
  if (form) list.scrollTop += form.getBoundingClientRect().top - 44;
}"""

Json = dict[str, Any]


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with staged() as (browser, stage):
        for name, page in _shots(browser, stage):
            _keep(page.screenshot(), folder / f"{name}.png")
            print(name, flush=True)


def _keep(shot: bytes, path: Path) -> None:
    """Flat colours need no more than a palette: a quarter of the size."""
    with Image.open(io.BytesIO(shot)) as image:
        image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def _shots(browser: Browser, stage: Stage) -> Iterator[tuple[str, Page]]:
    yield from _hall(_open(browser, stage, PROJECTOR, "/"), "hall", ON_PROJECTORS)
    for language in LANGUAGES[1:]:
        yield from _hall(
            _open(browser, stage, PROJECTOR, f"/?lang={language}"), f"hall-{language}", ("round",)
        )
    yield from _director(browser, stage)
    yield "director-phone", _director_in_play(browser, stage, PHONE)
    screen = _open(browser, stage, LAPTOP, "/director#setup")
    screen.play(pictures.leads_not())
    screen.pass_ms(100)
    yield "director-link-divided", screen.page
    yield "moderator", _moderator(browser, stage)
    for name, path, size in ONE_TABLE:
        screen = _open(browser, stage, size, path)
        screen.play(CLASSIC[name.split("-", 2)[2]])
        screen.pass_ms(120)
        screen.page.evaluate(SHOW_SEATS)
        yield name, screen.page
    for state, size in _states(stage):
        yield from _in_state(browser, stage, state, size)


def _open(browser: Browser, stage: Stage, size: tuple[int, int], path: str) -> Screen:
    stage.clear()
    viewport = {"width": size[0], "height": size[1]}
    context = browser.new_context(
        viewport=viewport,  # type: ignore[arg-type]
        reduced_motion="reduce",
        permissions=["screen-wake-lock"],  # as phones have it
    )
    screen = Screen(context.new_page(), stage)
    screen.open(path)
    return screen


def _hall(screen: Screen, kind: str, names: tuple[str, ...]) -> Iterator[tuple[str, Page]]:
    for number, name in enumerate(names):
        screen.play(HALL[name] | {"seq": 100 + number})
        yield f"{kind}-{name}", screen.page
    screen.page.context.close()


def _director_in_play(browser: Browser, stage: Stage, size: tuple[int, int]) -> Page:
    """The director's page in Show, in a round of a game of several hands."""
    screen = _open(browser, stage, size, "/director")
    stage.actions = PAST
    forecast = {"earliest_ms": 600_000, "latest_ms": 1_500_000, "basis": "usual"}
    message = {"text": "Please take your seats", "until_ms": None}
    screen.play(pictures.picture(forecast=forecast, message=message, gained_ms={"moon": 15_000}))
    screen.pass_ms(100)
    screen.page.locator('[data-is="acts"] .act').nth(1).wait_for(state="attached")
    return screen.page


def _director(browser: Browser, stage: Stage) -> Iterator[tuple[str, Page]]:
    """On a laptop, from before the start to a claim's sheet."""
    screen = _open(browser, stage, LAPTOP, "/director")
    page = screen.page
    stage.tables(*hall_of_tables.well_hall(40))
    page.locator(".map-summary li").first.wait_for(state="attached")
    screen.forget()
    screen.play(pictures.ready(public_word=None))
    screen.pass_ms(100)
    yield "director-ready", page
    page.context.close()
    page = _director_in_play(browser, stage, LAPTOP)
    yield "director-laptop", page
    decided = [pictures.claim(n, f"B{n}", "sun", status="rejected", points=9 + n) for n in range(4, 8)]
    claims = [*decided, *pictures.claims_pause()["claims"]]
    screen = Screen(page, stage)
    stage.play(pictures.claims_pause(seq=42, saved_seq=42, claims=claims))
    page.locator('[data-is="primary"][data-mode="judge"]').wait_for()
    screen.pass_ms(640)
    page.locator('[data-is="primary"]').click()
    screen.pass_ms(640)
    for what, times in {"Settlements": 2, "Cities": 4, "Victory-point cards": 1, "Grain": 3}.items():
        for _ in range(times):
            page.get_by_role("button", name=f"{what}: one more").click()
    page.get_by_role("button", name="Foreign, left").click()
    page.mouse.move(0, 0)
    yield "director-claims", page
    page.context.close()


def _moderator(browser: Browser, stage: Stage) -> Page:
    """In a robber phase, with a note that has not been read."""
    screen = _open(browser, stage, LAPTOP, "/moderator")
    stage.notes(pictures.note(1))
    screen.play(pictures.robber_phase())
    screen.page.locator(".note-text").wait_for()
    screen.pass_ms(100)
    return screen.page


def _in_state(
    browser: Browser, stage: Stage, state: State, size: tuple[int, int]
) -> Iterator[tuple[str, Page]]:
    stage.clear()
    state.show(stage)
    viewport = {"width": size[0], "height": size[1]}
    page = browser.new_context(viewport=viewport, reduced_motion="reduce").new_page()  # type: ignore[arg-type]
    page.goto(stage.address + state.path)
    page.locator(state.ready).first.wait_for(state="attached")
    state.do(page)
    page.mouse.move(0, 0)
    page.wait_for_function("() => document.fonts.status === 'loaded'")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    yield state.name, page
    page.context.close()


def _tables(
    hall: tuple[Json, Json] | None = None, picture: Json | None = None, virtual: int = 0
) -> Callable[[Stage], None]:
    def show(stage: Stage) -> None:
        stage.play(picture or pictures.picture(as_of_ms=0, rate=0.001))
        stage.panel(pictures.panel(sun=False, moon=True))
        stage.tables(*(hall or hall_of_tables.troubled_hall()))
        stage.virtual(hall_of(virtual))

    return show


def _selftest(snapshot: Json) -> Callable[[Stage], None]:
    def show(stage: Stage) -> None:
        stage.documents["selftest/reports"] = tests.REPORTS
        stage.selftest(snapshot)

    return show


def _hardware(stage: Stage) -> None:
    stage.tables(*hall_of_tables.well_hall(40, per_row=14))
    stage.hardware({"held": True, "settings": tests.FITTED})


def _nothing(page: Page) -> None:
    """The page as it is."""


def _board(name: str) -> Callable[[Page], None]:
    return lambda page: page.locator(f'.map-board[data-board="{name}"]').click()


def _form(page: Page) -> None:
    page.get_by_role("button", name="Rows and boards").click()
    page.locator('[data-is="roster-form"]').scroll_into_view_if_needed()


def _to(selector: str, block: str = "start") -> Callable[[Page], object]:
    return lambda page: page.evaluate(
        f"document.querySelector('{selector}').scrollIntoView({{ block: '{block}' }})"
    )


def _show_tables(page: Page) -> None:
    page.evaluate("scrollTo(0, document.querySelector('.tables').offsetTop - 10)")


def _bounce(page: Page) -> None:
    page.locator(".result", has_text="BNC").locator("summary").click()
    page.locator("svg.bars").scroll_into_view_if_needed()


def _names(page: Page) -> None:
    page.get_by_role("button", name="I did not see it").click()
    page.get_by_role("button", name="A3 Sun").click()


def _probe(stage: Stage, page: Page) -> None:
    page.get_by_role("button", name="Begin the test").click()
    page.locator('body[data-state="held"]').wait_for()
    inputs, edges = tests.inputs(BEGAN_NS + 8_300_000_000, pressed=True), tests.edges(BEGAN_NS)
    stage.hardware_news({"test": {"inputs": inputs, "edges": edges, "next": len(edges)}})
    for number, side, acknowledged in ((3, "sun", 153.1), (4, "moon", None)):
        press = {"uid": hall_of_tables.uid(number), "board": f"A{number}", "side": side, "at_ms": 112.0}
        stage.hardware_news({"test": {"pressed": press | {"acknowledged_ms": acknowledged}}})
    for pressed in (
        '.outputs-card [data-lamp="sun"]',
        '.nodes-card [data-lamp="moon_claim"]',
        '.outputs-card [data-pattern="checker"]',
    ):
        page.locator(pressed).click()
        page.locator(f'{pressed}[aria-pressed="true"]').wait_for()
    page.evaluate("scrollTo(0, 0)")


def _states(stage: Stage) -> Iterator[tuple[State, tuple[int, int]]]:
    """Pages whose time goes on, in states that do not change."""
    walking = _tables(every_page.walking())
    for name, size, show, do in (
        ("", DESK, _tables(), _board("A11")),
        ("-walk", DESK, walking, _nothing),
        ("-phone-walk", PHONE, walking, _nothing),
    ):
        yield State(name=f"technician{name}", path="/technician", ready=".map-board", show=show, do=do), size
    yield (
        State(name="sim-tables", path="/sim", ready=".vt-card", show=_tables(virtual=40), do=_show_tables),
        DESK,
    )
    for name, size, snapshot, do in (
        ("selftest", LAPTOP, LAMP, _nothing),
        ("selftest-refused", PHONE, tests.refused(REFUSED), _nothing),
        ("report", LAPTOP, tests.ended(), _nothing),
        ("report-bounce", LAPTOP, tests.ended(), _bounce),
        ("phone-question", PHONE, LAMP, _nothing),
        ("phone-presses", PHONE, tests.presses(7), _nothing),
        ("phone-names", PHONE, DISPLAYS, _names),
        ("phone-walk-test", PHONE, WALK, _nothing),
        ("walk-test", LAPTOP, WALK, _nothing),
    ):
        path, show = "/technician/selftest", _selftest(snapshot)
        yield State(name=f"technician-{name}", path=path, ready=".report", show=show, do=do), size
    path, do = "/technician/hardware", partial(_probe, stage)
    yield State(name="technician-hardware", path=path, ready=".hold", show=_hardware, do=do), LAPTOP


if __name__ == "__main__":
    main(Path(sys.argv[1]))
