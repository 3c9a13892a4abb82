"""A small button that switches its pin to ground; the pull-up is on.

button = open_push_button(pins, 27, "Shutdown button")
"""

from typing import Any

from gpiozero import InputDevice

from pi_controller.hal.gpio.factory import Pins


class GpioPushButton:
    """Implements `roles.PushButton`. Raises PinUnusable when the library refuses."""

    def __init__(self, pins: Pins, pin: int, name: str) -> None:
        self._pins = pins
        self._pin = pin
        self._name = name
        with pins.naming(name, pin):
            self._input: Any = InputDevice(pin, pull_up=True, pin_factory=pins.factory)

    def pressed(self) -> bool:
        """The level now. Raises PinUnusable when it cannot be read, also after `close`."""
        with self._pins.naming(self._name, self._pin):
            return bool(self._input.is_active)

    def close(self) -> None:
        """Released; may be called twice."""
        self._input.close()


def open_push_button(pins: Pins, pin: int, name: str) -> GpioPushButton:
    """Open the button on this BCM pin. `name` stands in errors. Raises PinUnusable."""
    return GpioPushButton(pins, pin, name)
