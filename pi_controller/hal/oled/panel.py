"""How a display is wired (I2C or SPI, opened anew after each error), and luma's drivers for the three
controllers, made to start over without a flicker and without an exit hook.

open_bus = i2c_bus(port=1, address=0x3C)
open_bus = spi_bus(port=0, device=0, dc_pin=24, reset_pin=25, lines=open_lines(pins))
"""

import importlib
from collections.abc import Callable
from typing import Any, Protocol

from luma.core.device import device as luma_device
from luma.core.interface import serial
from luma.oled.device import sh1106, ssd1306, ssd1309
from PIL import Image

from pi_controller.hal.names import DisplayController
from pi_controller.hal.roles import HardwareMissing
from pi_controller.sentence import Sentence

# Long enough for the reset of every controller we name (SSD1306: 3 us, SH1106: 10 us), short for a person.
RESET_S = 0.001
# Both controller families are specified for it; SH1106 modules are marginal above.
SPI_HZ = 2_000_000


class Lines(Protocol):
    """Data/command and reset lines of an SPI display, as `GpioLines` has them."""

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
        raise HardwareMissing(Sentence("display.spidev_not_installed", error=str(error))) from error
    return make


WIDTH = 128
HEIGHT = 64


class _Pixels:
    """What luma's drivers read a picture through: `Image.getdata` goes with Pillow 14."""

    def __init__(self, image: Image.Image) -> None:
        self._image = image

    def getdata(self) -> bytes:
        """One byte a pixel, 0 or 255, rows from the top."""
        return self._image.convert("L").tobytes()


class _Startable(luma_device):  # type: ignore[misc]
    """Comes between a luma driver and its base class.

    luma's base class registers an exit hook for every device made; with a new start each minute they would
    pile up and block the exit on a dead bus. And a driver's start ends with an empty picture: here with the
    wanted one.
    """

    first_picture: Image.Image

    def __init__(self, const: Any, serial_interface: Serial) -> None:  # luma's own would add the exit hook
        self._const = const
        self._serial_interface = serial_interface

    def clear(self) -> None:
        self.display(self.first_picture)

    def preprocess(self, image: Image.Image) -> "_Pixels":
        return _Pixels(super().preprocess(image))


class _Ssd1306(ssd1306, _Startable):  # type: ignore[misc]
    pass


class _Ssd1309(ssd1309, _Startable):  # type: ignore[misc]
    pass


class _Sh1106(sh1106, _Startable):  # type: ignore[misc]
    pass


_DRIVERS: dict[DisplayController, type[_Startable]] = {
    "ssd1306": _Ssd1306,
    "ssd1309": _Ssd1309,
    "sh1106": _Sh1106,
}


class Panel:
    """One start of a display controller. Every method may raise what the bus raises."""

    def __init__(
        self,
        controller: DisplayController,
        bus: Serial,
        *,
        picture: Image.Image,
        contrast: int,
        upside_down: bool,
    ) -> None:
        driver: Any = _DRIVERS[controller]
        # The constructor talks to the display at once and passes nothing on to its base class.
        self._device = driver.__new__(driver)
        self._device.first_picture = picture
        self._device.__init__(bus, width=WIDTH, height=HEIGHT, rotate=2 if upside_down else 0)
        self._device.contrast(contrast)

    def show(self, picture: Image.Image) -> None:
        self._device.display(picture)

    def switch_off(self) -> None:
        self._device.hide()
