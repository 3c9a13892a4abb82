"""A lamp behind a MOSFET: pin high is lit.

lamp = open_lamp(pins, 12, "Sun lamp")
"""

from pi_controller.hal.gpio.device import OutputPin
from pi_controller.hal.gpio.factory import Pins


class GpioLamp(OutputPin):
    """Implements `roles.Lamp`."""

    def show(self, *, lit: bool) -> None:
        self.put(high=lit)


def open_lamp(pins: Pins, pin: int, name: str) -> GpioLamp:
    """Open a dark lamp on this BCM pin. `name` stands in errors. Raises PinUnusable."""
    return GpioLamp(pins, pin, name)
