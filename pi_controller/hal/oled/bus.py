"""How a display is wired: I2C or SPI, opened anew after each error.

open_bus = i2c_bus(port=1, address=0x3C)
open_bus = spi_bus(port=0, device=0, dc_pin=24, reset_pin=25, lines=open_lines(pins))
"""

import importlib
from collections.abc import Callable
from typing import Any, Protocol

from luma.core.interface import serial

from pi_controller.hal.errors import HardwareMissing

# Long enough for the reset of every controller we name (SSD1306: 3 us, SH1106: 10 us), short for a person.
RESET_S = 0.001
# Both controller families are specified for it; SH1106 modules are marginal above.
SPI_HZ = 2_000_000


class Lines(Protocol):
    """Data/command and reset lines of an SPI display, as `hal/gpio/lines.py` has them."""

    LOW: int
    HIGH: int
    OUT: int

    def setup(self, pin: int, _direction: int) -> None: ...
    def output(self, pin: int, level: int) -> None: ...


class Serial(Protocol):
    """The part of luma's serial interfaces that its devices use."""

    def command(self, *cmd: int) -> None: ...
    def data(self, data: Any) -> None: ...
    def cleanup(self) -> None: ...


OpenBus = Callable[[], Serial]


def i2c_bus(*, port: int, address: int, wire: object | None = None) -> OpenBus:
    """A display at this I2C address. `wire` stands in for the SMBus of the simulated hall."""

    def connect() -> Serial:
        bus: Serial = serial.i2c(bus=wire, port=port, address=address)
        return bus

    return connect


def spi_bus(
    *, port: int, device: int, dc_pin: int, reset_pin: int, lines: Lines, wire: object | None = None
) -> OpenBus:
    """A display on SPI; it is reset each time the bus is opened. `wire` stands in for spidev.

    Raises HardwareMissing when spidev is not installed.
    """
    new_wire: Callable[[], object] = _spidev() if wire is None else lambda: wire

    def connect() -> Serial:
        bus: Serial = serial.spi(
            spi=new_wire(),
            gpio=lines,
            port=port,
            device=device,
            bus_speed_hz=SPI_HZ,
            gpio_DC=dc_pin,
            gpio_RST=reset_pin,
            reset_hold_time=RESET_S,
            reset_release_time=RESET_S,
        )
        return bus

    return connect


def _spidev() -> Callable[[], object]:
    try:
        make: Callable[[], object] = importlib.import_module("spidev").SpiDev
    except ImportError as error:
        raise HardwareMissing(
            f"The display is set to SPI, but spidev is not installed ({error}): install the package "
            f'python3-spidev or pi-controller[pi], or set bus = "i2c".'
        ) from error
    return make
