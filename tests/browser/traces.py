"""What a page's main thread did, by Chromium's own trace: frames and tasks, with time on the wall and of the processor.

The time of the processor is what the page needs; on the wall stands besides what other programs took meanwhile."""

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

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
