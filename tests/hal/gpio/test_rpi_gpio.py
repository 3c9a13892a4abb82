"""The RPi.GPIO back end over fake-rpi: the same devices, another library below."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from pi_controller.hal.debouncer import Debouncer, Held, Pressed, Released
from pi_controller.hal.gpio import GpioBuzzer, GpioLamp, GpioPauseButton, PinFactory, open_pins, safe_outputs
from pi_controller.hal.roles import ContactChange, PinUnusable
from pi_controller.hal.system.kernel import SystemClock
from tests.fake_pi import FakeGpio, fake_pi
from tests.hal.hand import NoTimer

NO, NC = 6, 5
S = 1_000_000_000
# Two edges a period of 10 kHz.
EDGE_NS = 50_000


@pytest.fixture
def gpio(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGpio]:
    with fake_pi(monkeypatch) as gpio:
        yield gpio


@pytest.fixture
def pins(gpio: FakeGpio) -> Iterator[PinFactory]:
    with open_pins("rpigpio") as pins:
        assert gpio.mode == gpio.BCM
        yield pins


def raise_it(error: Exception) -> None:
    raise error


def test_output_levels(gpio: FakeGpio, pins: PinFactory) -> None:
    with GpioLamp(pins, 12, "Sun lamp") as lamp:
        assert gpio.levels[12] == 0
        lamp.show(lit=True)
        assert gpio.levels[12] == 1
    assert gpio.levels[12] == 0
    with GpioBuzzer(pins, 16, longest_tone_ms=1000, start_timer=NoTimer) as buzzer:
        buzzer.sound(on=True)
        assert gpio.levels[16] == 1
    assert gpio.levels[16] == 0
    assert safe_outputs(pins, {"Sun lamp": 12, "Buzzer": 16}) == ()


def test_an_error_of_the_library_is_one_sentence(gpio: FakeGpio, pins: PinFactory) -> None:
    lamp = GpioLamp(pins, 12, "Sun lamp")
    gpio.cleanup(12)
    with pytest.raises(PinUnusable, match="Sun lamp on GPIO12 cannot be used"):
        lamp.show(lit=True)
    gpio.setup(12, gpio.OUT)
    lamp.close()


@pytest.mark.parametrize("bounces", [0, 1000])
def test_press_hold_and_release(gpio: FakeGpio, pins: PinFactory, bounces: int) -> None:
    changes: list[ContactChange] = []
    gpio.drive(NC, 0)
    with GpioPauseButton(pins, no_pin=NO, nc_pin=NC, clock=SystemClock(), on_error=raise_it) as button:
        debouncer = Debouncer(contacts="nc_no", hold_ns=3 * S)
        debouncer.sample(button.contacts(), SystemClock().boot_ns())
        button.listen(changes.append)
        gpio.drive(NC, 1)
        for _ in range(bounces // 2):
            gpio.drive(NO, 0)
            gpio.drive(NO, 1)
        gpio.drive(NO, 0)
        assert all(change.trusted for change in changes)
        # At the pace of a real contact, however long this machine took.
        start_ns = changes[0].at_ns
        for index, change in enumerate(changes):
            debouncer.change(replace(change, at_ns=start_ns + index * EDGE_NS))
        assert debouncer.advance(start_ns + 4 * S) == (
            Pressed(start_ns + EDGE_NS),
            Held(start_ns + EDGE_NS + 3 * S, start_ns + EDGE_NS),
        )
        changes.clear()
        gpio.drive(NO, 1)
        gpio.drive(NC, 0)
        for change in changes:
            debouncer.change(replace(change, at_ns=start_ns + 5 * S))
        assert debouncer.advance(start_ns + 6 * S) == (Released(start_ns + 5 * S),)
