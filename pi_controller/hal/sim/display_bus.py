"""The wires to a simulated display, I2C or SPI, with the faults of real ones. The real driver runs on them.

wires = SimDisplayBus("sh1106", changed=tell_the_page)
display = open_display(controller="sh1106", open_bus=wires.i2c(), ...)
wires.absent = True                     # the plug is pulled
"""

import errno
import threading
from collections.abc import Callable

from pi_controller.hal.names import DisplayController
from pi_controller.hal.oled.panel import OpenBus, i2c_bus, spi_bus
from pi_controller.hal.sim.glass import Glass

ADDRESS = 0x3C
DC_PIN = 24
RESET_PIN = 25

_COMMANDS, _DATA = 0x00, 0x40


class SimDisplayBus:
    """A display and its wires; one thread writes, any thread may read the picture or set a fault.

    `absent`: nothing answers. `fail_errno`: what a transfer fails with that `fail_at` or `fail_every` names.
    `slow`: called before each transfer, to delay it or to block it. `unknown`: control bytes of no display.
    """

    def __init__(self, controller: DisplayController, *, changed: Callable[[], None] | None = None) -> None:
        self.glass = Glass(controller)
        self.absent = False
        self.fail_errno = errno.EREMOTEIO
        self.slow: Callable[[], None] | None = None
        self.unknown: list[str] = []
        self._changed = changed
        self._lock = threading.Lock()
        self._transfers = 0
        self._fail_every = 0
        self._fail_at: frozenset[int] = frozenset()
        self._lines: dict[int, int] = {}
        self._told: tuple[int, bool] = (0, False)

    def i2c(self) -> OpenBus:
        """For `open_display`: the display at 0x3C on I2C."""
        return i2c_bus(port=1, address=ADDRESS, wire=_I2cWire(self))

    def spi(self) -> OpenBus:
        """For `open_display`: the display on SPI with data/command on 24 and reset on 25."""
        return spi_bus(
            port=0, device=0, dc_pin=DC_PIN, reset_pin=RESET_PIN, lines=_LineWires(self), wire=_SpiWire(self)
        )

    def fail_at(self, *transfers: int) -> None:
        """Let these transfers fail, counted from 1 for the next one."""
        self._transfers = 0
        self._fail_at = frozenset(transfers)

    def fail_every(self, count: int) -> None:
        """Let each `count`-th transfer from now on fail; 0 ends it."""
        self._transfers = 0
        self._fail_every = count

    @property
    def on(self) -> bool:
        return self.glass.on and not self.absent

    def picture(self) -> bytes:
        """128 × 64 pixels: rows from the top, one bit a pixel, most significant bit on the left."""
        with self._lock:
            return self.glass.picture()

    def unplug(self) -> None:
        """The display loses its supply: dark, silent, and without memory when it comes back."""
        with self._lock:
            self.absent = True
            self.glass.reset()
        self._tell()

    def plug_in(self) -> None:
        self.absent = False
        self._tell()

    def write(self, address: int, data: bytes) -> None:
        """One I2C write: a control byte, then commands or data. Raises OSError as the kernel does."""
        self._transfer()
        if address != ADDRESS or self.absent:
            raise OSError(errno.EREMOTEIO, "Remote I/O error")
        control, payload = data[0], data[1:]
        if control not in (_COMMANDS, _DATA):
            self.unknown.append(f"control byte 0x{control:02X}")
            return
        self._take(payload, is_data=control == _DATA)

    def shift(self, data: bytes) -> None:
        """One SPI write. SPI has no answer: a display that is not there is not noticed."""
        self._transfer()
        if not self.absent:
            self._take(data, is_data=bool(self._lines.get(DC_PIN)))

    def set_line(self, pin: int, level: int) -> None:
        self._lines[pin] = level
        if pin == RESET_PIN and not level:
            with self._lock:
                self.glass.reset()

    def _transfer(self) -> None:
        if self.slow is not None:
            self.slow()
        self._transfers += 1
        every = self._fail_every
        if self._transfers in self._fail_at or (every and self._transfers % every == 0):
            raise OSError(self.fail_errno, "injected")

    def _take(self, payload: bytes, *, is_data: bool) -> None:
        with self._lock:
            if is_data:
                self.glass.data(payload)
            else:
                self.glass.command(payload)
        self._tell()

    def _tell(self) -> None:
        seen = (self.glass.frames, self.on)
        if self._changed is not None and seen != self._told:
            self._told = seen
            self._changed()


class _I2cWire:
    """The part of smbus2.SMBus that luma uses."""

    def __init__(self, bus: SimDisplayBus) -> None:
        self._bus = bus

    def write_i2c_block_data(self, address: int, control: int, data: list[int]) -> None:
        self._bus.write(address, bytes([control, *data]))


class _SpiWire:
    """The part of spidev.SpiDev that luma uses."""

    def __init__(self, bus: SimDisplayBus) -> None:
        self._bus = bus
        self.max_speed_hz = 0

    def open(self, _port: int, _device: int) -> None: ...

    def writebytes(self, data: list[int]) -> None:
        self._bus.shift(bytes(data))

    def close(self) -> None: ...


class _LineWires:
    """Data/command and reset."""

    LOW = 0
    HIGH = 1
    OUT = 0

    def __init__(self, bus: SimDisplayBus) -> None:
        self._bus = bus

    def setup(self, _pin: int, _direction: int) -> None: ...

    def output(self, pin: int, level: int) -> None:
        self._bus.set_line(pin, level)
