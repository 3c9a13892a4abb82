"""Outputs that are low from the start to the end: lamps, buzzer, control lines of an SPI display, and their
safe state after a crash.

lamp = open_lamp(pins, 12, "Sun lamp")
problems = safe_outputs(pins, {"Sun lamp": 12, "Buzzer": 16})
"""

import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Protocol, Self

from gpiozero import DigitalOutputDevice

from pi_controller.hal.gpio.factory import Pins
from pi_controller.hal.roles import PinUnusable
from pi_controller.sentence import Sentence


class OutputPin:
    """An active-high output. Raises PinUnusable when the library refuses; after `close` it stays low."""

    def __init__(self, pins: Pins, pin: int, device: str | Sentence) -> None:
        self._pins = pins
        self._pin = pin
        self._device = device
        with pins.naming(device, pin):
            self._output: Any = DigitalOutputDevice(pin, initial_value=False, pin_factory=pins.factory)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def put(self, *, high: bool) -> None:
        if self._output.closed:
            return
        with self._pins.naming(self._device, self._pin):
            self._output.value = int(high)

    def close(self) -> None:
        """Low, then released (an input, which the board's pull-down keeps low); may be called twice."""
        if self._output.closed:
            return
        with self._pins.naming(self._device, self._pin):
            try:
                self._output.off()
            finally:
                self._output.close()


class GpioLamp(OutputPin):
    """Implements `roles.Lamp`."""

    def show(self, *, lit: bool) -> None:
        self.put(high=lit)


def open_lamp(pins: Pins, pin: int, name: str | Sentence) -> GpioLamp:
    """Open a dark lamp on this BCM pin. `name` stands in errors. Raises PinUnusable."""
    return GpioLamp(pins, pin, name)


class Timer(Protocol):
    """What runs out after the longest tone."""

    def cancel(self) -> None: ...


StartTimer = Callable[[float, Callable[[], None]], Timer]


def start_thread_timer(after_s: float, act: Callable[[], None]) -> Timer:
    """A thread that lives for one tone, so that the limit holds even while the program's loop is stuck."""
    timer = threading.Timer(after_s, act)
    timer.name = "buzzer-limit"
    timer.daemon = True
    timer.start()
    return timer


class GpioBuzzer:
    """Implements `roles.Buzzer`. A tone cut by the limit stays off until it was asked to be off once."""

    def __init__(self, output: OutputPin, *, longest_tone_ms: int, start_timer: StartTimer) -> None:
        if longest_tone_ms <= 0:
            raise ValueError("The longest tone of the buzzer must be above 0 ms.")
        self._output = output
        self._longest_s = longest_tone_ms / 1000
        self._start_timer = start_timer
        self._lock = threading.Lock()
        self._timer: Timer | None = None
        self._tone = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def sound(self, *, on: bool) -> None:
        with self._lock:
            if not on:
                self._stop()
            elif self._timer is None:
                tone = self._tone
                self._output.put(high=True)
                self._timer = self._start_timer(self._longest_s, lambda: self._too_long(tone))

    def close(self) -> None:
        with self._lock:
            self._stop()
            self._output.close()

    def _stop(self) -> None:
        self._tone += 1
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._output.put(high=False)

    def _too_long(self, tone: int) -> None:
        with self._lock:
            # A timer that ran out while its tone was being ended must not cut the next one.
            if tone == self._tone:
                self._output.put(high=False)


def open_buzzer(
    pins: Pins, pin: int, *, longest_tone_ms: int, start_timer: StartTimer = start_thread_timer
) -> GpioBuzzer:
    """Open a silent buzzer on this BCM pin. Raises PinUnusable, or ValueError for a limit of 0 or less."""
    output = OutputPin(pins, pin, Sentence("panel.buzzer_pin"))
    return GpioBuzzer(output, longest_tone_ms=longest_tone_ms, start_timer=start_timer)


class GpioLines:
    """Stands where luma would otherwise import RPi.GPIO, which half of the boards do not have."""

    LOW = 0
    HIGH = 1
    OUT = 0

    def __init__(self, pins: Pins) -> None:
        self._pins = pins
        self._outputs: dict[int, OutputPin] = {}

    def setup(self, pin: int, _direction: int) -> None:
        """Make this BCM pin an output. Raises PinUnusable."""
        if pin not in self._outputs:
            self._outputs[pin] = OutputPin(self._pins, pin, Sentence("display.control_pin"))

    def output(self, pin: int, level: int) -> None:
        self._outputs[pin].put(high=bool(level))

    def close(self) -> None:
        """All lines low and released; may be called twice."""
        while self._outputs:
            self._outputs.popitem()[1].close()


def open_lines(pins: Pins) -> GpioLines:
    """Lines are opened as the display driver asks for them."""
    return GpioLines(pins)


def safe_outputs(pins: Pins, outputs: Mapping[str, int] | Mapping[Sentence, int]) -> tuple[Sentence, ...]:
    """Drive each of these BCM pins low and release it; one sentence for each that could not be driven."""
    problems = []
    for name, pin in outputs.items():
        try:
            OutputPin(pins, pin, name).close()
        except PinUnusable as error:
            problems.append(error.sentence)
    return tuple(problems)
