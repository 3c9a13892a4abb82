"""The pictures of the base game at one table."""

from collections.abc import Iterator

from playwright.sync_api import Browser, Page

from tests.browser.classic_pictures import CLASSIC
from tests.browser.screen import Screen
from tests.browser.stage import Stage

SHOTS = (
    ("classic-hall", "/", (1920, 1080), ("ready-six", "founding", "turn", "seven", "building", "ended")),
    ("classic-hall-small", "/", (1366, 768), ("to-roll", "turn-six")),
    ("classic-phone", "/phone", (390, 844), ("to-roll", "seven")),
    ("classic-director", "/director", (1366, 768), ("turn",)),
    ("classic-setup", "/director#setup", (1366, 768), ("ready-six",)),
    ("classic-setup-phone", "/director#setup", (390, 844), ("ready-six",)),
)


def classic_shots(browser: Browser, stage: Stage) -> Iterator[tuple[str, Page]]:
    for kind, path, (width, height), names in SHOTS:
        stage.clear()
        context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
        screen = Screen(context.new_page(), stage)
        screen.open(path)
        for number, name in enumerate(names):
            screen.play(CLASSIC[name] | {"seq": 100 + number})
            screen.pass_ms(120)
            yield f"{kind}-{name}", screen.page
        context.close()
