"""The table bus on pseudo-terminals: from `show` to the pause frame at the other end, and a whole hall of
tables."""

import contextlib
import os
import random
import subprocess
import sys
import tempfile
import time
import tty
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pi_controller.bench.figures import Figure, Say, in_ms, limits, summary
from pi_controller.bench.processes import (
    ANSWER_WITHIN_S,
    REALTIME,
    BenchError,
    boot_ns,
    realtime,
    realtime_allowed,
)
from pi_controller.bus.frame import EVERYBODY, MASTER, encode, wire_us
from pi_controller.bus.messages import StateMessage, to_frame
from pi_controller.bus.values import SegmentPort, SegmentSnapshot, TableState
from pi_controller.hal.serial.bus import SerialTableBus, open_table_bus
from pi_controller.hal.serial.port import open_port
from pi_controller.hal.system.kernel import SystemClock

BAUD = 250_000
SETTLE_S = 0.1
"""After a change the frame goes out three times within 40 ms; the next one begins from ordinary polling."""

ROUNDS = 60_000
"""A round's number tells one state from the next; it has 16 bits."""


@dataclass
class Cables:
    """Pseudo-terminals with scripted nodes behind them."""

    segments: tuple[SegmentPort, ...]
    nodes: int
    _answering: "subprocess.Popen[bytes]"
    _last: int = field(default=0, init=False)

    def complete_ns(self, number: int) -> int:
        """When the state frame of this round was complete at the other end."""
        if self._answering.stdout is None:
            raise BenchError("The scripted nodes have no way to tell anything.")
        for line in self._answering.stdout:
            told, _, at_ns = line.partition(b" ")
            if int(told) == number:
                return int(at_ns)
        raise BenchError("The scripted nodes have ended before a state frame reached them.")

    def next_round(self) -> int:
        self._last = self._last % ROUNDS + 1
        return self._last


@contextlib.contextmanager
def cables(*, segments: int, nodes: int, folder: Path) -> Iterator[Cables]:
    """So many segments, each with so many scripted nodes that answer from a process of their own."""
    with contextlib.ExitStack() as ending:
        names = Path(tempfile.mkdtemp(dir=folder))
        fds, ports = [], []
        for number in range(segments):
            cable, end = os.openpty()
            ending.callback(os.close, cable)
            tty.setraw(end)
            ports.append(SegmentPort(chr(ord("A") + number), str(names / f"row-{number}")))
            Path(ports[-1].port).symlink_to(os.ttyname(end))
            os.close(end)
            fds.append(cable)
        command = [sys.executable, "-m", "pi_controller.bench.scripted_nodes", str(BAUD), str(nodes)]
        answering = ending.enter_context(
            subprocess.Popen(
                [*command, ",".join(map(str, fds))],
                pass_fds=fds,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        )
        yield Cables(tuple(ports), nodes, answering)
        answering.terminate()


def bare_writes(there: Cables, count: int) -> list[int]:
    """Nanoseconds from the write of a state frame by the bare port to its end at the other side."""
    took = []
    with open_port(there.segments[0].port, baud=BAUD) as port:
        for _ in range(count):
            number = there.next_round()
            data = _frame(number)
            time.sleep(SETTLE_S / 10)
            begun_ns = boot_ns()
            port.send(data)
            took.append(there.complete_ns(number) - begun_ns)
    return took


def pauses(bus: SerialTableBus, there: Cables, count: int) -> list[int]:
    """Nanoseconds from `show` of a pause to the end of its frame at the other side, at random moments."""
    chance = random.Random(1)  # noqa: S311 - moments
    took = []
    for _ in range(count):
        number = there.next_round()
        time.sleep(SETTLE_S + chance.uniform(0, 0.05))
        begun_ns = boot_ns()
        bus.show(_state(number, paused=True))
        took.append(there.complete_ns(number) - begun_ns)
    return took


def until_answered(snapshot: Callable[[], Sequence[SegmentSnapshot]], nodes: int) -> None:
    """So many nodes have been found on a bus and have answered; BenchError when that never happens."""
    until_s = time.monotonic() + ANSWER_WITHIN_S
    while sum(node.good > 0 for segment in snapshot() for node in segment.nodes) < nodes:
        if time.monotonic() > until_s:
            raise BenchError(f"Not all of the {nodes} scripted nodes were found.")
        time.sleep(0.05)


def processor_parts(seconds: float) -> list[float]:
    """Per cent of one core that this process takes, second by second."""
    parts = []
    for _ in range(max(1, round(seconds))):
        begun_ns, spent_ns = boot_ns(), time.process_time_ns()
        time.sleep(min(1.0, seconds))
        parts.append(100 * (time.process_time_ns() - spent_ns) / (boot_ns() - begun_ns))
    return parts


def tables(*, shows: int, segments: int, nodes: int, seconds: float, folder: Path, say: Say) -> list[Figure]:
    """A pause at one full segment, with and without real-time priority, then all segments at rest."""
    figures = []
    for what, priority in (("", 0), (".realtime", REALTIME)):
        if priority and not realtime_allowed():
            say("tables: this system gives no real-time priority, so that row is left out")
            continue
        say(f"tables: {shows} pauses at one segment of {nodes} scripted nodes{what}")
        with realtime(priority):
            figures.append(_pause(f"tables.pause{what}", shows, nodes=nodes, folder=folder))
    say(f"tables: {segments} segments of {nodes} scripted nodes for {seconds:g} s")
    return [*figures, *_at_rest(segments, nodes=nodes, seconds=seconds, folder=folder)]


def _pause(name: str, shows: int, *, nodes: int, folder: Path) -> Figure:
    with cables(segments=1, nodes=nodes, folder=folder) as there:
        # On both sides of it, so that other work on this machine falls on the floor as well.
        bare = bare_writes(there, shows)
        with _bus(there) as bus:
            until_answered(bus.snapshot, nodes)
            took = pauses(bus, there, shows)
        bare += bare_writes(there, shows)
    return Figure(
        name=name,
        what=f"a pause shown to its frame complete at the other end, behind the polling of {nodes} nodes",
        unit="ms",
        measured=in_ms(took),
        floor=in_ms(bare),
        floor_is="the same frame written to the bare port",
        limits=limits(p50=2, p99=7),
        note=f"a pseudo-terminal takes no time for the bits; a wire takes {_frame_ms():.2f} ms more",
    )


def _at_rest(segments: int, *, nodes: int, seconds: float, folder: Path) -> list[Figure]:
    with cables(segments=segments, nodes=nodes, folder=folder) as there, _bus(there) as bus:
        bus.show(_state(there.next_round(), paused=False))
        until_answered(bus.snapshot, segments * nodes)
        parts = processor_parts(seconds)
        ages = [float(node.age_ms) for segment in bus.snapshot() for node in segment.nodes]
    return [
        Figure(
            name="tables.processor",
            what=f"processor time of {segments} segments with {nodes} nodes each, polled and refreshed",
            unit="%",
            measured=summary(parts),
            limits=limits(p50=25),
            note="of one core, for the table bus alone; the scripted nodes run in another process",
        ),
        Figure(
            name="tables.age",
            what="age of a node's last answer then",
            unit="ms",
            measured=summary(ages),
            limits=limits(p99=1000),
        ),
    ]


def _bus(there: Cables) -> SerialTableBus:
    return open_table_bus(there.segments, baud=BAUD, clock=SystemClock(), on_event=lambda _: None)


def _state(number: int, *, paused: bool) -> TableState:
    return TableState(
        as_of_us=boot_ns() // 1000,
        phase="round",
        running=not paused,
        paused=paused,
        pause_reasons=("button",) if paused else (),
        left_us=20_000_000,
        duration_ms=35_000,
        round=number,
    )


def _frame(number: int) -> bytes:
    state = StateMessage(epoch=1, state_seq=number, master_us=0, round=number)
    return encode(to_frame(state, dst=EVERYBODY, src=MASTER, seq=number % 256))


def _frame_ms() -> float:
    """On a real line."""
    return wire_us(len(_frame(0)), BAUD) / 1000
