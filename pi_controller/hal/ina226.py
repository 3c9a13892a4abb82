"""The INA226 in the panel's 24 V line: current through its shunt, and voltage behind it.

power = Ina226(port=1, address=0x40).read()
"""

import contextlib
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
    """Implements `roles.CurrentSensor`. The bus, shared with the display, is held during readings only."""

    def __init__(
        self,
        *,
        port: int,
        address: int,
        open_bus: Callable[[int], Transfers] = SMBus,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._port = port
        self._address = address
        self._open_bus = open_bus
        self._wait = wait

    def read(self) -> PanelPower:
        """Set the chip up, let it measure, read. Blocks for SETTLE_S. Raises HardwareMissing without the bus
        or with another chip at the address, HardwareError if nothing answers."""
        try:
            bus = self._open_bus(self._port)
        except OSError as error:
            raise HardwareMissing(Sentence("current.no_bus", port=self._port, why=cause(error))) from error
        with contextlib.closing(bus):
            maker, die = self._register(bus, MAKER), self._register(bus, DIE)
            if (maker, die) != (MAKER_IS, DIE_IS):
                found = f"{maker:04x} {die:04x}"
                raise HardwareMissing(Sentence("current.another_chip", address=self._at, found=found))
            order = [CONFIGURATION, AVERAGED >> 8, AVERAGED & 0xFF]
            self._transfer(bus, i2c_msg.write(self._address, order))
            self._wait(SETTLE_S)
            shunt = self._register(bus, SHUNT)
            signed = shunt - 0x10000 if shunt & 0x8000 else shunt
            volts = self._register(bus, BUS) * BUS_STEP_V
            return PanelPower(amps=signed * SHUNT_STEP_V / SHUNT_OHM, volts=volts)

    @property
    def _at(self) -> str:
        return f"0x{self._address:02x}"

    def _register(self, bus: Transfers, register: int) -> int:
        answer = i2c_msg.read(self._address, 2)
        self._transfer(bus, i2c_msg.write(self._address, [register]), answer)
        return int.from_bytes(bytes(answer), "big")

    def _transfer(self, bus: Transfers, *messages: Any) -> None:
        try:
            bus.i2c_rdwr(*messages)
        except OSError as error:
            raise HardwareError(
                Sentence("current.does_not_answer", address=self._at, why=cause(error))
            ) from error
