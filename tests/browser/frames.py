"""Long frames of the hall screen in real time with Chromium's processor throttled six times:
`python -m tests.browser.frames [SECONDS]`."""

import shutil
import sys
from collections.abc import Iterator
from itertools import count, cycle
from typing import Any

from playwright.sync_api import sync_playwright

from tests.browser import pictures
from tests.browser.screen import CHROMIUM, Screen, launch
from tests.browser.stage import Stage

THROTTLED = 6
LONG_MS = 50
PHASE_MS = 6_000
WATCH = """
() => {
  window.longFrames = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration, blockingDuration } of list.getEntries()) longFrames.push({ startTime, duration, blockingDuration });
  }).observe({ type: 'long-animation-frame', buffered: false });
}
"""


def long_frames(screen: Screen, *, seconds: float) -> list[dict[str, Any]]:
    """Frames of more than 50 ms while rounds, a robber phase and a pause follow each other, a beat every second.
    The first phases, in which everything is drawn for the first time, do not count."""
    page = screen.open("/", still=False)
    numbers, phases = count(1), _phases()
    for _ in range(4):
        screen.play(_of_now(next(phases), next(numbers)))
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": THROTTLED})
    page.wait_for_timeout(1_000)
    page.evaluate(WATCH)
    for _ in range(round(seconds * 1_000 / PHASE_MS)):
        screen.play(_of_now(next(phases), next(numbers)))
        for _ in range(PHASE_MS // 1_000 - 1):
            page.wait_for_timeout(1_000)
            screen.stage.beat(pictures.now_ms())
        page.wait_for_timeout(1_000)
    found: list[dict[str, Any]] = page.evaluate("longFrames")
    return [frame for frame in found if frame["duration"] > LONG_MS]


def _phases() -> Iterator[dict[str, Any]]:
    return cycle(
        [
            pictures.picture(remaining_ms=PHASE_MS),
            pictures.sun_round(remaining_ms=PHASE_MS),
            pictures.robber_phase(remaining_ms=PHASE_MS),
            pictures.claims_pause(),
        ]
    )


def _of_now(picture: dict[str, Any], number: int) -> dict[str, Any]:
    return picture | {"seq": number, "saved_seq": number, "as_of_ms": pictures.now_ms()}


def main(seconds: float) -> int:
    stage = Stage()
    try:
        with sync_playwright() as playwright:
            browser = launch(playwright, shutil.which(CHROMIUM) or CHROMIUM)
            page = browser.new_page(viewport={"width": 1920, "height": 1080})
            found = long_frames(Screen(page, stage), seconds=seconds)
            browser.close()
    finally:
        stage.close()
    longest = max((frame["duration"] for frame in found), default=0.0)
    print(f"{seconds:.0f} s of play, processor throttled {THROTTLED} times: {len(found)} frames of more than "
          f"{LONG_MS} ms, the longest {longest:.0f} ms")  # fmt: skip
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 300.0))
