"""Every page in every state that has texts of its own, in a language and at a size: what cannot be read of it.

`python -m tests.browser.every_page [LANGUAGE …]` measures all languages, or these, and says what it has found.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from pi_controller.language.languages import NAMES
from tests import hall_of_tables as halls
from tests.browser import pictures
from tests.browser import selftests as tests
from tests.browser.screen import Screen, staged
from tests.browser.situations import HALL
from tests.browser.stage import Stage
from tests.browser.stage_files import ASKING, DONE, NO_BUTTON, SCREENS, WORKING
from tests.browser.tables import hall_of

SIZES = {"projector": (1920, 1080), "laptop": (1366, 768), "phone": (390, 844)}
MEASURE = (Path(__file__).parent / "geometry.js").read_text(encoding="utf-8")
DAMAGE = {"key": "bus.all_hear_damage", "params": {"segment": "A"}}
NOT_SAVED = {"key": "answer.disk_kept_it_waiting", "params": {"seconds": 5}}
ITEM = {"level": "warning", "text": "-"}
SPOKEN = {"captions": [{"key": "voice.claim", "params": {}}], "muted": None, "ducked": True}
BEGAN_NS = 1_000_000_000_000
NO_KEY = NO_BUTTON | {"usable": True}
PEDAL = NO_KEY | {"name": "PCsensor FootSwitch FS2007U1SW Keyboard", "key": 48}
AWAY = {"key": "button.usb_away", "params": {"device": PEDAL["name"]}}

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A page after `show` has put something on the stage and `do` was done on it."""

    name: str
    path: str
    ready: str
    show: Callable[[Stage], object] = lambda stage: stage
    do: Callable[[Page], object] = lambda page: page


def unfold(page: Page) -> None:
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")


def press(page: Page, selector: str, place: int = 0) -> None:
    page.locator(selector).nth(place).click()


def _told(picture: Json) -> Json:
    """With sentences of core in the page's language."""
    health = {
        "level": "warning",
        "messages": ["-", "-"],
        "items": [DAMAGE | ITEM, NOT_SAVED | ITEM],
        "lost": False,
    }
    allowed = picture["allowed"] | {
        name: {"reasons": ["-"], "keys": [NOT_SAVED], "override": False} for name in ("redo", "timer")
    }
    return picture | {"health": health, "allowed": allowed, "sound": SPOKEN}


def _hall(stage: Stage, picture: Json) -> None:
    roster, snapshot = halls.troubled_hall()
    stage.tables(roster, snapshot | {"doctor": ["-"] * 6, "doctor_keys": [DAMAGE, NOT_SAVED] * 3})
    stage.play(_told(picture))
    stage.panel(pictures.panel(moon=True, buzzer=True))
    stage.virtual(hall_of(12))
    stage.documents["button"] = PEDAL | {"sentence": "-", "sentence_key": AWAY}


def running(stage: Stage) -> None:
    _hall(stage, pictures.picture(claims=pictures.asked(1), as_of_ms=0, rate=0.001))


def noted(stage: Stage) -> None:
    running(stage)
    stage.notes(pictures.note(1, read_ms=pictures.NOTED_MS + 60_000, read_by="Ann"), pictures.note(2))


def watched(stage: Stage) -> None:
    running(stage)
    stage.show("/api/directing", pictures.directing(1))


def judged(stage: Stage) -> None:
    stage.answers["resume"] = (409, {"accepted": False, "reasons": ["-"], "reason_keys": [NOT_SAVED]})
    _hall(stage, pictures.claims_pause(seq=42, saved_seq=42, as_of_ms=0))


def before_the_start(stage: Stage) -> None:
    """Nothing stands against it; of some boards there is something to say."""
    roster, snapshot = halls.troubled_hall()
    stage.tables(roster, snapshot)
    stage.screens = SCREENS
    stage.play(pictures.ready(as_of_ms=0, rate=0, sound=SPOKEN))


def over(stage: Stage) -> None:
    _hall(stage, pictures.ended(as_of_ms=0, rate=0))


def _in_the_hall(picture: Json) -> Callable[[Stage], None]:
    def show(stage: Stage) -> None:
        running(stage)
        stage.play(picture | {"as_of_ms": 0, "rate": 0.001})

    return show


def _renewing(now: Json) -> Callable[[Stage], None]:
    """The tables get new firmware."""

    def show(stage: Stage) -> None:
        running(stage)
        stage.documents["firmware"] = now

    return show


def _selftest(snapshot: Json) -> Callable[[Stage], None]:
    def show(stage: Stage) -> None:
        running(stage)
        stage.documents["selftest/reports"] = tests.REPORTS
        stage.selftest(snapshot)

    return show


def _conduct(page: Page) -> None:
    press(page, '[data-is="add5"]')
    page.locator('[data-is="open-end"]').dispatch_event("click")
    page.locator('[data-is="end"]').dispatch_event("click")
    page.locator(".entry.accepted").wait_for(state="attached")


def _set_up(page: Page) -> None:
    press(page, '[data-is="mode-setup"]')
    page.locator(".map-board").first.wait_for()
    unfold(page)
    press(page, '[data-is="games-load"]')


def _set_up_alone(page: Page) -> None:
    press(page, '[data-is="mode-setup"]')
    page.locator('[data-is="halls-card"]').wait_for()


def _judge(page: Page) -> None:
    press(page, '[data-is="instead"]')
    page.locator(".entry.refused").wait_for(state="attached")
    press(page, '[data-is="judge"]')
    page.locator(".sheet").wait_for()


def _board(page: Page) -> None:
    press(page, '.map-board[data-board="A11"]')
    unfold(page)
    press(page, ".details details .row button", 4)
    press(page, ".roster-card .row > button")
    page.locator('[data-is="roster-form"]').wait_for()


def _held(stage: Stage) -> None:
    running(stage)
    stage.documents["button"] = NO_KEY | {"choosing": True}
    stage.hardware({"held": True, "settings": tests.FITTED})


def _probe(page: Page) -> None:
    press(page, ".hold .row button")
    page.locator('body[data-state="held"]').wait_for()
    unfold(page)


def _busy(stage: Stage) -> None:
    running(stage)
    stage.documents["button"] = NO_KEY
    stage.hardware({"held": False, "reasons": ["-"], "reason_keys": [NOT_SAVED]})


def _refused(page: Page) -> None:
    press(page, ".hold .row button")
    page.locator('body[data-state="refused"]').wait_for()


def _names(page: Page) -> None:
    press(page, ".answers button", 1)
    page.locator(".names").wait_for()


def _skip(page: Page) -> None:
    press(page, ".second button", 1)
    page.locator(".why-skip").wait_for()


def _bench(page: Page) -> None:
    press(page, 'input[value="bench"]')
    unfold(page)


def _seat(page: Page) -> None:
    press(page, '[data-is="own-seat"]')


def _to_moderator(page: Page) -> None:
    page.locator('[data-is="say-for"]').select_option("moderator")


CLOCK = '[data-is="clock"]'
SELFTEST = "/technician/selftest"
STANDING = "body[data-standing]"
NAMED = tests.question("OLD-11", picture="display", names=["panel", "A1-sun", "A1-moon", "A12-sun"])
WALK = {"row": "A", "next_board": "A7", "done": [f"A{number}" for number in range(1, 7)]}
EMPTY = ({"version": 1, "rows": []}, halls.snapshot([]))


def walking() -> tuple[Json, Json]:
    """A hall whose row A is being walked."""
    roster, snapshot = halls.troubled_hall()
    return roster, snapshot | {"enrolment": WALK}


OTHER_HALLS = {
    "link lost": pictures.link_lost(),
    "stopped here": pictures.link_lost(stopped=True, waiting=2),
    "no leading hall": pictures.no_leader(),
    "two that lead": pictures.leads_not(),
}

STATES = (
    State(name="director", path="/director", ready=".live-seen", show=running, do=_conduct),
    State(name="director setup", path="/director", ready=".live-seen", show=running, do=_set_up),
    State(
        name="director watching",
        path="/director",
        ready='[data-is="take-over"]',
        show=watched,
        do=lambda page: press(page, '[data-is="take-over"]'),
    ),
    State(name="director before the start", path="/director", ready=".ready-card", show=before_the_start),
    State(name="director judging", path="/director", ready=".claim", show=judged, do=_judge),
    State(name="director over", path="/director", ready=".live-seen", show=over, do=unfold),
    State(name="director without news", path="/director", ready=".live-cover"),
    State(name="director, note", path="/director", ready=".live-seen", show=noted, do=_to_moderator),
    State(name="moderator with notes", path="/moderator", ready=CLOCK, show=noted),
    State(name="moderator, claims", path="/moderator", ready=CLOCK, show=judged),
    State(name="moderator, over", path="/moderator", ready=CLOCK, show=over),
    State(name="moderator without news", path="/moderator", ready=".cover"),
    State(name="technician", path="/technician", ready=".map-board", show=running, do=_board),
    *(
        State(
            name=f"technician, firmware {now['state']}",
            path="/technician",
            ready=".firmware-card",
            show=_renewing(now),
        )
        for now in (ASKING, WORKING, DONE)
    ),
    State(
        name="technician, no boards",
        path="/technician",
        ready='[data-is="no-roster"]',
        show=lambda stage: stage.tables(*EMPTY),
    ),
    State(
        name="technician walking",
        path="/technician",
        ready=".walk-board",
        show=lambda stage: stage.tables(*walking()),
    ),
    State(name="self-test, begin", path=SELFTEST, ready=STANDING, show=_selftest(tests.IDLE), do=_bench),
    State(
        name="self-test asking",
        path=SELFTEST,
        ready=".question-text",
        show=_selftest(tests.running(question=tests.question(), results=tests.RESULTS[:3])),
        do=_skip,
    ),
    State(
        name="self-test, presses",
        path=SELFTEST,
        ready=".question-text",
        show=_selftest(tests.presses(7)),
    ),
    State(
        name="self-test, names",
        path=SELFTEST,
        ready=".question-text",
        show=_selftest(tests.running(question=NAMED)),
        do=_names,
    ),
    State(
        name="self-test walking",
        path=SELFTEST,
        ready=".walk-map",
        show=_selftest(tests.walk({"A": (6, 5), "B": (3, 3)}, notes={"A3": "-"})),
        do=lambda page: press(page, '[data-is="walk-done"]'),
    ),
    State(name="self-test over", path=SELFTEST, ready=".result", show=_selftest(tests.ended()), do=unfold),
    State(name="self-test refused", path=SELFTEST, ready=STANDING, show=_selftest(tests.refused("-"))),
    State(name="hardware test, begin", path="/technician/hardware", ready=".hold", show=running),
    State(name="hardware test", path="/technician/hardware", ready=".hold", show=_held, do=_probe),
    State(name="hardware test refused", path="/technician/hardware", ready=".hold", show=_busy, do=_refused),
    State(name="virtual hall", path="/sim", ready=".vt-card", show=running, do=unfold),
    State(
        name="virtual table",
        path="/sim",
        ready=".vt-card",
        show=running,
        do=lambda page: press(page, ".vt-name"),
    ),
    State(name="phone", path="/phone", ready='[data-is="digits"]', show=running, do=_seat),
    State(name="phone, over", path="/phone", ready='[data-is="winners"]', show=over),
    *(
        State(name=f"{page}, {name}", path=path, ready=ready, show=_in_the_hall(picture))
        for page, path, ready in (
            ("director", "/director", '[data-is="link"] > :not([hidden])'),
            ("phone", "/phone", "main"),
            ("moderator", "/moderator", '[data-is="link-line"]:not([hidden])'),
            ("judge", "/judge", ".link-line:not([hidden])"),
            ("technician", "/technician", ".map-board"),
        )
        for name, picture in OTHER_HALLS.items()
    ),
    State(
        name="director, halls",
        path="/director",
        ready=".live-seen",
        show=_in_the_hall(pictures.leading()),
        do=_set_up_alone,
    ),
    State(
        name="director of a follower, setup",
        path="/director",
        ready='[data-is="directed"]',
        show=_in_the_hall(pictures.following()),
        do=_set_up_alone,
    ),
    State(name="log-in", path="/login", ready='[data-is="form"]'),
    State(name="log-in by link", path="/login?token=abc", ready='[data-is="link-form"]'),
)


def found(browser: Browser, stage: Stage, language: str, *, every: int = 1) -> Iterator[str]:
    """What cannot be read in this language, one sentence each; of the staff's pages in every so many-th state."""
    yield from _on_hall_screen(browser, stage, language, sample=every > 1)
    for state in STATES[::every]:
        yield from _in_state(browser, stage, language, state)


def _on_hall_screen(browser: Browser, stage: Stage, language: str, *, sample: bool) -> Iterator[str]:
    """In all its scenes, as a sample at one size each."""
    for place, (kind, (width, height)) in enumerate(SIZES.items()):
        stage.clear()
        context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
        screen = Screen(context.new_page(), stage)
        screen.open(f"/?lang={language}")
        _fonts(screen.page)
        scenes = [*HALL.items()][place :: len(SIZES)] if sample else HALL.items()
        for number, (name, picture) in enumerate(scenes):
            told = picture | {"seq": 100 + number}
            if told["health"]["level"] == "fault":
                told["health"] = told["health"] | {"items": [NOT_SAVED | ITEM]}
            screen.play(told)
            yield from _measured(screen.page, f"hall screen, {name}, {kind}")
        screen.lose_news()
        yield from _measured(screen.page, f"hall screen, lost, {kind}")
        yield from (f"console: {complaint}" for complaint in screen.complaints)
        context.close()


def _in_state(browser: Browser, stage: Stage, language: str, state: State) -> Iterator[str]:
    stage.clear()
    state.show(stage)
    width, height = SIZES["laptop"]
    context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{stage.address}{state.path}{'&' if '?' in state.path else '?'}lang={language}")
    page.locator(state.ready).first.wait_for()
    state.do(page)
    page.mouse.move(0, 0)
    _fonts(page)
    for kind, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        yield from _measured(page, f"{state.name}, {kind}")
    yield from (f"console: {complaint}" for complaint in complaints)
    context.close()


def _fonts(page: Page) -> None:
    page.evaluate("document.fonts.ready.then(() => true)")


def _measured(page: Page, where: str) -> Iterator[str]:
    yield from (f"{where}: {problem}" for problem in page.evaluate(MEASURE))


def main(languages: list[str]) -> int:
    count = 0
    with staged() as (browser, stage):
        for language in languages:
            for problem in found(browser, stage, language):
                count += 1
                print(f"{language}: {problem}", flush=True)
    print(f"{count} found in {', '.join(languages)}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(NAMES)))
