"""`pi-controller safe-outputs`: lamps dark and buzzer silent, for after a crash; core's unit calls it."""

import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from pi_controller.cli.process_arguments import add_unattended
from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    Stop,
    add_settings,
    add_state_dir,
    parser_for,
    state_dir,
)
from pi_controller.hal.gpio import Pins, open_pins, safe_outputs
from pi_controller.hal.names import PinFactoryName
from pi_controller.hal.roles import HardwareMissing
from pi_controller.language.words import all_words, words
from pi_controller.sentence import Sentence, listed, said_by
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import load, load_or_make_do
from pi_controller.settings.sections import Settings


def run(name: str, given: list[str], *, open_real: Callable[..., Pins] = open_pins) -> int:
    """0 when all outputs are low, 1 when one could not be driven, 2 for wrong settings or a missing driver.

    `open_real` takes what `open_pins` takes.
    """
    parser = parser_for(name)
    add_settings(parser)
    add_unattended(parser)
    add_state_dir(parser)
    arguments = parser.parse_args(given)
    try:
        settings = _settings(arguments)
        outputs = real_outputs(settings)
        problems = _make_low(
            outputs, settings.hardware.pin_factory, pipe_folder=state_dir(arguments) / "pins", opens=open_real
        )
    except SettingsFault as fault:
        raise Stop(BAD_USAGE, said_by(fault)) from fault
    except HardwareMissing as error:
        raise Stop(BAD_USAGE, said_by(error)) from error
    for problem in all_words(problems):
        print(problem, file=sys.stderr)
    if not outputs:
        print(words(Sentence("pins.all_simulated")))
    elif not problems:
        low = [Sentence("pins.output_at", device=device, pin=pin) for device, pin in outputs.items()]
        print(words(Sentence("pins.low_now", outputs=listed(low))))
    return FAILED if problems else ACCEPTED


def _settings(arguments: Namespace) -> Settings:
    """Raises SettingsFault, except when nobody would read it."""
    if not arguments.unattended:
        return load(arguments.settings)
    return load_or_make_do(arguments.settings, None, state_dir(arguments))[0]


def real_outputs(settings: Settings) -> dict[Sentence, int]:
    """BCM pin of every output that is not simulated."""
    pins, hardware = settings.pins, settings.hardware
    lamps = {
        Sentence("panel.lamp_of_sun"): pins.sun_lamp,
        Sentence("panel.lamp_of_moon"): pins.moon_lamp,
        Sentence("panel.lamp_of_pause"): pins.pause_lamp,
    }
    buzzer = {Sentence("panel.buzzer_pin"): pins.buzzer}
    return (lamps if hardware.lamps == "gpiozero" else {}) | (buzzer if hardware.buzzer == "gpiozero" else {})


def _make_low(
    outputs: dict[Sentence, int], factory: PinFactoryName, *, pipe_folder: Path, opens: Callable[..., Pins]
) -> tuple[Sentence, ...]:
    if not outputs:
        return ()
    with opens(factory, pipe_folder=pipe_folder) as pins:
        return safe_outputs(pins, outputs)
