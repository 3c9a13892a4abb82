"""Every page in every state, light and dark, at three sizes, before axe-core; and the contrast of all its texts.

`python -m tests.browser.accessible [PART …]` looks at all of it, or at the states whose names have this in them.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, FilePayload, Page

from tests.browser import every_page, pictures
from tests.browser.classic_pictures import CLASSIC
from tests.browser.every_page import SIZES, State
from tests.browser.reports import reported
from tests.browser.screen import staged
from tests.browser.situations import HALL
from tests.browser.stage import Stage
from tests.browser.test_replay import DOCUMENTS as REPLAYED
from tests.browser.test_verify_page import GAME
from tests.journal.exports import built

ROOT = Path(__file__).parents[2]
AXE = ROOT / ".cache" / "browser" / "node_modules" / "axe-core" / "axe.min.js"
CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")
LEAST = {
    "strong": ".digits, .exact, .timer-digits, .token, .target-number, .countin-digit, [data-is=left],"
    " [data-is=clock], .clock-digits",
    "drawn": {".target-hex": ".hex"},
}
"""Selectors: the clock and the number, which need 7:1; texts over a drawing, and that drawing."""
THEMES = ("dark", "light")
BEAT_S = 0.5
PHASES = {
    "ready": pictures.ready(),
    "3-2-1": pictures.count_in(),
    "round": pictures.sun_round(),
    "last seconds": HALL["last-seconds"],
    "robber": pictures.robber_phase(),
    "paused": pictures.paused("button"),
    "claims": pictures.claims_pause(),
    "collecting": pictures.collecting(),
    "ended": pictures.ended(),
}
"""What the pages of who conducts, and of the virtual hall, show of a game."""
RUN_AXE = """
async () => (await axe.run(document, { resultTypes: ['violations'] })).violations.flatMap(({ id, nodes }) =>
  nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary.split('\\n').slice(1, 2).join('').trim()}`))
"""

MOVING = """
() => document.getAnimations().filter(({ playState, effect }) => playState === 'running' && effect.getComputedTiming().duration > 0)
  .map(({ animationName, transitionProperty, effect }) => `${animationName ?? transitionProperty} of ${effect.target.className}`)
"""

Json = dict[str, Any]


def _still(picture: Json) -> Json:
    """So that it does not change while it is looked at."""
    return picture | {"as_of_ms": 0, "rate": 0.0001}


def _playing(picture: Json) -> Callable[[Stage], None]:
    def show(stage: Stage) -> None:
        every_page.running(stage)
        stage.play(_still(picture))

    return show


def _judging(picture: Json) -> Callable[[Stage], None]:
    def show(stage: Stage) -> None:
        _playing(picture)(stage)
        stage.sheets()

    return show


def _open_sheet(page: Page) -> None:
    page.locator(".queue button").first.click()
    page.locator(".sheet-foot").wait_for()


def _past(stage: Stage) -> None:
    stage.documents |= REPLAYED | {"games/g1/report.json": reported()}


def _by_staff(stage: Stage) -> None:
    _past(stage)
    stage.director = True


def _verify(page: Page, *, spoiled: bytes = b"") -> None:
    content = b"".join(built(GAME)) + spoiled
    page.set_input_files(
        "[data-is=files]", FilePayload(name="g.jsonl", mimeType="text/plain", buffer=content)
    )
    page.locator("article[data-verdict]").wait_for()
    every_page.unfold(page)


def _refute(page: Page) -> None:
    _verify(page, spoiled=b"{}\n")


STATES = (
    *(
        State(name=f"hall screen, {name}", path="/", ready="body", show=_playing(picture))
        for name, picture in HALL.items()
    ),
    State(name="hall screen, lost", path="/", ready=".cover h1"),
    *(
        State(name=f"{page}, {name}", path=path, ready=ready, show=_playing(picture))
        for page, path, ready in (
            ("director", "/director", ".live-seen"),
            ("moderator", "/moderator", '[data-is="clock"]'),
            ("virtual hall", "/sim", ".vt-card"),
            ("phone", "/phone", '[data-is="clock"]'),
            ("overlay", "/overlay", "body[data-scene]"),
        )
        for name, picture in PHASES.items()
    ),
    *(
        State(name=f"{page} of one table, {name}", path=path, ready=ready, show=_playing(picture))
        for page, path, ready in (
            ("hall screen", "/", "body"),
            ("director", "/director", ".live-seen"),
            ("setup", "/director#setup", ".live-seen"),
            ("phone", "/phone", '[data-is="clock"]'),
        )
        for name, picture in CLASSIC.items()
    ),
    *(
        State(name=f"judge, {name}", path="/judge", ready="body[data-state=fresh]", show=_judging(picture))
        for name, picture in PHASES.items()
    ),
    State(
        name="judge, sheet",
        path="/judge",
        ready=".queue button",
        show=_judging(pictures.claims_pause()),
        do=_open_sheet,
    ),
    *(
        State(name=f"{page}, lost", path=path, ready=ready)
        for page, path, ready in (
            ("phone", "/phone", ".cover"),
            ("overlay", "/overlay", ".cover h1"),
            ("director", "/director", '[data-is="lost-why"]'),
            ("moderator", "/moderator", "body:not([data-state=fresh]) main"),
            ("judge", "/judge", "body:not([data-state=fresh]) main"),
            ("virtual hall", "/sim", "body:not([data-state=fresh]) main"),
            ("technician", "/technician", '[data-open="false"] main'),
            ("hardware test", "/technician/hardware", "main > .card"),
        )
    ),
    State(name="report", path="/report/g1", ready=".short", show=_past),
    State(name="report, staff", path="/report/g1", ready='[data-is="report-other-names"]', show=_by_staff),
    State(name="report, not there", path="/report/g1", ready=".making"),
    State(name="replay", path="/replay/g1", ready='[data-is="replay-moment"]', show=_past),
    State(name="verify", path="/verify.html", ready="h1"),
    State(name="verify, proved", path="/verify.html", ready="h1", do=_verify),
    State(name="verify, refused", path="/verify.html", ready="h1", do=_refute),
    *every_page.STATES,
)


@contextmanager
def beating(stage: Stage) -> Iterator[None]:
    """The controller stays alive meanwhile: a beat of the picture twice a second."""
    over = threading.Event()
    began = time.monotonic()

    def beat() -> None:
        while not over.wait(BEAT_S):
            if stage.has_picture:
                stage.beat(round((time.monotonic() - began) * 1000))

    thread = threading.Thread(target=beat, name="beats")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def found(browser: Browser, stage: Stage, state: State, theme: str, sizes: tuple[str, ...]) -> Iterator[str]:
    """What is wrong with this state, one sentence each."""
    stage.clear()
    state.show(stage)
    width, height = SIZES[sizes[0]]
    context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
    context.add_init_script(f"localStorage.setItem('theme', '{theme}')")
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    with beating(stage):
        page.goto(stage.address + state.path)
        page.locator(state.ready).first.wait_for()
        state.do(page)
        page.mouse.move(0, 0)
        page.evaluate("document.fonts.ready.then(() => true)")
        page.evaluate(AXE.read_text(encoding="utf-8"))
        for kind in sizes:
            page.set_viewport_size(dict(zip(("width", "height"), SIZES[kind], strict=True)))  # type: ignore[arg-type]
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            where = f"{state.name}, {theme}, {kind}"
            yield from (f"{where}: {problem}" for problem in problems(page))
    yield from (f"{state.name}: {complaint}" for complaint in complaints)
    context.close()


def problems(page: Page) -> Iterator[str]:
    yield from page.evaluate(RUN_AXE)
    yield from (f"contrast: {weak}" for weak in page.evaluate(CONTRAST, LEAST))
    yield from (f"moves though less motion is asked for: {each}" for each in page.evaluate(MOVING))


def main(parts: list[str]) -> int:
    count, looks = 0, 0
    states = [state for state in STATES if not parts or any(part in state.name for part in parts)]
    with staged() as (browser, stage):
        for state, theme in product(states, THEMES):
            looks += len(SIZES)
            for problem in found(browser, stage, state, theme, tuple(SIZES)):
                count += 1
                print(problem, flush=True)
    print(f"{count} found in {looks} looks at {len(states)} states")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
