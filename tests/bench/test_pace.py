"""Paces: who has its turn when, and how much quiet each event is given."""

import asyncio
from functools import partial

import pytest

from pi_controller.bench import pace
from pi_controller.bench.pace import hot, in_turns, isolated


async def turns(of: pace.Pace) -> tuple[dict[str, list[int]], str]:
    order: list[str] = []

    async def event(kind: str) -> int:
        order.append(kind)
        return len(order)

    return await in_turns({kind: partial(event, kind) for kind in "ab"}, of), "".join(order)


@pytest.mark.usefixtures("no_quiet")
def test_isolated_kinds_take_turns_event_by_event() -> None:
    assert asyncio.run(turns(isolated(2))) == ({"a": [1, 3], "b": [2, 4]}, "abab")


def test_hot_kinds_take_turns_in_blocks() -> None:
    assert asyncio.run(turns(hot(4, in_a_row=2)))[1] == "aabbaabb"
    assert asyncio.run(turns(hot(2)))[1] == "aabb", "no more than asked for"


def test_each_isolated_event_has_a_quiet_of_its_own_the_same_in_every_run() -> None:
    one, other = isolated(3), isolated(3)
    given = [one.quiet() for _ in range(3)]
    assert given == [other.quiet() for _ in range(3)]
    assert len(set(given)) == 3
    assert all(0.5 <= each <= 3 for each in given)
    assert hot(3).quiet() == 0
