"""What lamp, buzzer and line share: one output pin, low from the start to the end."""

from types import TracebackType
from typing import Any, Self

from gpiozero import DigitalOutputDevice

from pi_controller.hal.gpio.factory import Pins


class OutputPin:
    """An active-high output. Raises PinUnusable when the library refuses; after `close` it stays low."""

    def __init__(self, pins: Pins, pin: int, device: str) -> None:
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
