"""How soon the covers of screens come when their news stop and go when they return, in real time:
`python -m tests.browser.covers [SCREENS] [TIMES]`.

Each screen is a page of its own with a process of its own, as in a hall: one process that loses many sockets at once
opens them again one by one and with delays that Chromium chooses."""

import sys
import time
from collections.abc import Iterator, Sequence
from itertools import count

from playwright.sync_api import Page

from tests.browser import pictures
from tests.browser.screen import Screen, staged
from tests.browser.stage import Stage

COMES_WITHIN_S = 2.5
GOES_WITHIN_S = 1.0
SMALL = {"width": 480, "height": 270}
"""Many large pages on one computer would only measure how fast that draws."""

WATCH = """
() => {
  const wall = () => (performance.timeOrigin + performance.now()) / 1_000;
  let state = '', since = 0, tell = () => {};
  const look = () => {
    const now = ['lost', 'waiting'].includes(document.body.dataset.scene) ? 'lost' : 'fresh';
    if (now === state) return;
    [state, since] = [now, wall()];
    tell();
  };
  new MutationObserver(look).observe(document.body, { attributes: true, attributeFilter: ['data-scene'] });
  look();
  window.untilIs = (wanted) => new Promise((done) => {
    tell = () => state === wanted && done(since);
    tell();
  });
}
"""


def covers(screens: Sequence[Screen], *, times: int) -> Iterator[tuple[float, float]]:
    """Seconds from the last news to the last cover, and from the return to the last that goes: in turn with
    sockets that are only silent and with cut ones."""
    stage, numbers = screens[0].stage, count(1)
    pages = [screen.page for screen in screens]
    for page in pages:
        page.goto(f"{stage.address}/?screen")
        page.evaluate(WATCH)
    _news(stage, pages, next(numbers))
    for turn in range(times):
        stopped_s = _news(stage, pages, next(numbers))
        stage.refuses = True
        if turn % 2:
            stage.hang_up()
        came_s = _all_are("lost", pages) - stopped_s
        stage.refuses = False
        returned_s = _news(stage, pages, next(numbers))
        yield came_s, _all_are("fresh", pages) - returned_s


def _news(stage: Stage, pages: Sequence[Page], number: int) -> float:
    """A picture of this moment for everybody, and when it was sent; returns when all show it."""
    sent_s = time.time()
    stage.play(pictures.picture(seq=number, saved_seq=number, as_of_ms=pictures.now_ms()))
    _all_are("fresh", pages)
    return sent_s


def _all_are(state: str, pages: Sequence[Page]) -> float:
    """When the last of them became so."""
    return max(float(page.evaluate("state => untilIs(state)", state)) for page in pages)


def main(screens: int, times: int) -> int:
    with staged() as (browser, stage):
        opened = [Screen(browser.new_context(viewport=SMALL).new_page(), stage) for _ in range(screens)]  # type: ignore[arg-type]
        found = list(covers(opened, times=times))
    came_s, went_s = (max(column) for column in zip(*found, strict=True))
    print(f"{screens} screens, {times} times: the last cover came {came_s:.2f} s after the last news (at most "
          f"{COMES_WITHIN_S} s), the last went {went_s:.2f} s after their return (at most {GOES_WITHIN_S} s)")  # fmt: skip
    return int(came_s > COMES_WITHIN_S or went_s > GOES_WITHIN_S)


if __name__ == "__main__":
    given = [int(text) for text in sys.argv[1:]]
    sys.exit(main(*(given or (20, 20))))
