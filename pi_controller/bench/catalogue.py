"""All benchmarks by name, each with its size in a whole and in a quick run."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pi_controller.bench import (
    beside_hobby,
    clock,
    journal,
    memory,
    press,
    press_many,
    sound,
    start,
    tables,
)
from pi_controller.bench.figures import Figure, Say
from pi_controller.bench.links import fan_out, scale
from pi_controller.bench.links import pause as hall_pauses
from pi_controller.bench.web import commands, connections, hall, pauses


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
    "press.stalled": Bench(
        "the same while every sync of the disk takes 0.5 s",
        partial(press.stalled, presses=100, stall_s=0.5),
        partial(press.stalled, presses=10, stall_s=0.5),
    ),
    "press.many": Bench(
        "10,000 presses with real-time priority beside busy cores: is the loop ever silent?",
        partial(press_many.many, presses=10_000),
        partial(press_many.many, presses=500),
        long=True,
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
    "memory": Bench(
        "core and web after a minute of play",
        partial(memory.memory, seconds=60.0),
        partial(memory.memory, seconds=10.0),
    ),
    "journal.line": Bench(
        "a line to the disk", partial(journal.line, appends=1000), partial(journal.line, appends=100)
    ),
    "journal.long": Bench(
        "a long game restored, and an undo at its end",
        partial(journal.long, lines=(10_000, 100_000), restores=5, actions=10_000, undos=100),
        partial(journal.long, lines=(1000, 10_000), restores=3, actions=1000, undos=20),
    ),
    "connections": Bench(
        "memory of a connection before and after its handshake; 1,000 phones and 600 seats over TLS",
        partial(connections.connections, count=1000, phones=1000, seats=600),
        partial(connections.connections, count=200, phones=200, seats=100),
    ),
    "feed.command": Bench(
        "a command to the last of 1, 50 and 200 listeners",
        partial(commands.command, counts=(1, 50, 200), commands=100),
        partial(commands.command, counts=(1, 50), commands=20),
    ),
    "feed.pause": Bench(
        "a pause over HTTP to the last of 1, 50 and 200 listeners, beside bare asyncio",
        partial(pauses.pause, counts=(1, 50, 200), pauses=200),
        partial(pauses.pause, counts=(1, 50), pauses=20),
    ),
    "feed.phones": Bench(
        "the same to 1,000 phones",
        partial(pauses.phones, counts=(1000,), pauses=200),
        partial(pauses.phones, counts=(50,), pauses=20),
    ),
    "hall.traffic": Bench(
        "bytes a second to 200 listeners while a round runs, with 256 virtual tables",
        partial(hall.traffic, listeners=200, nodes=256, seconds=20.0),
        partial(hall.traffic, listeners=50, nodes=16, seconds=5.0),
    ),
    "hall.processor": Bench(
        "processor of core and web with 200 listeners and 256 virtual tables in play",
        partial(hall.processor, listeners=200, nodes=256, seconds=30.0),
        partial(hall.processor, listeners=50, nodes=16, seconds=5.0),
    ),
    "hall.memory": Bench(
        "memory of core and web there",
        partial(hall.memory, listeners=200, nodes=256, seconds=30.0),
        partial(hall.memory, listeners=50, nodes=16, seconds=5.0),
    ),
    "hall.growth": Bench(
        "growth of that memory in 8 hours of play at 240 times the speed, with 16 tables",
        partial(hall.growth, listeners=200, nodes=16, hours=8.0, speed=240.0),
        partial(hall.growth, listeners=50, nodes=16, hours=0.5, speed=240.0),
        long=True,
    ),
    "hall.stalled": Bench(
        "pauses over HTTP to 199 listeners beside one that does not read",
        partial(hall.stalled, listeners=200, pauses=50, blocks=10),
        partial(hall.stalled, listeners=50, pauses=20, blocks=2),
    ),
    "links.pause": Bench(
        "a pause in the leading hall to lamps and bus of one that follows, over Mosquitto",
        partial(hall_pauses.pause, pauses=500),
        partial(hall_pauses.pause, pauses=50),
    ),
    "links.fan_out": Bench(
        "a picture to 20 links processes, beside as many bare subscribers, over Mosquitto",
        partial(fan_out.fan_out, halls=20, pictures=1000),
        partial(fan_out.fan_out, halls=5, pictures=100),
    ),
    "links.scale": Bench(
        "a game of many halls: some real ones with 16 tables each, and more by a load model until one breaks",
        partial(
            scale.halls, real=4, tables=16, nodes=250, levels=(16, 50, 100, 200, 400), seconds=6.0, pauses=15
        ),
        partial(scale.halls, real=1, tables=2, nodes=3, levels=(2,), seconds=1.0, pauses=2),
        long=True,
    ),
    "tables": Bench(
        "a pause to the end of its frame behind a segment's polling, and 8 segments of 32 nodes",
        partial(tables.tables, shows=500, segments=8, nodes=32, seconds=30.0),
        partial(tables.tables, shows=50, segments=8, nodes=32, seconds=5.0),
    ),
    "hobby": Bench(
        "rounds, pauses, a worn button and a kill, beside the program of an evening with gpiozero and luma",
        partial(beside_hobby.hobby, rounds=60, pauses=100, presses=100),
        partial(beside_hobby.hobby, rounds=5, pauses=5, presses=5),
    ),
    "sound.start": Bench(
        "a picture to its call-out in two languages, on PipeWire's null sink",
        partial(sound.start, callouts=1000),
        partial(sound.start, callouts=10),
    ),
    "sound.tone": Bench(
        "tones at their moments, on PipeWire's null sink",
        partial(sound.tones, tones=300),
        partial(sound.tones, tones=6),
    ),
}
"""By name; `press` stands for all whose name begins with `press.`, but those that take long."""

NAMES = list(dict.fromkeys(name.partition(".")[0] for name in BENCHES))


def chosen(name: str) -> list[str]:
    """The benchmarks that `press` or `press.edge` stands for; none when there is no such name."""
    of_a_group = [each for each, bench in BENCHES.items() if each.startswith(f"{name}.") and not bench.long]
    return [name] if name in BENCHES else of_a_group
