"""Takes the pictures of the documents from the real pages: `python -m tests.browser.screenshots OUT_DIR`."""

import base64
import io
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from pi_controller.hal.oled.display import draw_face
from pi_controller.hal.roles import StatusFace
from pi_controller.language.languages import LANGUAGES
from tests import hall_of_tables
from tests.browser import pictures
from tests.browser.classic_shots import classic_shots
from tests.browser.past import PAST
from tests.browser.screen import CHROMIUM, Screen, launch
from tests.browser.situations import HALL
from tests.browser.stage import Stage
from tests.browser.table_shots import table_shots
from tests.browser.technician_shots import technician_shots

COLOURS = 192
PROJECTOR, LAPTOP, PHONE, TABLET = (1920, 1080), (1280, 720), (390, 844), (1024, 768)
ON_SMALL_PROJECTORS = ("round", "robber", "pause-claims", "asked-many")
ON_PHONES = (
    "round",
    "last-seconds",
    "robber",
    "asked",
    "pause",
    "pause-claims",
    "ready",
    "ended-shared",
    "message",
    "link-lost",
)
IN_EACH_LANGUAGE = ("round", "robber")
ON_BRIGHT_PROJECTORS = ("sun", "round", "robber", "pause", "ended")

Json = dict[str, Any]


def main(folder: Path) -> None:
    chromium = shutil.which(CHROMIUM)
    if chromium is None:
        sys.exit(f"{CHROMIUM} is not installed: `apt-get install {CHROMIUM}`, then once more")
    folder.mkdir(parents=True, exist_ok=True)
    stage = Stage()
    try:
        with sync_playwright() as playwright:
            browser = launch(playwright, chromium)
            for name, page in _shots(browser, stage):
                _keep(page.screenshot(), folder / f"{name}.png")
            browser.close()
    finally:
        stage.close()


def _keep(shot: bytes, path: Path) -> None:
    """Flat colours need no more than a palette: a quarter of the size."""
    with Image.open(io.BytesIO(shot)) as image:
        image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def _shots(browser: Browser, stage: Stage) -> Iterator[tuple[str, Page]]:
    yield from _hall(_open(browser, stage, PROJECTOR, "/"), "hall", tuple(HALL))
    yield from _hall(_open(browser, stage, LAPTOP, "/"), "hall-small", ON_SMALL_PROJECTORS)
    yield from _hall(_open(browser, stage, PHONE, "/"), "hall-phone", ON_PHONES)
    yield from _hall(_open(browser, stage, PROJECTOR, "/?theme=light"), "hall-light", ON_BRIGHT_PROJECTORS)
    for language in LANGUAGES[1:]:
        yield from _hall(
            _open(browser, stage, PROJECTOR, f"/?lang={language}"), f"hall-{language}", IN_EACH_LANGUAGE
        )
    yield "director-laptop", _director_in_play(browser, stage)
    for kind, size in {"director": LAPTOP, "director-wide": PROJECTOR, "director-phone": PHONE}.items():
        yield from _director(browser, stage, kind, size)
    for name, path, picture in (
        ("director-follower", "/director", pictures.following()),
        ("director-link-lost", "/director", pictures.link_lost()),
        ("director-link-divided", "/director#setup", pictures.leads_not()),
    ):
        screen = _open(browser, stage, (1366, 768), path)
        screen.play(picture)
        screen.pass_ms(100)
        yield name, screen.page
        screen.page.context.close()
    yield "moderator", _moderator(browser, stage)
    yield from _phone(_open(browser, stage, PHONE, "/phone"), "phone", ("round", "pause-claims", "link-lost"))
    yield from _phone(_open(browser, stage, TABLET, "/phone?theme=light"), "phone-tablet", ("robber",))
    yield from _virtual_hall(browser, stage)
    yield from table_shots(browser, stage)
    yield from technician_shots(browser, stage)
    yield from classic_shots(browser, stage)


def _open(browser: Browser, stage: Stage, size: tuple[int, int], path: str) -> Screen:
    stage.clear()
    viewport = {"width": size[0], "height": size[1]}
    screen = Screen(browser.new_context(viewport=viewport, reduced_motion="reduce").new_page(), stage)
    screen.open(path)
    return screen


def _hall(screen: Screen, kind: str, names: tuple[str, ...]) -> Iterator[tuple[str, Page]]:
    for number, name in enumerate(names):
        screen.play(HALL[name] | {"seq": 100 + number})
        yield f"{kind}-{name}", screen.page
    if names != IN_EACH_LANGUAGE:
        screen.lose_news()
        yield f"{kind}-lost", screen.page
    screen.page.context.close()


def _phone(screen: Screen, kind: str, names: tuple[str, ...]) -> Iterator[tuple[str, Page]]:
    screen.page.evaluate("localStorage.setItem('seat', JSON.stringify({ board: 'A8', side: 'moon' }))")
    screen.page.reload()
    screen.forget()
    for number, name in enumerate(names):
        screen.play(HALL[name] | {"seq": 100 + number})
        screen.pass_ms(120)
        yield f"{kind}-{name}", screen.page
    screen.page.context.close()


def _director_in_play(browser: Browser, stage: Stage) -> Page:
    """The director's page in Show as a laptop has it, in a round of a game of several hands."""
    screen = _open(browser, stage, (1366, 768), "/director")
    stage.actions = PAST
    forecast = {"earliest_ms": 600_000, "latest_ms": 1_500_000, "basis": "usual"}
    message = {"text": "Please take your seats", "until_ms": None}
    screen.play(pictures.picture(forecast=forecast, message=message, gained_ms={"moon": 15_000}))
    screen.pass_ms(100)
    screen.page.locator('[data-is="acts"] .act').nth(1).wait_for()
    return screen.page


def _moderator(browser: Browser, stage: Stage) -> Page:
    """In a robber phase, with a note that has not been read."""
    screen = _open(browser, stage, (1366, 768), "/moderator")
    stage.notes(pictures.note(1))
    screen.play(pictures.robber_phase())
    screen.page.locator(".note-text").wait_for()
    screen.pass_ms(100)
    return screen.page


def _director(browser: Browser, stage: Stage, kind: str, size: tuple[int, int]) -> Iterator[tuple[str, Page]]:
    screen = _open(browser, stage, size, "/director")
    page = screen.page
    stage.tables(*hall_of_tables.troubled_hall())
    page.locator(".map-summary li").first.wait_for(state="attached")
    screen.forget()
    screen.play(pictures.picture())
    screen.pass_ms(40)
    page.locator('[data-is="add5"]').click()
    page.locator(".entry.accepted").wait_for(state="attached")
    page.mouse.move(0, 0)
    page.evaluate("scrollTo(0, 0)")
    yield kind, page
    refusal = "A claim is still open: judge it, or resume in spite of it."
    stage.answers["resume"] = (409, {"accepted": False, "seq": 41, "reasons": [refusal]})
    screen.play(pictures.claims_pause(seq=42, saved_seq=42))
    screen.pass_ms(1_040)  # for a second the button that was Pause is deaf
    page.locator('[data-is="primary"]').click()
    page.locator(".entry.refused").wait_for(state="attached")
    page.get_by_role("button", name="Fill in the sheet").first.click()
    for what, times in {"Settlements": 2, "Cities": 4, "Victory-point cards": 1, "Grain": 3}.items():
        for _ in range(times):
            page.get_by_role("button", name=f"{what}: one more").click()
    page.get_by_role("button", name="Foreign, left").click()
    page.mouse.move(0, 0)
    page.evaluate("scrollTo(0, 0)")
    yield f"{kind}-claims", page
    screen.lose_news()
    yield f"{kind}-lost", page
    page.context.close()


def _virtual_hall(browser: Browser, stage: Stage) -> Iterator[tuple[str, Page]]:
    for kind, size in {"sim": LAPTOP, "sim-phone": PHONE}.items():
        screen = _open(browser, stage, size, "/sim")
        screen.play(pictures.picture())
        stage.panel(pictures.panel(sun=False, moon=True, buzzer=True, display=_display()))
        screen.page.locator(".lit").nth(1).wait_for()
        screen.pass_ms(40)
        yield kind, screen.page
        screen.page.context.close()


def _display() -> Json:
    """A local display as it looks in round 14."""
    image = draw_face(StatusFace(headline="Round 14 · Moon", big="31", footer="8 = 5 + 3", symbol="moon"))
    return {"width": 128, "height": 64, "bits": base64.b64encode(image.tobytes()).decode(), "on": True}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
