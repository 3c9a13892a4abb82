"""A shortened game on tables that run the firmware in real MicroPython, one process each."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from pi_controller.bus.values import ClaimHeard, ClaimOutcome, TableState
from tests.firmware.real_tables import RealHall, RealTable, Shown, board_of, now_us
from tests.matrix import further
from tests.patience import DEADLINE_S

SECOND_US = 1_000_000
NOBODY = -1
SUN, MOON = 0, 1
ROUND, ROBBER = 1, 2
DESERT = 7
SENT, RECEIVED, OPEN, WAIT_FOR_YOUR_SIDE = 2, 3, 4, 9
LOOK_US = 100_000
"""Between two looks at the clock, so that all processes together need less than one core."""
LISTENERS = 4


@contextmanager
def hall(tables: int, *, look_us: int = LOOK_US, deadline_s: float = DEADLINE_S) -> Iterator[RealHall]:
    made = RealHall(tables, look_us=look_us, listeners=LISTENERS, deadline_s=deadline_s)
    try:
        yield made
        assert made.complaints() == []
    finally:
        made.close()


def show(hall: RealHall, phase: str, **more: Any) -> int:
    """On all segments, from now on; the time."""
    at_us = now_us()
    for master in hall.masters.values():
        master.show(TableState(as_of_us=at_us, phase=phase, **more))  # type: ignore[arg-type]
    return at_us


def everybody_shows(hall: RealHall, expected: Callable[[Shown], bool], *, since_us: int) -> None:
    """Goes on when all sides of all tables do, and a second has passed."""

    def reached() -> bool:
        newest = [sides[-1:] for table in hall.tables for sides in table.shown.values()]
        return now_us() - since_us >= SECOND_US and all(one and expected(one[0]) for one in newest)

    hall.run_until(reached)


def play_round(hall: RealHall, number: int) -> None:
    active = SUN if number % 2 else MOON
    dice = (number % 6 + 1, 2)
    since_us = show(
        hall,
        "round",
        running=True,
        seat=active,
        next_seat=1 - active,
        left_us=SECOND_US,
        duration_ms=1000,
        round=number,
        dice=dice,
    )

    def expected(shown: Shown) -> bool:
        return shown[1:6] == ("round", ROUND, active, number, sum(dice)) and shown.seconds in (0, 1)

    everybody_shows(hall, expected, since_us=since_us)


def play_robber(hall: RealHall, target: object, number: int) -> None:
    since_us = show(
        hall, "robber", running=True, left_us=SECOND_US, duration_ms=1000, round=6, dice=(3, 4), target=target
    )
    everybody_shows(
        hall,
        lambda shown: shown[1:4] == ("robber", ROBBER, NOBODY) and shown.target == number,
        since_us=since_us,
    )


def claim(hall: RealHall, tables: list[RealTable], side: int) -> None:
    """Hold the buttons until the tables say that the claim is on its way."""
    for table in tables:
        table.touch("press", side)
    hall.run_until(lambda: all(table.shown[side][-1].claim in (SENT, RECEIVED) for table in tables))
    for table in tables:
        table.touch("release", side)
    hall.run_until(lambda: all(table.shown[side][-1].claim == RECEIVED for table in tables))


def claims_heard(hall: RealHall) -> list[ClaimHeard]:
    return [event for event in hall.events if isinstance(event, ClaimHeard)]


def play(hall: RealHall) -> None:
    """Rounds, claims on a lossy cable, a pause, robber phases, the end."""
    everybody_shows(hall, lambda shown: shown.kind == "ready", since_us=show(hall, "ready"))
    for number in (1, 2, 3):
        play_round(hall, number)

    for segment in hall.segments.values():
        for end in range(len(segment.tables) + 1):
            segment.cable.hearing(end).loss.part = 0.05
    claimants = hall.tables[::5]
    claim(hall, claimants, SUN)
    passive = hall.tables[1]
    passive.touch("press", MOON)
    hall.run_until(lambda: passive.shown[MOON][-1].claim == WAIT_FOR_YOUR_SIDE)
    passive.touch("release", MOON)
    heard = claims_heard(hall)
    assert sorted(event.claim.uid for event in heard) == [table.uid for table in claimants]
    assert {event.board for event in heard} == {board_of(number) for number in range(0, len(hall.tables), 5)}
    outcomes = tuple(ClaimOutcome(claim=event.claim, at_us=event.at_us, status="open") for event in heard)
    for master in hall.masters.values():
        master.outcomes(outcomes)
    hall.run_until(lambda: all(table.shown[SUN][-1].claim == OPEN for table in claimants))

    since_us = show(
        hall,
        "round",
        paused=True,
        pause_reasons=("claim",),
        seat=SUN,
        left_us=400_000,
        duration_ms=1000,
        round=3,
    )
    everybody_shows(hall, lambda shown: (shown.kind, shown.round) == ("paused", 3), since_us=since_us)
    for number in (4, 5, 6):
        play_round(hall, number)
    play_robber(hall, 5, 5)
    play_robber(hall, "desert", DESERT)
    everybody_shows(hall, lambda shown: shown.kind == "ended", since_us=show(hall, "ended", round=6))
    assert len(claims_heard(hall)) == len(claimants)


def check_pictures(hall: RealHall) -> None:
    """Every side drew something else for each of the things that it showed; news come shortly before their picture."""
    for table in hall.tables:
        for side in (SUN, MOON):
            rounds = {shown.round: shown.picture for shown in table.shown[side] if shown.kind == "round"}
            robber = [shown for shown in table.shown[side] if shown.kind == "robber"]
            targets = {shown.target: shown.picture for shown in robber if shown.target}
            assert set(rounds) == {1, 2, 3, 4, 5, 6}
            assert set(targets) == {5, DESERT}
            assert len({*rounds.values(), *targets.values()}) == 8


@pytest.mark.parametrize("tables", [8, *further(40)])
def test_tables_play_a_shortened_game(tables: int) -> None:
    with hall(tables) as made:
        play(made)
        check_pictures(made)


@pytest.mark.soak
def test_250_tables_play_a_shortened_game() -> None:
    with hall(250, look_us=2 * LOOK_US, deadline_s=5 * DEADLINE_S) as made:
        play(made)
        check_pictures(made)
        assert made.memory_mb() < 1500
