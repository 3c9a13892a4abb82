"""A real USB key as the pause button. Run with `-s`: it asks a person to press. Not yet run by the authors."""

import queue
from collections.abc import Iterator

import pytest

from pi_controller.hal.evdev import EvdevButton, KeyChoice
from pi_controller.hal.roles import ContactChange, HardwareError
from pi_controller.hal.system.kernel import SystemClock
from pi_controller.sentence import Sentence

PRESSES = 10
PATIENCE_S = 60.0


def raise_it(error: Exception) -> None:
    raise error


class Desk:
    def __init__(self) -> None:
        self.edges: queue.SimpleQueue[ContactChange] = queue.SimpleQueue()
        self.button = EvdevButton(None, clock=SystemClock(), on_error=raise_it)
        self.button.listen(self.edges.put)

    def edge(self) -> ContactChange:
        return self.edges.get(timeout=PATIENCE_S)


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    desk = Desk()
    outcomes: queue.SimpleQueue[KeyChoice | Sentence] = queue.SimpleQueue()
    desk.button.choose(PATIENCE_S, outcomes.put)
    print("\nPress the USB key that shall be the pause button, and let it go.")
    chosen = outcomes.get(timeout=2 * PATIENCE_S)
    assert isinstance(chosen, KeyChoice), chosen
    print(f"chosen: {chosen.name}, key {chosen.key}, {chosen.device}")
    yield desk
    desk.button.close()


def test_each_press_has_two_edges_with_a_trusted_stamp(desk: Desk) -> None:
    print(f"\nPress it {PRESSES} times. Look at a terminal: nothing may be typed there.")
    edges = [desk.edge() for _ in range(2 * PRESSES)]
    assert [edge.closed for edge in edges] == [True, False] * PRESSES
    assert all(edge.trusted for edge in edges)
    lasted_ms = [(up.at_ns - down.at_ns) / 1e6 for down, up in zip(edges[::2], edges[1::2], strict=True)]
    print(f"the presses lasted {min(lasted_ms):.1f} to {max(lasted_ms):.1f} ms")


def test_unplugged_in_the_hand_it_is_let_go_and_comes_back_in_another_socket(desk: Desk) -> None:
    print("\nHold it and pull its plug; then plug it into another socket and press it once.")
    assert desk.edge().closed
    assert not desk.edge().closed
    with pytest.raises(HardwareError):
        desk.button.contacts()
    assert desk.edge().closed
