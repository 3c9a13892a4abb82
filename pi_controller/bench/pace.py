"""When events are measured: each after a quiet of its own, or back to back."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

QUIET_S = (0.5, 3.0)
"""From and to: in a hall processors sleep and caches grow cold between two events."""
IN_A_ROW = 10
"""So many hot events of a kind, then as many of the next."""

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Pace:
    """`quiet` gives the seconds of nothing before the next event; `suffix` ends the names of the figures."""

    suffix: str
    events: int
    """Of each kind."""
    in_a_row: int
    quiet: Callable[[], float]


def isolated(events: int) -> Pace:
    """One event at a time, after a quiet of QUIET_S at random."""
    return Pace("", events, 1, _between(*QUIET_S))


def hot(events: int, *, in_a_row: int | None = None, rest_s: tuple[float, float] = (0.0, 0.0)) -> Pace:
    """One after the other, with no more than this rest before each."""
    return Pace(".hot", events, min(events, in_a_row or IN_A_ROW), _between(*rest_s))


def _between(from_s: float, to_s: float) -> Callable[[], float]:
    chance = random.Random(1)  # noqa: S311 - moments
    return lambda: chance.uniform(from_s, to_s)


async def in_a_row(event: Callable[[], Awaitable[Value]], pace: Pace) -> list[Value]:
    """What so many events give."""
    found = []
    for _ in range(pace.in_a_row):
        await asyncio.sleep(pace.quiet())
        found.append(await event())
    return found


async def in_turns(
    events: Mapping[str, Callable[[], Awaitable[Value]]], pace: Pace
) -> dict[str, list[Value]]:
    """What the events give, by kind."""
    found: dict[str, list[Value]] = {kind: [] for kind in events}
    for _ in range(0, pace.events, pace.in_a_row):
        for kind, event in events.items():
            found[kind] += await in_a_row(event, pace)
    return found
