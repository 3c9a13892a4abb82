"""A simulated INA226: it decodes the bytes of real I2C messages, and measures what it is given."""

import errno
from collections.abc import Callable
from typing import Any

from pi_controller.hal.current.ina226 import (
    BUS,
    BUS_STEP_V,
    CONFIGURATION,
    DIE,
    DIE_IS,
    MAKER,
    MAKER_IS,
    SHUNT,
    SHUNT_OHM,
    SHUNT_STEP_V,
)
from pi_controller.hal.roles import PanelPower

READ = 0x0001
"""Flag of a message that reads (linux/i2c.h)."""
RESET_CONFIGURATION = 0x4127
CONTINUOUS = 0b111


class SimIna226:
    """In the place of smbus2.SMBus. `power` is what flows now; `absent`: nothing answers."""

    def __init__(self, power: Callable[[], PanelPower], *, address: int = 0x40) -> None:
        self.absent = False
        self.die = DIE_IS
        self.configuration = RESET_CONFIGURATION
        self._power = power
        self._address = address
        self._pointer = 0

    def i2c_rdwr(self, *i2c_msgs: Any) -> None:
        """OSError as the kernel raises it when nobody acknowledges."""
        for message in i2c_msgs:
            if self.absent or message.addr != self._address:
                raise OSError(errno.EREMOTEIO, "Remote I/O error")
            if message.flags & READ:
                self._answer(message)
            else:
                self._hear(bytes(message))

    def close(self) -> None:
        """Nothing was opened."""

    def _hear(self, data: bytes) -> None:
        self._pointer = data[0]
        if len(data) == 1:
            return
        value = int.from_bytes(data[1:3], "big")
        if self._pointer == CONFIGURATION:
            self.configuration = RESET_CONFIGURATION if value & 0x8000 else value

    def _answer(self, message: Any) -> None:
        for at, byte in enumerate(self._register().to_bytes(2, "big")[: message.len]):
            message.buf[at] = bytes([byte])

    def _register(self) -> int:
        power = self._power() if self.configuration & 0b111 == CONTINUOUS else PanelPower(amps=0.0, volts=0.0)
        held = {
            CONFIGURATION: self.configuration,
            SHUNT: _clipped(power.amps * SHUNT_OHM / SHUNT_STEP_V) & 0xFFFF,
            BUS: min(0x7FFF, max(0, round(power.volts / BUS_STEP_V))),
            MAKER: MAKER_IS,
            DIE: self.die,
        }
        return held.get(self._pointer, 0)


def _clipped(steps: float) -> int:
    return max(-0x8000, min(0x7FFF, round(steps)))
