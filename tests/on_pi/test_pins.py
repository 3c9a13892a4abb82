"""Outputs on a real chip."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pi_controller.hal.gpio import GpioBuzzer, GpioLamp, PinFactory, safe_outputs

OUTPUTS = {"Sun lamp": 12, "Moon lamp": 13, "Buzzer": 16, "Pause lamp": 26}

LIGHT_AND_WAIT = """
import os, sys, threading
from pathlib import Path
from pi_controller.hal.gpio import open_pins
from pi_controller.hal.gpio import GpioLamp
GpioLamp(open_pins(sys.argv[1], pipe_folder=Path(sys.argv[2])), 12, "Sun lamp").show(lit=True)
print("lit", flush=True)
threading.Event().wait()
"""


@pytest.mark.parametrize("name", ["Sun lamp", "Moon lamp", "Pause lamp"])
def test_a_lamp_follows(pins: PinFactory, name: str) -> None:
    with GpioLamp(pins, OUTPUTS[name], name) as lamp:
        lamp.show(lit=True)
        assert pins.factory.pin(OUTPUTS[name]).state
        lamp.show(lit=False)
        assert not pins.factory.pin(OUTPUTS[name]).state


def test_the_buzzer_is_cut_at_its_limit(pins: PinFactory) -> None:
    timers = []

    def start(after_s: float, act: object) -> object:
        timers.append(threading.Timer(after_s, act))
        timers[0].start()
        return timers[0]

    with GpioBuzzer(pins, OUTPUTS["Buzzer"], longest_tone_ms=100, start_timer=start) as buzzer:
        buzzer.sound(on=True)
        timers[0].join(10)
        assert not pins.factory.pin(OUTPUTS["Buzzer"]).state


def test_outputs_are_low_after_a_kill_and_the_safe_command(pins: PinFactory, tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", LIGHT_AND_WAIT, pins.name, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "lit\n"
    os.kill(child.pid, signal.SIGKILL)
    child.wait(10)
    assert safe_outputs(pins, OUTPUTS) == ()
    for pin in OUTPUTS.values():
        assert not pins.factory.pin(pin).state
