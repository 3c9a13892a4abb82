"""The outside world of the hobbyist's program: real gpiozero on mock pins, real luma on a simulated display's
wires, and a hand at the button."""

import contextlib
import random
import threading
import time
import warnings
from collections.abc import Iterator

from gpiozero import Device
from luma.oled.device import ssd1306

from pi_controller.bench import hobby
from pi_controller.bench.processes import LOOK_S, BenchError, boot_ns
from pi_controller.hal.gpio import SimulatedPins
from pi_controller.hal.sim.display_bus import SimDisplayBus

BOUNCE_S = 0.05
HELD_S = 0.12

Edges = tuple[tuple[float, bool], ...]
"""Seconds since the first touch, and whether the contact is closed from then on."""


def clean(held_s: float) -> Edges:
    return (0.0, True), (held_s, False)


def worn(chance: random.Random) -> Edges:
    """A press whose contact closes and opens again a few times within some milliseconds, at both ends."""
    return (*_chatter(chance, 0.0, closed=True), *_chatter(chance, HELD_S, closed=False))


def _chatter(chance: random.Random, from_s: float, *, closed: bool) -> Iterator[tuple[float, bool]]:
    at_s = from_s
    for number in range(1 + 2 * chance.randint(1, 4)):
        yield at_s, closed == (number % 2 == 0)
        at_s += chance.uniform(0.0002, 0.0015)


def offered(edges: Edges, bounce_s: float | None) -> Edges:
    """What a program hears of it: as with lgpio, gpiozero's first choice, a level is told `bounce_s` after it
    came, if it has stood so long. Mock pins know no bounce."""
    if bounce_s is None:
        return edges
    ends = [*(at_s for at_s, _ in edges[1:]), float("inf")]
    stood = [
        (at_s + bounce_s, closed)
        for (at_s, closed), end_s in zip(edges, ends, strict=True)
        if end_s - at_s >= bounce_s
    ]
    levels = [False, *(closed for _, closed in stood)]
    return tuple(edge for edge, before in zip(stood, levels, strict=False) if edge[1] != before)


class _Ended(Exception):  # noqa: N818 - nothing went wrong
    """Takes the program out of its endless loop."""


class HobbyClock:
    """The program, which runs on a thread. `turns_ns` are when the side's lamps changed, the first when round
    1 began, `pauses_ns` when the pause lamp did; all in CLOCK_BOOTTIME."""

    def __init__(self, pins: SimulatedPins) -> None:
        self.turns_ns: list[int] = []
        self.pauses_ns: list[int] = []
        self.changed = threading.Event()
        self._pins = pins
        self._lit = (False, False)
        self._lock = threading.Lock()
        pins.watch(self._look)

    def press(self, edges: Edges) -> int:
        """Do so at the button; gives the moment of the first touch, CLOCK_BOOTTIME."""
        begun_ns = boot_ns()
        for at_s, closed in edges:
            time.sleep(max(0.0, begun_ns / 1e9 + at_s - boot_ns() / 1e9))
            self._pins.drive(hobby.PAUSE_BUTTON, high=not closed)
        return begun_ns

    @property
    def paused(self) -> bool:
        return self._pins.level(hobby.PAUSE_LAMP)

    def _look(self) -> None:
        """On the program's thread, and on the hand's for the pause lamp."""
        with self._lock:
            now_ns = boot_ns()
            sun, paused = self._pins.level(hobby.SUN_LAMP), self._pins.level(hobby.PAUSE_LAMP)
            if paused != self._lit[1]:
                self.pauses_ns.append(now_ns)
            if sun != self._lit[0]:
                self.turns_ns.append(now_ns)
            self._lit = (sun, paused)
        self.changed.set()


@contextlib.contextmanager
def hobby_clock(round_s: float, bounce_s: float | None = BOUNCE_S) -> Iterator[HobbyClock]:
    """The program in its first round. BenchError when it breaks off."""
    wires = SimDisplayBus("ssd1306")
    with _mock_pins() as pins, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of luma's own use of Pillow
        found = HobbyClock(pins)
        running = threading.Thread(target=_run, args=(wires, round_s, bounce_s), name="hobby")
        running.start()
        try:
            _wait_for_a_lamp(found, running)
            yield found
        finally:
            wires.slow = _end
            running.join()


def _wait_for_a_lamp(program: HobbyClock, running: threading.Thread) -> None:
    while not program.changed.wait(LOOK_S):
        if not running.is_alive():
            raise BenchError("The hobbyist's program broke off.")


@contextlib.contextmanager
def _mock_pins() -> Iterator[SimulatedPins]:
    """Where gpiozero finds all pins that no factory is named for."""
    before, pins = Device.pin_factory, SimulatedPins()
    Device.pin_factory = pins
    try:
        yield pins
    finally:
        pins.close()
        Device.pin_factory = before


def _run(wires: SimDisplayBus, round_s: float, bounce_s: float | None) -> None:
    with contextlib.suppress(_Ended):
        hobby.play(ssd1306(wires.i2c()()), round_s, bounce_s)


def _end() -> None:
    raise _Ended
