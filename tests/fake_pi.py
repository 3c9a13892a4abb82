"""fake-rpi made good enough for gpiozero's RPiGPIOFactory: levels, pulls, edges and their callbacks.

    with fake_pi(monkeypatch) as gpio:
        ...
        gpio.drive(6, 0)

Plain fake-rpi reads random inputs, drops callbacks and says that every pin is an output. What is supplied
here follows RPi.GPIO 0.7.1: the positional order of `setup`, `RPI_INFO`, the errors for a second edge
detection and for an output that was not set up, bounce time, callbacks on a thread of their own.
"""

import contextlib
import importlib
import io
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType

import pytest

# fake-rpi greets on standard output when it is imported.
with contextlib.redirect_stdout(io.StringIO()):
    fake_rpi = importlib.import_module("fake_rpi")
    _GPIO = importlib.import_module("fake_rpi.RPi")._GPIO

NO_BOUNCE_TIME = -666


class FakeGpio(_GPIO):
    """Stands for the module `RPi.GPIO`; `drive` and `levels` are the outside world."""

    VERSION = "0.7.1"

    def __init__(self, info: dict[str, object]) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            super().__init__()
        self.RPI_INFO = info
        self.levels: dict[int, int] = {}
        self.mode: int | None = None
        self._functions: dict[int, int] = {}
        self._pulls: dict[int, int] = {}
        self._driven: dict[int, int] = {}
        self._edges: dict[int, tuple[int, float]] = {}
        self._callbacks: dict[int, list[Callable[[int], None]]] = {}
        self._last_s: dict[int, float] = {}

    def setwarnings(self, _on: bool) -> None: ...

    def setmode(self, mode: int) -> None:
        self.mode = mode

    def getmode(self) -> int | None:
        return self.mode

    def setup(self, channel: int, direction: int, pull_up_down: int = 20, initial: int = -1) -> None:
        self._functions[channel] = direction
        if direction == self.IN:
            self._pulls[channel] = pull_up_down
            self.levels[channel] = self._driven.get(channel, int(pull_up_down == self.PUD_UP))
        elif initial != -1:
            self.levels[channel] = int(bool(initial))
        else:
            self.levels.setdefault(channel, 0)

    def gpio_function(self, channel: int) -> int:
        return self._functions.get(channel, self.IN)

    def input(self, channel: int) -> int:
        if channel not in self._functions:
            raise RuntimeError("You must setup() the GPIO channel first")
        return self.levels[channel]

    def output(self, channel: int, value: float) -> None:
        if self._functions.get(channel) != self.OUT:
            raise RuntimeError("The GPIO channel has not been set up as an OUTPUT")
        self.levels[channel] = int(bool(value))

    def cleanup(self, channel: int | Sequence[int] | None = None) -> None:
        if channel is None:
            channel = list(self._functions)
        for pin in [channel] if isinstance(channel, int) else channel:
            for table in (self._functions, self._pulls, self._edges, self._callbacks):
                table.pop(pin, None)
            # An input again, without a pull; the board's pull-down wins unless something drives it.
            self.levels[pin] = self._driven.get(pin, 0)

    def add_event_detect(
        self,
        channel: int,
        edge: int,
        callback: Callable[[int], None] | None = None,
        bouncetime: int = NO_BOUNCE_TIME,
    ) -> None:
        if channel in self._edges:
            raise RuntimeError("Conflicting edge detection already enabled for this GPIO channel")
        if bouncetime != NO_BOUNCE_TIME and bouncetime <= 0:
            raise ValueError("Bouncetime must be greater than 0")
        self._edges[channel] = (edge, 0.0 if bouncetime == NO_BOUNCE_TIME else bouncetime / 1000)
        self._callbacks[channel] = [callback] if callback else []

    def add_event_callback(self, channel: int, callback: Callable[[int], None]) -> None:
        self._callbacks[channel].append(callback)

    def remove_event_detect(self, channel: int) -> None:
        self._edges.pop(channel, None)
        self._callbacks.pop(channel, None)

    def drive(self, channel: int, level: int) -> None:
        """Put a level on the pin from outside; returns when the callbacks have run on their thread."""
        before = self.levels.get(channel)
        self._driven[channel] = self.levels[channel] = level
        edge, bounce_s = self._edges.get(channel, (None, 0.0))
        wanted = (self.BOTH, self.RISING if level else self.FALLING)
        now_s = time.monotonic()
        if edge not in wanted or level == before or now_s - self._last_s.get(channel, -9.0) < bounce_s:
            return
        self._last_s[channel] = now_s
        thread = threading.Thread(target=self._call_back, args=(channel,), name="fake-pi-edges")
        thread.start()
        thread.join()

    def _call_back(self, channel: int) -> None:
        for callback in tuple(self._callbacks.get(channel, ())):
            callback(channel)


PI_4 = {
    "P1_REVISION": 3,
    "REVISION": "c03115",
    "TYPE": "Pi 4 Model B",
    "MANUFACTURER": "Sony",
    "PROCESSOR": "BCM2711",
    "RAM": "4G",
}

_BACKEND = "gpiozero.pins.rpigpio"


@contextlib.contextmanager
def fake_pi(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGpio]:
    """Let `import RPi.GPIO` give a fake for this block; what it made us import is forgotten again."""
    gpio = FakeGpio(PI_4)
    rpi = ModuleType("RPi")
    rpi.GPIO = gpio
    local = importlib.import_module("gpiozero.pins.local")
    pins = importlib.import_module("gpiozero.pins")
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "RPi", rpi)
        patch.setitem(sys.modules, "RPi.GPIO", gpio)
        patch.delitem(sys.modules, _BACKEND, raising=False)
        patch.setattr(local, "get_pi_revision", lambda: int(PI_4["REVISION"], 16))
        patch.setattr(local.LocalPiFactory, "pins", {})
        yield gpio
        sys.modules.pop(_BACKEND, None)
        if hasattr(pins, "rpigpio"):
            del pins.rpigpio
