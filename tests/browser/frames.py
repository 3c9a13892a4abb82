"""Long frames of the hall screen in real time with Chromium's processor throttled six times:
`python -m tests.browser.frames [SECONDS] [RATE]`.

Beside them stands the floor: the same of an empty page on which one element moves. The throttle itself counts on the wall: what
other programs take from the page it takes five times again. So on a busy machine the rate 1 tells more: nothing is throttled,
and the processor time that was found is told six times as long."""

import json
import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, cycle
from typing import Any

from playwright.sync_api import Browser, Page

from tests.browser import pictures
from tests.browser.screen import Screen, staged

# What a page's main thread did, by Chromium's own trace: frames and tasks, with time on the wall and of the processor.

CATEGORIES = ["-*", "devtools.timeline", "disabled-by-default-devtools.timeline"]
TASK = "RunTask"
STYLE = "UpdateLayoutTree"
Event = dict[str, Any]


@dataclass(frozen=True)
class Span:
    """A frame, or one task of the main thread."""

    at_us: int
    """By the clock of the computer."""
    wall_ms: float
    processor_ms: float


@dataclass(frozen=True)
class Trace:
    """`frames` are animation frames as the Long Animation Frames of a browser are: from the first task that changes the
    page to the end of painting; their processor time is that of all tasks within."""

    frames: tuple[Span, ...]
    tasks: tuple[Span, ...]
    restyled: int
    """The most elements whose style was reckoned anew at once."""


def read(trace: bytes) -> Trace:
    """Of the only page that was open."""
    events: list[Event] = json.loads(trace)["traceEvents"]
    threads = _by_thread(events)
    names = {_thread(event): event["args"]["name"] for event in events if event.get("name") == "thread_name"}
    pages = [thread for thread in threads if names.get(thread) == "CrRendererMain"]
    main = max(
        (threads[page] for page in pages), key=lambda own: sum(one.processor_ms for one in _tasks(own))
    )
    tasks = _tasks(main)
    restyled = max(
        (event["args"].get("elementCount", 0) for event in main if event["name"] == STYLE), default=0
    )
    frames = tuple(_frame(start, end, tasks) for start, end in _frames(main))
    return Trace(frames, tuple(tasks), restyled)


def _thread(event: Event) -> tuple[int, int]:
    return event["pid"], event["tid"]


def _by_thread(events: Sequence[Event]) -> dict[tuple[int, int], list[Event]]:
    found = defaultdict(list)
    for event in sorted(events, key=lambda event: event.get("ts", 0)):
        found[_thread(event)].append(event)
    return found


def _tasks(events: Sequence[Event]) -> list[Span]:
    """The outermost ones: a task may run others."""
    found: list[Span] = []
    end_us = 0
    for event in events:
        if event["name"] == TASK and event["ph"] == "X" and event["ts"] >= end_us:
            end_us = event["ts"] + event["dur"]
            found.append(Span(event["ts"], event["dur"] / 1_000, event.get("tdur", 0) / 1_000))
    return found


def _frames(events: Sequence[Event]) -> Iterator[tuple[int, int]]:
    begun: dict[str, int] = {}
    for event in events:
        if event["name"] != "AnimationFrame":
            continue
        key = str(event.get("id2", event.get("id")))
        if event["ph"] == "b":
            begun[key] = event["ts"]
        elif event["ph"] == "e" and key in begun:
            yield begun.pop(key), event["ts"]


def _frame(start_us: int, end_us: int, tasks: Sequence[Span]) -> Span:
    at = max(0, bisect_left(tasks, start_us, key=lambda task: task.at_us) - 1)
    spent_ms = 0.0
    while at < len(tasks) and tasks[at].at_us < end_us:
        task = tasks[at]
        task_end_us = task.at_us + task.wall_ms * 1_000
        within_us = max(0.0, min(task_end_us, end_us) - max(task.at_us, start_us))
        spent_ms += task.processor_ms * within_us / max(1.0, task.wall_ms * 1_000)
        at += 1
    return Span(start_us, (end_us - start_us) / 1_000, spent_ms)


# A game as the hall screen gets it in real time: every kind of picture, one after the other.

Json = dict[str, Any]

DICE = [(5, 3), (6, 5), (1, 2), (4, 2), (6, 6), (2, 3), (5, 5)]
SHOWN_ROLLS = 12
LOST = "no news"
"""The name of a phase in which nothing comes: the page is covered."""
LEFT_MS = 20_000
ENDING_MS = 5_500


def phases() -> Iterator[tuple[str, Json]]:
    """Game after game: phases by their names, each the picture at its beginning."""
    numbers = count(1)
    for game in count(1):
        for name, picture in _game():
            number = next(numbers)
            yield (
                name,
                picture
                | {"seq": number, "saved_seq": number, "game_id": f"g{game}", "as_of_ms": pictures.now_ms()},
            )


def _game() -> Iterator[tuple[str, Json]]:
    history: list[Json] = [
        pictures.roll(n, ("sun", "moon")[n % 2], DICE[n % len(DICE)]) for n in range(12, 0, -1)
    ]
    rounds = zip(count(13), cycle(("moon", "sun")), cycle(DICE), strict=False)

    def play(**changes: Any) -> Json:
        number, side, dice = next(rounds)
        history.insert(0, pictures.roll(number, side, dice))
        other = {"sun": "moon", "moon": "sun"}[side]
        fields = {"round": number, "side": side, "next_side": other, "dice": list(dice), "sum": sum(dice)}
        return pictures.picture(
            **fields | {"history": history[:SHOWN_ROLLS], "remaining_ms": LEFT_MS} | changes
        )

    yield "ready", pictures.ready()
    yield "start", pictures.ready(resume_in_ms=3_000)
    for name in ("round", "round after round", "round again"):
        yield name, play()
    robber = pictures.robber_roll(15, 9)
    yield "robber", pictures.robber_phase(history=[robber, *history[: SHOWN_ROLLS - 1]], remaining_ms=LEFT_MS)
    history.insert(0, robber)
    yield "robber warned of", play(notices=["robber_possible"], last_round=18)
    yield "last seconds", play(remaining_ms=ENDING_MS)
    yield "pause", pictures.paused("button", history=history[:SHOWN_ROLLS])
    yield "claims", pictures.claims_pause(history=history[:SHOWN_ROLLS])
    yield (
        "many claims",
        pictures.paused("button", "claim", claims=pictures.asked(6), history=history[:SHOWN_ROLLS]),
    )
    yield "count-in", pictures.count_in(history=history[:SHOWN_ROLLS])
    yield "round with a claim", play(claims=pictures.asked(1))
    yield "round with many claims", play(claims=pictures.asked(6))
    yield "message", play(message={"text": "Please take your seats", "until_ms": None})
    yield "fault", _fault(history[:SHOWN_ROLLS])
    yield "round after a fault", play()
    yield "black", play(cover="black")
    yield "test picture", play(cover="test")
    yield "round after covers", play()
    yield LOST, play()
    yield "news again", play()
    yield "collecting", pictures.collecting()
    yield "ended", pictures.ended()


def _fault(history: list[Json]) -> Json:
    health = pictures.picture()["health"] | {"level": "fault", "messages": ["The disk does not answer"]}
    return pictures.paused("fault", health=health, history=history)


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
    floor_s = min(30.0, seconds)
    with staged() as (browser, stage):
        empty = floor(browser, seconds=floor_s, rate=int(rate))
        page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
        games = list(played(browser, Screen(page, stage), seconds=seconds, rate=int(rate)))
    return report(games, empty, seconds=seconds, floor_s=floor_s, rate=int(rate))


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:])))
