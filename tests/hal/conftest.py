"""Simulated pins."""

from collections.abc import Iterator

import pytest

from pi_controller.hal.gpio import PinFactory, open_pins


@pytest.fixture
def pins() -> Iterator[PinFactory]:
    with open_pins("mock") as pins:
        yield pins
