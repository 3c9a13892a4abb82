"""The INA226 in the panel's 24 V line: current through its shunt, and voltage behind it.

sensor = open_ina226(port=1, address=0x40); power = sensor.read()
"""

import time
from collections.abc import Callable
from typing import Any, Protocol

from smbus2 import SMBus, i2c_msg

from pi_controller.hal.roles import HardwareError, HardwareMissing, PanelPower
from pi_controller.language.system_errors import cause
from pi_controller.sentence import Sentence

SHUNT_OHM = 0.01
SHUNT_STEP_V = 2.5e-6
BUS_STEP_V = 1.25e-3
CONFIGURATION, SHUNT, BUS, MAKER, DIE = 0x00, 0x01, 0x02, 0xFE, 0xFF
MAKER_IS, DIE_IS = 0x5449, 0x2260
SETTLE_S = 0.08
"""Time for two readings, in s: the first may have begun before the load was on."""
AVERAGED = 0x4527
"""Continuous, shunt and bus, 1.1 ms each, the mean of 16: a new reading every 35 ms."""


class Transfers(Protocol):
    """The part of smbus2.SMBus that is used."""

    def i2c_rdwr(self, *i2c_msgs: Any) -> None: ...
    def close(self) -> None: ...


class Ina226:
    """The chip on an open bus. Every call raises HardwareError when it does not answer."""

    def __init__(self, bus: Transfers, *, address: int) -> None:
        self._bus = bus
        self._address = address

    def start(self) -> None:
        """Set the chip up. Raises HardwareMissing if another chip answers at this address."""
        maker, die = self._read(MAKER), self._read(DIE)
        if (maker, die) != (MAKER_IS, DIE_IS):
            raise HardwareMissing(
                Sentence(
                    "current.another_chip", address=f"0x{self._address:02x}", found=f"{maker:04x} {die:04x}"
                )
            )
        self._write(CONFIGURATION, AVERAGED)

    def read(self) -> PanelPower:
        shunt = self._read(SHUNT)
        signed = shunt - 0x10000 if shunt & 0x8000 else shunt
        return PanelPower(amps=signed * SHUNT_STEP_V / SHUNT_OHM, volts=self._read(BUS) * BUS_STEP_V)

    def close(self) -> None:
        self._bus.close()

    def _read(self, register: int) -> int:
        answer = i2c_msg.read(self._address, 2)
        self._transfer(i2c_msg.write(self._address, [register]), answer)
        return int.from_bytes(bytes(answer), "big")

    def _write(self, register: int, value: int) -> None:
        self._transfer(i2c_msg.write(self._address, [register, value >> 8, value & 0xFF]))

    def _transfer(self, *messages: Any) -> None:
        try:
            self._bus.i2c_rdwr(*messages)
        except OSError as error:
            raise HardwareError(
                Sentence("current.does_not_answer", address=f"0x{self._address:02x}", why=cause(error))
            ) from error


def open_ina226(*, port: int, address: int, open_bus: Callable[[int], Transfers] = SMBus) -> Ina226:
    """Open the bus and set the chip up. Raises HardwareMissing without the bus or with another chip at the
    address, HardwareError if nothing answers."""
    try:
        bus = open_bus(port)
    except OSError as error:
        raise HardwareMissing(Sentence("current.no_bus", port=port, why=cause(error))) from error
    sensor = Ina226(bus, address=address)
    try:
        sensor.start()
    except HardwareError:
        sensor.close()
        raise
    return sensor


class Ina226OnDemand:
    """Implements `roles.CurrentSensor`. The bus, shared with the display, is held during each reading
    only."""

    def __init__(self, *, port: int, address: int, open_bus: Callable[[int], Transfers] = SMBus) -> None:
        self._port = port
        self._address = address
        self._open_bus = open_bus

    def read(self) -> PanelPower:
        """Open, let it measure, read, close. Blocks for SETTLE_S; raises as `open_ina226` does."""
        sensor = open_ina226(port=self._port, address=self._address, open_bus=self._open_bus)
        try:
            time.sleep(SETTLE_S)
            return sensor.read()
        finally:
            sensor.close()
