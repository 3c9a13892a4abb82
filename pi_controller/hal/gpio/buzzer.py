"""A buzzer that cannot stay on: the driver ends a tone that lasts too long.

buzzer = open_buzzer(pins, 16, longest_tone_ms=1000)
"""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

from pi_controller.hal.gpio.device import OutputPin
from pi_controller.hal.gpio.factory import Pins


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
    output = OutputPin(pins, pin, "Buzzer")
    return GpioBuzzer(output, longest_tone_ms=longest_tone_ms, start_timer=start_timer)
