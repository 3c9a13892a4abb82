"""The small button as gpiozero's own input on mock pins."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.hal.gpio import GpioPauseButton, GpioPushButton, PinFactory, open_pins
from pi_controller.hal.roles import ContactChange, Contacts, PinUnusable
from pi_controller.hal.system.kernel import SystemClock
from tests.hal.hand_clock import HandClock


def test_pressed_is_low_and_open_is_high(tmp_path: Path) -> None:
    with open_pins("mock", pipe_folder=tmp_path) as pins:
        button = GpioPushButton(pins, 27, "Shutdown button")
        assert button.pressed() is False
        pins.simulated.drive(27, high=False)
        assert button.pressed() is True
        pins.simulated.drive(27, high=True)
        assert button.pressed() is False
        button.close()
        button.close()


def test_a_pin_that_is_taken_and_one_that_is_closed(tmp_path: Path) -> None:
    with open_pins("mock", pipe_folder=tmp_path) as pins:
        button = GpioPushButton(pins, 27, "Shutdown button")
        with pytest.raises(PinUnusable, match="Shutdown button"):
            GpioPushButton(pins, 27, "Shutdown button")
        button.close()
        with pytest.raises(PinUnusable, match="Shutdown button"):
            button.pressed()


NO, NC = 6, 5


def no_error(error: Exception) -> None:
    raise AssertionError(error)


@pytest.fixture
def pins() -> Iterator[PinFactory]:
    with open_pins("mock") as pins:
        pins.simulated.drive(NC, high=False)
        yield pins


@pytest.fixture
def button(pins: PinFactory) -> Iterator[GpioPauseButton]:
    with GpioPauseButton(pins, no_pin=NO, nc_pin=NC, clock=HandClock(), on_error=no_error) as button:
        yield button


def test_closed_is_low_and_the_pull_ups_are_on(pins: PinFactory, button: GpioPauseButton) -> None:
    assert pins.factory.pin(NO).pull == pins.factory.pin(NC).pull == "up"
    assert button.contacts() == Contacts(no_closed=False, nc_closed=True)
    pins.simulated.drive(NC, high=True)
    pins.simulated.drive(NO, high=False)
    assert button.contacts() == Contacts(no_closed=True, nc_closed=False)
    pins.simulated.drive(NC, high=None)
    pins.simulated.drive(NO, high=None)
    assert button.contacts() == Contacts(no_closed=False, nc_closed=False)


def test_one_contact(pins: PinFactory) -> None:
    with GpioPauseButton(pins, no_pin=NO, nc_pin=None, clock=HandClock(), on_error=no_error) as button:
        pins.simulated.drive(NO, high=False)
        assert button.contacts() == Contacts(no_closed=True, nc_closed=None)


def test_the_stamp_is_the_edge_in_boot_time(pins: PinFactory) -> None:
    changes: list[ContactChange] = []
    clock = SystemClock()
    with GpioPauseButton(pins, no_pin=NO, nc_pin=None, clock=clock, on_error=no_error) as button:
        button.listen(changes.append)
        before_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        pins.simulated.drive(NO, high=False)
        after_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    (change,) = changes
    assert change.trusted
    # The stamp is a float of seconds: good for a microsecond.
    assert before_ns - 1000 <= change.at_ns <= after_ns + 1000


@pytest.mark.parametrize(
    ("age_s", "trusted"),
    [(0.0, True), (0.25, True), (1.0, True), (1.001, False), (-0.001, False), (1.7e9, False)],
)
def test_a_stamp_of_the_wrong_age_gives_way_to_the_arrival(
    pins: PinFactory, monkeypatch: pytest.MonkeyPatch, age_s: float, trusted: bool
) -> None:
    changes: list[ContactChange] = []
    clock = HandClock()
    monkeypatch.setattr(pins.factory, "ticks", lambda: 100.0)
    monkeypatch.setattr(pins.factory, "ticks_diff", lambda later, _earlier: later - 100.0 + age_s)
    with GpioPauseButton(pins, no_pin=NO, nc_pin=None, clock=clock, on_error=no_error) as button:
        button.listen(changes.append)
        pins.simulated.drive(NO, high=False)
    (change,) = changes
    assert change.trusted is trusted
    assert change.at_ns == clock.now_ns - (round(age_s * 1e9) if trusted else 0)


def test_a_listener_that_raises_is_told_and_the_next_edge_still_comes(pins: PinFactory) -> None:
    errors: list[Exception] = []
    changes: list[ContactChange] = []

    def listener(change: ContactChange) -> None:
        if not changes:
            changes.append(change)
            raise KeyError("thrown inside the callback")
        changes.append(change)

    with GpioPauseButton(pins, no_pin=NO, nc_pin=None, clock=HandClock(), on_error=errors.append) as button:
        button.listen(listener)
        pins.simulated.drive(NO, high=False)
        pins.simulated.drive(NO, high=True)
    assert [type(error) for error in errors] == [KeyError]
    assert [change.closed for change in changes] == [True, False]


def test_nothing_comes_after_close(pins: PinFactory, button: GpioPauseButton) -> None:
    changes: list[ContactChange] = []
    button.listen(changes.append)
    button.close()
    button.close()
    pins.simulated.drive(NO, high=False)
    assert changes == []
    with pytest.raises(
        PinUnusable, match=r"Pause button \(NO contact\) on GPIO6|Pause button \(NC contact\) on GPIO5"
    ):
        button.contacts()


def test_a_pin_in_use_leaves_no_contact_open(pins: PinFactory) -> None:
    with pytest.raises(PinUnusable, match=r"Pause button \(NO contact\) on GPIO5"):
        GpioPauseButton(pins, no_pin=NC, nc_pin=NC, clock=HandClock(), on_error=no_error)
    GpioPauseButton(pins, no_pin=NO, nc_pin=NC, clock=HandClock(), on_error=no_error).close()
