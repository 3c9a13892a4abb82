"""What a real Raspberry Pi says of itself, and its shutdown button."""

import time
from pathlib import Path

from pi_controller.hal.gpio import GpioPushButton, PinFactory
from pi_controller.hal.system.facts import FactsReader

PRESS_WITHIN_S = 20.0


def test_the_computer_tells_of_its_supply_and_its_heat(tmp_path: Path) -> None:
    facts = FactsReader(tmp_path).read()
    print(facts)
    assert facts.model is not None
    assert "Raspberry Pi" in facts.model
    assert facts.supply is not None
    assert not facts.supply.under_voltage
    assert facts.temperature_c is not None
    assert 10 < facts.temperature_c < 85


def test_the_clock_with_a_battery_runs(tmp_path: Path) -> None:
    clock = FactsReader(tmp_path).read().clock
    assert clock.rtc is not None, "fitted? See The clock with a battery in systemd/README.md"
    assert clock.rtc_runs
    assert clock.rtc_ahead_s is not None
    assert abs(clock.rtc_ahead_s) < 2


def test_the_watchdog_is_armed(tmp_path: Path) -> None:
    watchdog = FactsReader(tmp_path).read().watchdog
    assert watchdog is not None
    assert watchdog.armed
    assert watchdog.timeout_s is not None
    assert watchdog.timeout_s <= 15, "the chip's longest; more would mean that there is none"


def test_the_shutdown_button_is_seen(pins: PinFactory) -> None:
    button = GpioPushButton(pins, 27, "Shutdown button")
    assert not button.pressed()
    print(f"\nPress the shutdown button within {PRESS_WITHIN_S:.0f} s.")
    until = time.monotonic() + PRESS_WITHIN_S
    while not button.pressed():
        assert time.monotonic() < until, "no press was seen: check the button's two wires"
    button.close()
