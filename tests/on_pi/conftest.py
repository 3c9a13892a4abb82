"""Keeps these tests from any machine that was not named as a Pi with the panel wired."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.hal.gpio import PinFactory, open_pins


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.on_pi)
            if os.environ.get("PI_CONTROLLER_ON_PI") != "1":
                item.add_marker(pytest.mark.skip(reason="needs a Raspberry Pi: see tests/on_pi/README.md"))


@pytest.fixture(scope="session")
def pins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PinFactory]:
    name = os.environ.get("ON_PI_FACTORY", "lgpio")
    with open_pins(name, pipe_folder=tmp_path_factory.mktemp("pipes")) as pins:
        yield pins
