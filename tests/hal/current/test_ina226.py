"""The INA226 through smbus2's real messages: the kernel's end of them decodes the bytes."""

import errno
import os
from collections.abc import Callable
from typing import Any

import pytest
import smbus2.smbus2

from pi_controller.hal.ina226 import AVERAGED, Ina226
from pi_controller.hal.roles import HardwareError, HardwareMissing, PanelPower
from pi_controller.hal.sim.machine import SimIna226

I2C_FUNCS, I2C_RDWR = 0x0705, 0x0707


class Flow:
    def __init__(self) -> None:
        self.power = PanelPower(amps=0.0, volts=24.0)

    def __call__(self) -> PanelPower:
        return self.power


@pytest.fixture
def flow() -> Flow:
    return Flow()


@pytest.fixture
def chip(flow: Flow, monkeypatch: pytest.MonkeyPatch) -> SimIna226:
    """Behind smbus2's own SMBus: only the kernel's call is replaced."""
    chip = SimIna226(flow)

    def ioctl(_fd: int, request: int, data: Any) -> int:
        if request == I2C_RDWR:
            chip.i2c_rdwr(*[data.msgs[at] for at in range(data.nmsgs)])
        else:
            assert request == I2C_FUNCS
        return 0

    monkeypatch.setattr(smbus2.smbus2, "ioctl", ioctl)
    return chip


def sensor(wait: Callable[[float], None] = lambda _s: None) -> Ina226:
    return Ina226(port=1, address=0x40, open_bus=lambda _port: smbus2.SMBus(os.devnull), wait=wait)


@pytest.mark.parametrize("amps", [0.0, 0.00025, 0.35, 2.9, -0.5])
def test_current_and_volts_come_through(chip: SimIna226, flow: Flow, amps: float) -> None:
    flow.power = PanelPower(amps=amps, volts=23.75)
    assert sensor().read() == PanelPower(amps=pytest.approx(amps, abs=1e-9), volts=23.75)
    assert chip.configuration == AVERAGED


def test_more_than_the_range_is_told_as_its_end(chip: SimIna226, flow: Flow) -> None:
    flow.power = PanelPower(amps=20.0, volts=24.0)
    assert sensor().read().amps == pytest.approx(8.19, abs=0.01)


def test_another_chip_at_its_address_is_refused(chip: SimIna226) -> None:
    chip.die = 0x1234
    with pytest.raises(HardwareMissing, match=r"A chip other than the INA226 answers at 0x40 \(5449 1234\)"):
        sensor().read()


def test_nobody_there_is_told_with_the_address(chip: SimIna226) -> None:
    def falls_silent(_s: float) -> None:
        chip.absent = True

    for wait in (falls_silent, lambda _s: None):
        with pytest.raises(HardwareError, match="The current sensor at 0x40 does not answer"):
            sensor(wait).read()


def test_no_bus_is_told_with_its_number() -> None:
    def missing(_port: int) -> Any:
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))

    with pytest.raises(HardwareMissing, match="I2C bus 7"):
        Ina226(port=7, address=0x40, open_bus=missing).read()
