"""The safe state of all outputs: low, that is lamps dark and buzzer silent.

    problems = safe_outputs(pins, {"Sun lamp": 12, "Buzzer": 16})

For the exit, for after a crash, and for `pi-controller safe-outputs`.
"""

from collections.abc import Mapping

from pi_controller.hal.errors import PinUnusable
from pi_controller.hal.gpio.device import OutputPin
from pi_controller.hal.gpio.factory import Pins


def safe_outputs(pins: Pins, outputs: Mapping[str, int]) -> tuple[str, ...]:
    """Drive each of these BCM pins low and release it; one sentence for each that could not be driven."""
    problems = []
    for name, pin in outputs.items():
        try:
            OutputPin(pins, pin, name).close()
        except PinUnusable as error:
            problems.append(str(error))
    return tuple(problems)
