"""Control lines of an SPI display (data/command and reset), offered with the names that luma expects.

lines = open_lines(pins)
"""

from pi_controller.hal.gpio.device import OutputPin
from pi_controller.hal.gpio.factory import Pins


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
            self._outputs[pin] = OutputPin(self._pins, pin, "Local display")

    def output(self, pin: int, level: int) -> None:
        self._outputs[pin].put(high=bool(level))

    def close(self) -> None:
        """All lines low and released; may be called twice."""
        while self._outputs:
            self._outputs.popitem()[1].close()


def open_lines(pins: Pins) -> GpioLines:
    """Lines are opened as the display driver asks for them."""
    return GpioLines(pins)
