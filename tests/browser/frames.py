"""Long frames of the hall screen in real time with Chromium's processor throttled six times:
`python -m tests.browser.frames [SECONDS] [RATE]`.

Beside them stands the floor: the same of an empty page on which one element moves. The throttle itself counts on the wall: what
other programs take from the page it takes five times again. So on a busy machine the rate 1 tells more: nothing is throttled,
and the processor time that was found is told six times as long."""

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


def played(browser: Browser, screen: Screen, *, seconds: float, rate: int) -> Iterator[Played]:
    """Phases of six seconds each, a beat every second. The first game, in which everything is drawn for the first time,
    goes by quickly and does not count."""
    page, game = screen.open("/", still=False), phases()
    for _ in range(PHASES):
        screen.play(next(game)[1])
        page.wait_for_timeout(100)
    throttle(page, rate)
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


def throttle(page: Page, rate: int) -> None:
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})
    page.wait_for_timeout(1_000)


def processor_s(browser: Browser) -> float:
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return float(sum(process["cpuTime"] for process in processes))


def floor(browser: Browser, *, seconds: float, rate: int) -> Played:
    page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
    page.set_content(MOVING)
    throttle(page, rate)
    before_s = processor_s(browser)
    browser.start_tracing(page=page, categories=CATEGORIES)
    page.wait_for_timeout(seconds * 1_000)
    spent_s = processor_s(browser) - before_s
    found = read(browser.stop_tracing())
    page.close()
    return Played(found, [], spent_s)


def line(name: str, games: Sequence[Played], *, seconds: float, rate: int) -> str:
    frames = [frame for game in games for frame in game.trace.frames]
    tasks = [task for game in games for task in game.trace.tasks]
    processor, wall = throttled(frames, rate), [frame.wall_ms for frame in frames]
    page_s = sum(task.processor_ms for task in tasks) / 1_000
    others_s = sum(game.browser_s for game in games) - page_s
    return (f"{name}: {len(frames)} frames, of more than {LONG_MS} ms of processor time {long(processor)} (longest {max(processor):.0f} ms), "
            f"on the wall {long(wall)} (longest {max(wall):.0f} ms); {long(throttled(tasks, rate))} such tasks; of a processor the "
            f"page takes {page_s / seconds:.0%}, the rest of the browser {others_s / seconds:.0%}")  # fmt: skip


def throttled(spans: Sequence[Span], rate: int) -> list[float]:
    """The milliseconds of processor that they take at the full throttle."""
    return [span.processor_ms * THROTTLED / rate for span in spans]


def long(times_ms: Sequence[float]) -> int:
    return sum(ms > LONG_MS for ms in times_ms)


def report(games: Sequence[Played], empty: Played, *, seconds: float, floor_s: float, rate: int) -> int:
    """Says what was found; 1 when a frame or a task of the page takes too much of the processor."""
    print(
        f"{seconds:.0f} s of play, processor throttled {rate} times, its time told as throttled {THROTTLED} times"
    )
    print(line("hall screen", games, seconds=seconds, rate=rate))
    print(line("floor", [empty], seconds=floor_s, rate=rate))
    longest: dict[str, float] = {}
    for game in games:
        for frame, ms in zip(game.trace.frames, throttled(game.trace.frames, rate), strict=True):
            phase = game.phase_at(frame.at_us)
            longest[phase] = max(ms, longest.get(phase, 0.0))
    print(
        "longest of processor time by phase:", ", ".join(f"{name} {ms:.0f}" for name, ms in longest.items())
    )
    spans = [span for game in games for span in (*game.trace.frames, *game.trace.tasks)]
    return int(long(throttled(spans, rate)) > 0)


def main(seconds: float = 300.0, rate: float = THROTTLED) -> int:
    stage = Stage()
    floor_s = min(30.0, seconds)
    try:
        with sync_playwright() as playwright:
            browser = launch(playwright, shutil.which(CHROMIUM) or CHROMIUM)
            empty = floor(browser, seconds=floor_s, rate=int(rate))
            page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
            games = list(played(browser, Screen(page, stage), seconds=seconds, rate=int(rate)))
            browser.close()
    finally:
        stage.close()
    return report(games, empty, seconds=seconds, floor_s=floor_s, rate=int(rate))


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:])))
