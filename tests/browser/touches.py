"""How many touches the commonest tasks of an evening take, counted in the browser: `python -m tests.browser.touches FILE`
writes its tables. A touch is a press of finger or mouse, or a text that is typed into one field."""

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from pi_controller.web.http.addresses import outward_address
from tests.browser import pictures
from tests.browser.acts import PAUSED, READY, ROUND, Act, button, fill, instead, press, reveal
from tests.browser.evening import MOST, evening
from tests.browser.pictures import PAST
from tests.browser.screen import Screen, staged
from tests.browser.test_encrypted import free_ports

SIZES = {"laptop": (1366, 768), "phone": (390, 844)}
LISTENS_MS = 620
"""For so long after its label has changed the main action is deaf, if it is not Pause."""
WATCH = """
addEventListener('pointerdown', (event) => { if (event.isTrusted) window.pressed = (window.pressed ?? 0) + 1; }, true);
addEventListener('scroll', () => { window.scrolled = (window.scrolled ?? 0) + 1; }, true);
"""


@dataclass(frozen=True, slots=True)
class Task:
    """What somebody wants (`what`), in which picture, by which acts; `posts` commands come of it. What has to be
    opened for that is a touch, too. `most` is the limit, None: none is set."""

    what: str
    picture: dict[str, Any]
    acts: tuple[Act, ...]
    most: int | None = None
    posts: int = 1


def claims(number: int) -> dict[str, Any]:
    """Paused with one open claim of its own."""
    return pictures.paused("claim", claims=[pictures.claim(number, "A7", "moon")])


def step_back(page: Page) -> None:
    reveal(page, page.locator('[data-is="acts"] .act:not(.gone)').nth(2).locator("button")).click()


SHEET = (
    press("primary"),
    *[button("Cities: one more")] * 4,
    *(button(name) for name in ("Foreign, left", "Foreign, right", "Largest army", "Longest trade route")),
    press("primary"),
)
ENTERED = (press("enter-claim"), fill(claim_board="B3"), button("Moon"), press("claim-go"))
SAID = pictures.picture(message={"text": "Hello", "until_ms": None})

TASKS = (
    Task("Pause", ROUND, (press("primary"),), most=1),
    Task("Resume", PAUSED, (press("primary"),), most=1),
    Task("Start", READY, (press("primary"),)),
    Task("Give a round 15 s more", ROUND, (press("add15"),)),
    Task("Take 5 s away", ROUND, (press("sub5"),)),
    Task("End the phase", ROUND, (press("skip"),)),
    Task("Undo by name", ROUND, (press("undo"),), most=1),
    Task("Redo", ROUND, (press("redo"),)),
    Task("Undo with something else instead", ROUND,
         (press("open-replace"), instead("−15 s"), press("replace-go")), most=4),
    Task("Undo three actions", ROUND, (step_back, press("undo-steps")), posts=3),
    Task("Reject a claim", claims(21), (button("Reject"),), most=2),
    Task("Confirm a claim checked at the table", claims(22),
         (press("primary"), button("Checked at the table: board A7, Moon wins"))),
    Task("Confirm a claim with a full sheet", claims(23), SHEET, most=14),
    Task("Enter a claim that was called", ROUND, ENTERED),
    Task("Show a prepared message", ROUND, (button("Short break"),), most=2),
    Task("Show a message of one's own", ROUND, (fill(say_text="Hello"), press("say"))),
    Task("Take a message away", SAID, (press("unsay"),)),
    Task("Start a break timer in a pause", PAUSED, (button("Break"),)),
    Task("Announce the last three rounds", ROUND, (press("last-go"),)),
    Task("End the game", ROUND, (press("end"), press("end-now"))),
)  # fmt: skip


def measured(screen: Screen, size: str) -> Iterator[tuple[Task, int]]:
    """Each task with its touches on a page of this size; AssertionError when the page had to be scrolled."""
    screen.page.add_init_script(WATCH)
    screen.stage.actions = PAST | {"undone": [PAST["actions"][0]]}
    screen.stage.answers["undo"] = (200, {"accepted": True, "seq": 77, "reasons": []})
    page = screen.open("/director")
    sent, core_ms = 0, 1_000_000
    for number, task in enumerate(TASKS):
        page.evaluate("localStorage.removeItem('rail')")  # what another task has unfolded
        screen.play(task.picture | {"seq": 100 + number, "as_of_ms": core_ms, "as_of_us": core_ms * 1_000})
        screen.pass_ms(1_100)
        core_ms += 1_100
        page.evaluate("[window.pressed, window.scrolled] = [0, 0]")
        for act in task.acts:
            act(page)
            core_ms += LISTENS_MS
            screen.pass_ms(LISTENS_MS)
            screen.beat(core_ms)
        sent += task.posts
        screen.stage.wait_for_posts(sent)
        pressed, scrolled = page.evaluate("[window.pressed, window.scrolled]")
        assert scrolled == 0, f"{task.what}: scrolled on a {size}"
        typed = sum("fill" in act.__qualname__ for act in task.acts)
        page.keyboard.press("Escape")
        yield task, pressed + typed


def rows(found: dict[str, list[tuple[Task, int]]]) -> str:
    """The table of the documents."""
    lines = [
        f"| {task.what} | {count} | {phone} | {task.most or ''} |"
        for (task, count), (_, phone) in zip(found["laptop"], found["phone"], strict=True)
    ]
    return "\n".join(["| Task | Laptop | Phone | At most |", "|---|---|---|---|", *lines]) + "\n"


def first_evening(counted: Iterable[tuple[str, int]]) -> str:
    """The table of a first evening."""
    lines = [f"| {what} | {count} | {MOST[what]} |" for what, count in counted]
    return "\n".join(["| Task | Touches | At most |", "|---|---|---|", *lines]) + "\n"


def main(path: Path) -> None:
    if outward_address() is None:
        sys.exit(
            "This machine is in no network: join one, so that phones of a first evening reach its pages."
        )
    found = {}
    with staged() as (browser, stage):
        for size, (width, height) in SIZES.items():
            stage.clear()
            context = browser.new_context(viewport={"width": width, "height": height})
            found[size] = list(measured(Screen(context.new_page(), stage), size))
        [port] = free_ports(1)
        tables = iter((rows(found), first_evening(evening(browser, port))))
        text = re.sub(r"(?m)(?:^\|.*\n)+", lambda _: next(tables), path.read_text(encoding="utf-8"))
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
