"""Lamps, buzzer, lines and the safe state: real gpiozero devices on mock pins."""

from collections.abc import Callable

import pytest
from gpiozero.exc import GPIOZeroError

from pi_controller.hal.gpio import GpioBuzzer, GpioLamp, GpioLines, PinFactory, safe_outputs
from pi_controller.hal.roles import PinUnusable
from pi_controller.language.words import words


class HandTimer:
    """A timer that runs out when the test says so, even after it was cancelled (as a late thread does)."""

    def __init__(self) -> None:
        self.started: list[float] = []
        self.cancelled = 0
        self._acts: list[Callable[[], None]] = []

    def start(self, after_s: float, act: Callable[[], None]) -> "HandTimer":
        self.started.append(after_s)
        self._acts.append(act)
        return self

    def cancel(self) -> None:
        self.cancelled += 1

    def run_out(self, which: int) -> None:
        self._acts[which]()


def test_lamp_follows_and_ends_dark(pins: PinFactory) -> None:
    with GpioLamp(pins, 12, "Sun lamp") as lamp:
        assert not pins.simulated.level(12)
        lamp.show(lit=True)
        assert pins.simulated.level(12)
        lamp.show(lit=False)
        assert not pins.simulated.level(12)
        lamp.show(lit=True)
    assert not pins.simulated.level(12)
    lamp.close()
    lamp.show(lit=True)
    assert not pins.simulated.level(12)


def test_output_changes_are_told_with_the_new_level_set(pins: PinFactory) -> None:
    seen: list[bool] = []
    lamp = GpioLamp(pins, 12, "Sun lamp")
    pins.simulated.watch(lambda: seen.append(pins.simulated.level(12)))
    for lit in (True, True, False, True):
        lamp.show(lit=lit)
    lamp.close()
    assert seen == [True, False, True, False]


def test_simulated_pins_keep_no_record_of_their_changes(pins: PinFactory) -> None:
    with GpioLamp(pins, 12, "Sun lamp") as lamp:
        before = len(pins.factory.pin(12).states)
        for step in range(100):
            lamp.show(lit=step % 2 == 0)
        assert len(pins.factory.pin(12).states) == before


def test_a_pin_used_twice_is_one_sentence(pins: PinFactory) -> None:
    with (
        GpioLamp(pins, 12, "Sun lamp"),
        pytest.raises(PinUnusable, match=r"Moon lamp on GPIO12 cannot.*\[pins\]"),
    ):
        GpioLamp(pins, 12, "Moon lamp")


def test_a_pin_that_is_none_is_one_sentence(pins: PinFactory) -> None:
    with pytest.raises(PinUnusable, match="Sun lamp on GPIO99 cannot be used"):
        GpioLamp(pins, 99, "Sun lamp")


def test_buzzer_ends_a_tone_at_its_limit_until_it_was_off(pins: PinFactory) -> None:
    timer = HandTimer()
    with GpioBuzzer(pins, 16, longest_tone_ms=1500, start_timer=timer.start) as buzzer:
        assert timer.started == []
        buzzer.sound(on=True)
        buzzer.sound(on=True)
        assert pins.simulated.level(16)
        assert timer.started == [1.5]
        timer.run_out(0)
        assert not pins.simulated.level(16)
        buzzer.sound(on=True)
        assert not pins.simulated.level(16)
        buzzer.sound(on=False)
        buzzer.sound(on=True)
        assert pins.simulated.level(16)
        assert timer.started == [1.5, 1.5]
    assert not pins.simulated.level(16)
    assert timer.cancelled == 2
    buzzer.close()


def test_a_timer_that_is_late_does_not_cut_the_next_tone(pins: PinFactory) -> None:
    timer = HandTimer()
    with GpioBuzzer(pins, 16, longest_tone_ms=100, start_timer=timer.start) as buzzer:
        buzzer.sound(on=True)
        buzzer.sound(on=False)
        buzzer.sound(on=True)
        timer.run_out(0)
        assert pins.simulated.level(16)
        timer.run_out(1)
        assert not pins.simulated.level(16)


def test_buzzer_without_a_limit_is_refused(pins: PinFactory) -> None:
    with pytest.raises(ValueError, match="above 0 ms"):
        GpioBuzzer(pins, 16, longest_tone_ms=0, start_timer=HandTimer().start)
    GpioLamp(pins, 16, "Sun lamp").close()


def test_safe_outputs_sets_all_low_and_names_what_it_cannot(pins: PinFactory) -> None:
    lamp = GpioLamp(pins, 13, "Moon lamp")
    lamp.show(lit=True)
    problems = safe_outputs(pins, {"Sun lamp": 12, "Moon lamp": 13, "Buzzer": 16})
    assert len(problems) == 1
    assert words(problems[0]).startswith("Moon lamp on GPIO13 cannot be used")
    assert not pins.simulated.level(12)
    assert not pins.simulated.level(16)
    lamp.close()
    assert safe_outputs(pins, {"Moon lamp": 13}) == ()


def test_lines_are_outputs_that_end_low(pins: PinFactory) -> None:
    lines = GpioLines(pins)
    lines.setup(24, lines.OUT)
    lines.setup(24, lines.OUT)
    lines.output(24, lines.HIGH)
    assert pins.simulated.level(24)
    lines.close()
    lines.close()
    assert not pins.simulated.level(24)


def test_a_library_error_while_driving_is_one_sentence(
    pins: PinFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    lamp = GpioLamp(pins, 12, "Sun lamp")
    pin = pins.factory.pin(12)

    def refuse(_value: float) -> None:
        raise GPIOZeroError("chip is gone")

    with monkeypatch.context() as patch:
        patch.setattr(pin, "_set_state", refuse)
        with pytest.raises(PinUnusable, match="chip is gone"):
            lamp.show(lit=True)
    lamp.close()
