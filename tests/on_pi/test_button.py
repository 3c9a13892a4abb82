"""The real button. Run with `-s`: it asks a person to press."""

import itertools
import os
import queue
import time
from collections.abc import Iterator

import pytest

from pi_controller.hal.debouncer import ButtonEvent, Debouncer, Pressed, WireBroken
from pi_controller.hal.gpio import GpioPauseButton, PinFactory
from pi_controller.hal.roles import ContactChange
from pi_controller.hal.system.kernel import SystemClock

CONTACTS = os.environ.get("ON_PI_CONTACTS", "nc_no")
PRESSES = 20
PATIENCE_S = 60


def raise_it(error: Exception) -> None:
    raise error


@pytest.fixture
def button(pins: PinFactory) -> Iterator[GpioPauseButton]:
    nc_pin = 5 if CONTACTS == "nc_no" else None
    with GpioPauseButton(pins, no_pin=6, nc_pin=nc_pin, clock=SystemClock(), on_error=raise_it) as button:
        yield button


class Listener:
    """Runs the qualifier as core does: edges from a queue, a level poll every 20 ms."""

    def __init__(self, button: GpioPauseButton) -> None:
        self.button = button
        self.clock = SystemClock()
        self.qualifier = Debouncer(contacts=CONTACTS, hold_ns=0)
        self.edges: list[ContactChange] = []
        self._queue: queue.SimpleQueue[ContactChange] = queue.SimpleQueue()
        self.qualifier.sample(button.contacts(), self.clock.boot_ns())
        button.listen(self._queue.put)

    def events(self) -> Iterator[ButtonEvent]:
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            try:
                edge = self._queue.get(timeout=0.02)
            except queue.Empty:
                self.qualifier.sample(self.button.contacts(), self.clock.boot_ns())
            else:
                self.edges.append(edge)
                self.qualifier.change(edge)
            yield from self.qualifier.advance(self.clock.boot_ns())


def test_it_rests_as_it_should(button: GpioPauseButton) -> None:
    contacts = button.contacts()
    assert not contacts.no_closed
    assert contacts.nc_closed in (True, None)


def test_each_press_counts_once_with_a_trusted_stamp(button: GpioPauseButton) -> None:
    listener = Listener(button)
    print(f"\nPress the button {PRESSES} times, briskly, within {PATIENCE_S} s.")
    presses = 0
    for event in listener.events():
        presses += isinstance(event, Pressed)
        if presses == PRESSES and not listener.button.contacts().no_closed:
            break
    assert presses == PRESSES
    assert all(edge.trusted for edge in listener.edges)
    closings = [edge.at_ns for edge in listener.edges if edge.contact == "no"]
    gaps = [later - sooner for sooner, later in itertools.pairwise(closings)]
    short = [gap for gap in gaps if gap < 20_000_000]
    print(f"longest gap between two bounces: {max(short, default=0) / 1e6:.2f} ms in {len(closings)} edges")


@pytest.mark.skipif(CONTACTS == "no", reason="one contact cannot tell a broken wire")
def test_a_pulled_plug_is_a_fault_and_no_press(button: GpioPauseButton) -> None:
    listener = Listener(button)
    print(f"\nPull the plug of the pause button within {PATIENCE_S} s.")
    event = next(listener.events())
    assert isinstance(event, WireBroken)
    assert event.contact == "nc"
