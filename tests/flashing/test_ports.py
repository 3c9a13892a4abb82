from pathlib import Path

import pytest

from pi_controller.flashing.ports import Port, pico_ports, waits_for_uf2
from tests.flashing.sysfs import Sysfs


@pytest.fixture
def sysfs(tmp_path: Path) -> Sysfs:
    return Sysfs(tmp_path)


def test_picos_are_found_by_their_maker(sysfs: Sysfs) -> None:
    sysfs.plug_in(1, vendor="0403", serial="FT1", port="ttyACM0")
    sysfs.plug_in(2, serial="e6614c311b7f4a2d", port="ttyACM1")
    assert pico_ports(sysfs.root) == (Port(device="/dev/ttyACM1", serial="e6614c311b7f4a2d"),)


def test_nothing_is_plugged_in(tmp_path: Path) -> None:
    assert pico_ports(tmp_path) == ()
    assert not waits_for_uf2(tmp_path)


@pytest.mark.parametrize("product", ["0003", "000f"])
def test_a_pico_that_waits_for_its_firmware_is_seen(sysfs: Sysfs, product: str) -> None:
    sysfs.plug_in(1, product="0005", port="ttyACM0")
    assert not waits_for_uf2(sysfs.root)
    sysfs.plug_in(2, product=product)
    assert waits_for_uf2(sysfs.root)
