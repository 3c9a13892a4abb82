"""All benchmarks by name, each with its size in a whole and in a quick run."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pi_controller.bench.clock import clock
from pi_controller.bench.feed import feed
from pi_controller.bench.figures import Figure, Say
from pi_controller.bench.journalling import journal
from pi_controller.bench.long_journals import long
from pi_controller.bench.memory import memory
from pi_controller.bench.pausing import pause
from pi_controller.bench.press import press, stalled
from pi_controller.bench.starting import start
from pi_controller.bench.tables import tables

SizeName = Literal["whole", "quick"]


@dataclass(frozen=True, slots=True)
class Bench:
    """`run` takes the values of one of the sizes, `folder` and `say`."""

    summary: str
    run: Callable[..., list[Figure]]
    whole: dict[str, Any]
    quick: dict[str, Any]

    def figures(self, size: SizeName, *, folder: Path | None, say: Say, **changes: Any) -> list[Figure]:
        """Measure; `changes` stand in for values of the size. Raises BenchError."""
        values = self.whole if size == "whole" else self.quick
        return self.run(**(values | changes), folder=folder, say=say)


BENCHES = {
    "press": Bench(
        "edge at a pin to frozen outputs, beside busy and idle cores",
        press,
        whole={"presses": 500},
        quick={"presses": 50},
    ),
    "stalled": Bench(
        "the same while every sync of the disk takes 0.5 s",
        stalled,
        whole={"presses": 100, "stall_s": 0.5},
        quick={"presses": 10, "stall_s": 0.5},
    ),
    "clock": Bench(
        "rounds with 1,000 pauses against an account of their own",
        clock,
        whole={"pauses": 1000, "seconds": 60.0},
        quick={"pauses": 200, "seconds": 12.0},
    ),
    "start": Bench(
        "core to its first answer, run to the first page; with and without a game to come back to",
        start,
        whole={"starts": 10, "rounds": 40},
        quick={"starts": 3, "rounds": 10},
    ),
    "memory": Bench(
        "core and web after a minute of play",
        memory,
        whole={"seconds": 60.0},
        quick={"seconds": 10.0},
    ),
    "journal": Bench(
        "a line to the disk, and a long journal read back",
        journal,
        whole={"appends": 1000, "lines": 10_000},
        quick={"appends": 100, "lines": 2000},
    ),
    "long": Bench(
        "a long game restored, and an undo at its end",
        long,
        whole={"lines": (10_000, 100_000), "restores": 5, "actions": 10_000, "undos": 100},
        quick={"lines": (1000, 10_000), "restores": 3, "actions": 1000, "undos": 20},
    ),
    "feed": Bench(
        "a command to the last of 1, 50 and 200 listeners",
        feed,
        whole={"counts": (1, 50, 200), "commands": 100},
        quick={"counts": (1, 50), "commands": 20},
    ),
    "pause": Bench(
        "a pause over HTTP to the last of 1 and 200 listeners, beside bare asyncio",
        pause,
        whole={"counts": (1, 200), "pauses": 200},
        quick={"counts": (1, 50), "pauses": 20},
    ),
    "tables": Bench(
        "a pause to the end of its frame behind a segment's polling, and 8 segments of 32 nodes",
        tables,
        whole={"shows": 500, "segments": 8, "nodes": 32, "seconds": 30.0},
        quick={"shows": 50, "segments": 8, "nodes": 32, "seconds": 5.0},
    ),
}
