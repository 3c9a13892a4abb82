"""The controller's side of a segment's port in real time: a real master on a real serial port."""

import selectors
import threading
import time
from collections.abc import Callable
from pathlib import Path

import serial

from pi_controller.bus.master import SegmentMaster
from pi_controller.bus.requests import Send
from pi_controller.bus.values import BusEvent
from tests.patience import DEADLINE_S


def boot_us() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000


def wait_for(condition: Callable[[], bool], deadline_s: float = DEADLINE_S) -> None:
    """Looks often, for states that nobody announces; fails after the deadline."""
    until = time.monotonic() + deadline_s
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        pause.wait(0.002)  # what is waited for needs the processor, too


class NearSide:
    """Several segments' masters in one loop, as `hal/serial` runs them in threads."""

    def __init__(self, ports: dict[str, Path], *, epoch: int = 1, baud: int = 250_000) -> None:
        self.masters: dict[str, SegmentMaster] = {}
        self.events: list[BusEvent] = []
        self._lines: dict[str, serial.Serial] = {}
        self._selector = selectors.DefaultSelector()
        for number, (name, path) in enumerate(ports.items()):
            line = serial.Serial(str(path), baud, timeout=0, exclusive=True)
            self._lines[name] = line
            salts = iter(range(7919 * number, 1 << 40, 40_503))
            self.masters[name] = SegmentMaster(
                name=name, epoch=epoch, salt=lambda salts=salts: next(salts) % 65536, baud=baud
            )
            self._selector.register(line, selectors.EVENT_READ, name)

    def run_until(self, condition: Callable[[], bool], deadline_s: float = DEADLINE_S) -> None:
        """Serves the line until then; fails after the deadline."""
        until_us = boot_us() + round(deadline_s * 1e6)
        while not condition():
            assert boot_us() < until_us, f"it did not happen in time; last events: {self.events[-5:]}"
            self._turn()

    def run_for(self, seconds: float) -> None:
        until_us = boot_us() + round(seconds * 1e6)
        self.run_until(lambda: boot_us() >= until_us, seconds + DEADLINE_S)

    def good(self) -> int:
        """Nodes that answer."""
        snapshots = [master.snapshot(boot_us()) for master in self.masters.values()]
        return sum(node.state == "good" for snapshot in snapshots for node in snapshot.nodes)

    def close(self) -> None:
        self._selector.close()
        for line in self._lines.values():
            line.close()

    def _turn(self) -> None:
        rest_us = min(self._act(name) for name in self.masters)
        wait_s = max(0, rest_us - boot_us()) / 1e6
        for key, _ in self._selector.select(min(wait_s, 0.05)):
            self._note(key.data, self._lines[key.data].read(4096))
        for name in self.masters:
            self._note(name, b"")

    def _act(self, name: str) -> int:
        while isinstance(step := self.masters[name].next(boot_us()), Send):
            self._lines[name].write(step.data)
        return step.until_us

    def _note(self, name: str, data: bytes) -> None:
        self.events += self.masters[name].received(data, boot_us())
