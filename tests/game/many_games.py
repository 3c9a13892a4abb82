"""Seeded games compared one by one on all processors: `make rules`, `make rules-classic` and `make undo`."""

import argparse
import functools
import multiprocessing
import time
from collections.abc import Callable
from typing import Protocol


class Compared(Protocol):
    """A game and what it is compared with. `run` raises AssertionError at the first difference."""

    def run(self) -> None: ...

    @property
    def compared(self) -> tuple[int, ...]:
        """How much of each kind was compared so far."""


def outcome(make: Callable[[int], Compared], number: int) -> tuple[str | None, tuple[int, ...]]:
    """The first difference of this game if there is one, and how much was compared."""
    game = make(number)
    try:
        game.run()
    except AssertionError as found:
        return f"game {number}: {found}", game.compared
    return None, game.compared


def main(make: Callable[[int], Compared], *, about: str | None, games: int, agreed: str) -> int:
    """Compares as many games as the command line says (`games` without it) and stops at the first that
    differs. `agreed` takes the number of games, then what was compared. Returns the exit code."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--games", type=int, default=games)
    parser.add_argument("--first", type=int, default=1)
    options = parser.parse_args()
    began, sums = time.monotonic(), ()
    with multiprocessing.get_context("spawn").Pool() as pool:
        numbers = range(options.first, options.first + options.games)
        results = pool.imap_unordered(functools.partial(outcome, make), numbers, chunksize=50)
        for done, (difference, compared) in enumerate(results, 1):
            if difference:
                print(difference)
                return 1
            sums = tuple(
                [one + more for one, more in zip(sums or (0,) * len(compared), compared, strict=True)]
            )
            if done % (games // 10) == 0:
                print(f"{done} games agree, {time.monotonic() - began:.0f} s", flush=True)
    print(agreed.format(options.games, *sums))
    return 0
