"""The driver of the USB button on this kernel's own event devices. `make test-uinput`, as root."""

import os
import select
import time
from collections.abc import Iterator
from queue import SimpleQueue

import pytest

from pi_controller.hal.evdev import EvdevButton, EventFiles, KeyChoice
from pi_controller.hal.roles import ContactChange, HardwareError
from pi_controller.hal.system.kernel import SystemClock
from pi_controller.sentence import Sentence
from tests.hal.uinput import UinputDevice
from tests.patience import DEADLINE_S

pytestmark = pytest.mark.uinput
NAME = "pi-controller test button"
SPACE, LETTER_B = 57, 48


@pytest.fixture
def device() -> UinputDevice:
    return UinputDevice(NAME, (SPACE, LETTER_B))


def choice_of(device: UinputDevice, key: int = SPACE) -> KeyChoice:
    (found,) = [each for each in EventFiles().devices() if each.node == device.node.name]
    return KeyChoice(found.identity, key, found.name)


class Running:
    """The driver with its thread."""

    def __init__(self, choice: KeyChoice | None) -> None:
        self.edges: SimpleQueue[ContactChange] = SimpleQueue()
        self.errors: list[Exception] = []
        self.clock = SystemClock()
        self.button = EvdevButton(choice, clock=self.clock, on_error=self.errors.append)
        self.button.listen(self.edges.put)

    def edge(self) -> ContactChange:
        return self.edges.get(timeout=DEADLINE_S)


@pytest.fixture
def running(device: UinputDevice) -> Iterator[Running]:
    running = Running(choice_of(device))
    assert opened(device)
    yield running
    running.button.close()
    assert running.errors == []


def opened(device: UinputDevice, *, grabbed: bool = True) -> bool:
    """Whether a second reader hears nothing of a key, which is how a grab shows."""
    reader = os.open(device.node, os.O_RDONLY | os.O_NONBLOCK)
    try:
        end_s = time.monotonic() + DEADLINE_S
        while time.monotonic() < end_s:
            device.key(LETTER_B, 1)
            device.key(LETTER_B, 0)
            heard = bool(select.select([reader], [], [], 0.1)[0])
            if heard != grabbed:
                return True
            if heard:
                os.read(reader, 4096)
    finally:
        os.close(reader)
    return False


def test_the_stamp_is_of_core_s_clock_and_the_device_types_nowhere(
    running: Running, device: UinputDevice
) -> None:
    before_ns = running.clock.boot_ns()
    device.key(SPACE, 1)
    edge = running.edge()
    assert edge.closed
    assert edge.trusted
    assert before_ns - 1000 <= edge.at_ns <= running.clock.boot_ns()
    device.key(SPACE, 2)
    device.key(SPACE, 0)
    assert not running.edge().closed


def test_other_keys_of_the_device_are_nothing(running: Running, device: UinputDevice) -> None:
    device.key(LETTER_B, 1)
    device.key(LETTER_B, 0)
    device.key(SPACE, 1)
    assert running.edge().closed
    assert running.edges.empty()


def test_unplugged_mid_press_it_is_let_go_and_comes_back(running: Running, device: UinputDevice) -> None:
    device.key(SPACE, 1)
    assert running.edge().closed
    device.unplug()
    assert not running.edge().closed
    with pytest.raises(HardwareError):
        running.button.contacts()
    again = UinputDevice(NAME, (SPACE, LETTER_B))
    assert opened(again)
    again.key(SPACE, 1)
    assert running.edge().closed


def test_it_is_chosen_by_pressing_it(device: UinputDevice) -> None:
    running = Running(None)
    outcomes: SimpleQueue[KeyChoice | Sentence] = SimpleQueue()
    running.button.choose(DEADLINE_S, outcomes.put)
    assert opened(device)  # it presses a key and lets it go
    assert outcomes.get(timeout=DEADLINE_S) == choice_of(device, LETTER_B)
    running.button.close()
    assert opened(device, grabbed=False)
