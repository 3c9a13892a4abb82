"""The small button as gpiozero's own input on mock pins."""

from pathlib import Path

import pytest

from pi_controller.hal.errors import PinUnusable
from pi_controller.hal.gpio.factory import open_pins
from pi_controller.hal.gpio.push_button import open_push_button


def test_pressed_is_low_and_open_is_high(tmp_path: Path) -> None:
    with open_pins("mock", pipe_folder=tmp_path) as pins:
        button = open_push_button(pins, 27, "Shutdown button")
        assert button.pressed() is False
        pins.simulated.drive(27, high=False)
        assert button.pressed() is True
        pins.simulated.drive(27, high=True)
        assert button.pressed() is False
        button.close()
        button.close()


def test_a_pin_that_is_taken_and_one_that_is_closed(tmp_path: Path) -> None:
    with open_pins("mock", pipe_folder=tmp_path) as pins:
        button = open_push_button(pins, 27, "Shutdown button")
        with pytest.raises(PinUnusable, match="Shutdown button"):
            open_push_button(pins, 27, "Shutdown button")
        button.close()
        with pytest.raises(PinUnusable, match="Shutdown button"):
            button.pressed()
