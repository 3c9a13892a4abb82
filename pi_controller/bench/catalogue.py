"""The benchmarks of the product by name, each with its size in a whole and in a quick run."""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pi_controller.bench import clock, feed, journal, press, start, tables
from pi_controller.bench.figures import Figure, Say


@dataclass(frozen=True, slots=True)
class Bench:
    """`whole` and `quick` measure in these sizes; they take an empty `folder` and `say`."""

    summary: str
    whole: Callable[..., list[Figure]]
    quick: Callable[..., list[Figure]]
    long: bool = False
    """Takes so long that it is measured only when it is named."""

    def figures(self, *, quick: bool, folder: Path | None, say: Say, **changes: float) -> list[Figure]:
        """Measure on the disk of `folder` (default: where temporary files lie) and leave nothing there.

        `changes` stand in for values of the size. Raises BenchError.
        """
        run = self.quick if quick else self.whole
        with tempfile.TemporaryDirectory(prefix="bench-", dir=folder) as name:
            return run(folder=Path(name), say=say, **changes)


BENCHES = {
    "press.edge": Bench(
        "edge at a pin to frozen outputs, beside busy and idle cores",
        partial(press.edge, presses=500),
        partial(press.edge, presses=50),
    ),
    "clock": Bench(
        "rounds with 1,000 pauses against an account of their own",
        partial(clock.clock, pauses=1000, seconds=60.0),
        partial(clock.clock, pauses=200, seconds=12.0),
    ),
    "start": Bench(
        "core to its first answer, run to the first page; with and without a game to come back to",
        partial(start.start, starts=10, rounds=40),
        partial(start.start, starts=3, rounds=10),
    ),
    "journal.line": Bench(
        "a line to the disk", partial(journal.line, appends=1000), partial(journal.line, appends=100)
    ),
    "feed.pause": Bench(
        "a pause over HTTP to the last of 1, 50 and 200 listeners, beside bare asyncio",
        partial(feed.pause, counts=(1, 50, 200), pauses=200),
        partial(feed.pause, counts=(1, 50), pauses=20),
    ),
    "feed.phones": Bench(
        "the same to 1,000 phones",
        partial(feed.phones, counts=(1000,), pauses=200),
        partial(feed.phones, counts=(50,), pauses=20),
    ),
    "tables": Bench(
        "a pause to the end of its frame behind a segment's polling, and 8 segments of 32 nodes",
        partial(tables.tables, shows=500, segments=8, nodes=32, seconds=30.0),
        partial(tables.tables, shows=50, segments=8, nodes=32, seconds=5.0),
    ),
}

OF_A_CHECKOUT = (
    "press.stalled",
    "press.many",
    "memory",
    "journal.long",
    "connections",
    "feed.command",
    "hall.traffic",
    "hall.processor",
    "hall.memory",
    "hall.growth",
    "hall.stalled",
    "links.pause",
    "links.fan_out",
    "links.scale",
    "hobby",
    "sound.start",
    "sound.tone",
)
"""Further ones, which only a checkout of the sources has: they measure the design, not a machine."""


def chosen(name: str, benches: Mapping[str, Bench]) -> list[str]:
    """Those that a name stands for: one, or `press` for all whose name begins with `press.` but those that
    take long. None when there is no such name."""
    of_a_group = [each for each, bench in benches.items() if each.startswith(f"{name}.") and not bench.long]
    return [name] if name in benches else of_a_group
