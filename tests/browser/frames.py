"""Long frames of the hall screen in real time with Chromium's processor throttled six times:
`python -m tests.browser.frames [SECONDS]`.

Beside them stands the floor: the same of an empty page on which one element moves."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import pictures
from tests.browser.played_hall import LOST, phases
from tests.browser.screen import CHROMIUM, Screen, launch
from tests.browser.stage import Stage
from tests.browser.traces import CATEGORIES, Span, Trace, read

THROTTLED = 6
LONG_MS = 50
PHASE_S = 6
PHASES = 24
"""Of one game; a trace each, so that none fills its buffer."""
SIZE = {"width": 1920, "height": 1080}
MOVING = """
<!doctype html><body style="margin:0;background:#000"><i style="position:fixed;width:100px;height:100px;background:#fff"></i><script>
const moved = document.querySelector('i');
let at = 0;
function frame() {
  moved.style.transform = `translateX(${at = (at + 1) % 600}px)`;
  setTimeout(() => requestAnimationFrame(frame), 20);
}
frame();
</script>
"""


@dataclass(frozen=True)
class Played:
    """A trace, and when which phase began."""

    trace: Trace
    begun_us: Sequence[tuple[int, str]]
    browser_s: float
    """Of the processor, all processes and threads of the browser: those that draw take none of the page's."""

    def phase_at(self, at_us: int) -> str:
        return next((name for begun_us, name in reversed(self.begun_us) if begun_us <= at_us), "before")


def played(browser: Browser, screen: Screen, *, seconds: float) -> Iterator[Played]:
    """Phases of six seconds each, a beat every second. The first game, in which everything is drawn for the first time,
    goes by quickly and does not count."""
    page, game = screen.open("/", still=False), phases()
    for _ in range(PHASES):
        screen.play(next(game)[1])
        page.wait_for_timeout(100)
    throttle(page)
    left = round(seconds / PHASE_S)
    while left > 0:
        before_s = processor_s(browser)
        browser.start_tracing(page=page, categories=CATEGORIES)
        begun = [_phase(screen, *next(game)) for _ in range(min(PHASES, left))]
        left -= PHASES
        spent_s = processor_s(browser) - before_s
        yield Played(read(browser.stop_tracing()), begun, spent_s)


def _phase(screen: Screen, name: str, picture: pictures.Json) -> tuple[int, str]:
    begun_us = pictures.now_ms() * 1_000
    screen.play(picture | {"as_of_ms": pictures.now_ms()})
    for second in range(PHASE_S):
        if second > 0 and name != LOST:
            screen.stage.beat(pictures.now_ms())
        screen.page.wait_for_timeout(1_000)
    return begun_us, name


def throttle(page: Page) -> None:
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": THROTTLED})
    page.wait_for_timeout(1_000)


def processor_s(browser: Browser) -> float:
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return float(sum(process["cpuTime"] for process in processes))


def floor(browser: Browser, *, seconds: float) -> Played:
    page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
    page.set_content(MOVING)
    throttle(page)
    before_s = processor_s(browser)
    browser.start_tracing(page=page, categories=CATEGORIES)
    page.wait_for_timeout(seconds * 1_000)
    spent_s = processor_s(browser) - before_s
    found = read(browser.stop_tracing())
    page.close()
    return Played(found, [], spent_s)


def long(spans: Sequence[Span]) -> tuple[int, int]:
    """How many take longer, on the wall and of the processor."""
    return sum(one.wall_ms > LONG_MS for one in spans), sum(one.processor_ms > LONG_MS for one in spans)


def line(name: str, games: Sequence[Played], seconds: float) -> str:
    frames = [frame for game in games for frame in game.trace.frames]
    tasks = [task for game in games for task in game.trace.tasks]
    (wall, processor), (_, long_tasks) = long(frames), long(tasks)
    longest = max((frame.processor_ms for frame in frames), default=0.0)
    longest_wall = max((frame.wall_ms for frame in frames), default=0.0)
    page_s = sum(task.processor_ms for task in tasks) / 1_000
    others_s = sum(game.browser_s for game in games) - page_s
    return (f"{name}: {len(frames)} frames, of more than {LONG_MS} ms of processor time {processor} (longest {longest:.0f} ms), on "
            f"the wall {wall} (longest {longest_wall:.0f} ms); {long_tasks} such tasks; of a processor the page takes "
            f"{page_s / seconds:.0%}, the rest of the browser {others_s / seconds:.0%}")  # fmt: skip


def report(games: Sequence[Played], empty: Played, *, seconds: float, floor_s: float) -> int:
    """Says what was found; 1 when a frame or a task of the page takes too much of the processor."""
    print(f"{seconds:.0f} s of play, processor throttled {THROTTLED} times")
    print(line("hall screen", games, seconds))
    print(line("floor", [empty], floor_s))
    longest: dict[str, float] = {}
    for game in games:
        for frame in game.trace.frames:
            phase = game.phase_at(frame.at_us)
            longest[phase] = max(frame.processor_ms, longest.get(phase, 0.0))
    print(
        "longest of processor time by phase:", ", ".join(f"{name} {ms:.0f}" for name, ms in longest.items())
    )
    spans = [span for game in games for span in (*game.trace.frames, *game.trace.tasks)]
    return int(long(spans)[1] > 0)


def main(seconds: float) -> int:
    stage = Stage()
    floor_s = min(30.0, seconds)
    try:
        with sync_playwright() as playwright:
            browser = launch(playwright, shutil.which(CHROMIUM) or CHROMIUM)
            empty = floor(browser, seconds=floor_s)
            page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
            games = list(played(browser, Screen(page, stage), seconds=seconds))
            browser.close()
    finally:
        stage.close()
    return report(games, empty, seconds=seconds, floor_s=floor_s)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 300.0))
