"""The wires to a simulated display, I2C or SPI, with the faults of real ones. The real driver runs on them.

wires = SimDisplayBus("sh1106", changed=tell_the_page)
display = OledDisplay(controller="sh1106", open_bus=wires.i2c(), ...)
wires.absent = True                     # the plug is pulled
"""

import errno
import threading
from collections.abc import Callable, Container

from pi_controller.hal.names import DisplayController
from pi_controller.hal.oled.display import OpenBus, i2c_bus, spi_bus

# The display controller, driven by its command bytes: shows what was really sent. SSD1306 and SSD1309: 128
# columns, horizontal, vertical and page addressing. SH1106: 132 columns, of which the glass shows 2 to 129,
# page addressing only. From the three data sheets; commands without visible effect are accepted and ignored.


WIDTH = 128
HEIGHT = 64
PAGES = 8

# Number of bytes that follow a command byte.
_SSD_ARGUMENTS = {
    **dict.fromkeys((0x20, 0x81, 0x8D, 0xA8, 0xD3, 0xD5, 0xD9, 0xDA, 0xDB, 0xFD), 1),
    **dict.fromkeys((0x21, 0x22, 0xA3), 2),
    **dict.fromkeys((0x29, 0x2A), 5),
    **dict.fromkeys((0x26, 0x27), 6),
}
_SH_ARGUMENTS = dict.fromkeys((0x81, 0xA8, 0xAD, 0xD3, 0xD5, 0xD9, 0xDA, 0xDB), 1)

_HORIZONTAL, _VERTICAL, _PAGE = 0, 1, 2
_ALL = (1 << WIDTH) - 1
# For each bit of a RAM byte: the digit 0 or 1 that stands for it.
_DIGIT_OF_BIT = tuple(bytes(b"01"[byte >> bit & 1] for byte in range(256)) for bit in range(8))
# What an SSD RAM holds after power-on is random; a pattern shows what a driver forgets to overwrite.
_POWER_ON_PATTERN = 0xA5


class DisplayImage:
    """One display. `command` and `data` take what arrives on the bus; `picture` is what shows."""

    def __init__(self, controller: DisplayController) -> None:
        self.controller = controller
        self._narrow = controller != "sh1106"
        self._columns = 128 if self._narrow else 132
        self._first_column = 0 if self._narrow else 2
        self._arguments = _SSD_ARGUMENTS if self._narrow else _SH_ARGUMENTS
        self.reset()

    def reset(self) -> None:
        """The state after power-on or a pulse on the reset line."""
        self._ram = [bytearray([_POWER_ON_PATTERN]) * self._columns for _ in range(PAGES)]
        self._mode = _PAGE
        self._column = self._page = 0
        self._column_range = (0, self._columns - 1)
        self._page_range = (0, PAGES - 1)
        self._pending: list[int] = []
        self._awake = False
        # Only the SSD1306 has a charge pump that the driver must switch on.
        self._powered = self.controller != "ssd1306"
        self._inverse = self._all_lit = False
        self._mirrored = self._upside_down = True
        self._start_line = self._offset = 0
        self._last_line = HEIGHT - 1
        self.contrast = 0x7F if self._narrow else 0x80
        self.frames = 0

    @property
    def on(self) -> bool:
        """Whether anything can be seen: awake and supplied."""
        return self._awake and self._powered

    def command(self, data: bytes) -> None:
        """Command bytes; arguments may come in a later transfer."""
        for byte in data:
            self._pending.append(byte)
            if len(self._pending) > self._arguments.get(self._pending[0], 0):
                order, *arguments = self._pending
                self._pending = []
                self._obey(order, arguments)

    def data(self, data: bytes) -> None:
        """Bytes for the RAM, eight pixels each, least significant bit on top."""
        for byte in data:
            if self._column < self._columns:
                self._ram[self._page][self._column] = byte
            self._step()

    def picture(self) -> bytes:
        """Rows from the top, one bit a pixel, most significant bit on the left; all dark when off."""
        if not self.on:
            return bytes(WIDTH * HEIGHT // 8)
        return b"".join(self._row(y).to_bytes(WIDTH // 8, "big") for y in range(HEIGHT))

    def _row(self, y: int) -> int:
        """One row of pixels, the left one as the most significant of 128 bits."""
        # A module is mounted so that it stands upright with both directions reversed (0xA1, 0xC8).
        line = HEIGHT - 1 - y if self._upside_down else y
        if line > self._last_line:
            return 0
        if self._all_lit:
            bits = _ALL
        else:
            row = (line + self._start_line + self._offset) % HEIGHT
            shown = self._ram[row // 8][self._first_column : self._first_column + WIDTH]
            digits = shown.translate(_DIGIT_OF_BIT[row % 8])
            bits = int(digits[::-1] if self._mirrored else digits, 2)
        return bits ^ _ALL if self._inverse else bits

    def _step(self) -> None:
        if not self._narrow:
            # The SH1106 stops at the last column.
            self._column = min(self._column + 1, self._columns)
            self._count_frame(ended=self._page == PAGES - 1 and self._column == self._first_column + WIDTH)
        elif self._mode == _PAGE:
            self._column = (self._column + 1) % self._columns
        elif self._mode == _HORIZONTAL:
            self._column = _next(self._column, self._column_range)
            if self._column == self._column_range[0]:
                self._page = _next(self._page, self._page_range)
                self._count_frame(ended=self._page == self._page_range[0])
        else:
            self._page = _next(self._page, self._page_range)
            if self._page == self._page_range[0]:
                self._column = _next(self._column, self._column_range)
                self._count_frame(ended=self._column == self._column_range[0])

    def _count_frame(self, *, ended: bool) -> None:
        self.frames += ended

    def _obey(self, order: int, arguments: list[int]) -> None:
        if order <= 0x0F:
            self._column = self._column & 0xF0 | order
        elif order <= 0x1F:
            self._column = self._column & 0x0F | (order & 0x0F) << 4
        elif 0x40 <= order <= 0x7F:
            self._start_line = order & 0x3F
        elif 0xB0 <= order <= 0xB7:
            self._page = order & 0x07
        elif order in (0xA0, 0xA1):
            self._mirrored = order == 0xA0
        elif 0xC0 <= order <= 0xCF:
            self._upside_down = order < 0xC8
        elif 0xA4 <= order <= 0xA7:
            self._set_light(order)
        elif order in (0xAE, 0xAF):
            self._awake = order == 0xAF
        else:
            self._set_register(order, arguments)

    def _set_light(self, order: int) -> None:
        if order < 0xA6:
            self._all_lit = order == 0xA5
        else:
            self._inverse = order == 0xA7

    def _set_register(self, order: int, arguments: list[int]) -> None:
        match order, arguments:
            case 0x20, [mode]:
                self._mode = mode & 0x03
            case 0x21, [first, last]:
                self._column_range = (first & 0x7F, last & 0x7F)
                self._column = self._column_range[0]
            case 0x22, [first, last]:
                self._page_range = (first & 0x07, last & 0x07)
                self._page = self._page_range[0]
            case 0x81, [level]:
                self.contrast = level
            case 0x8D, [pump]:
                self._powered = self._powered or bool(pump & 0x04)
            case 0xA8, [last]:
                self._last_line = last & 0x3F
            case 0xD3, [offset]:
                self._offset = offset & 0x3F


def _next(position: int, between: tuple[int, int]) -> int:
    first, last = between
    return first if position >= last else position + 1


ADDRESS = 0x3C
DC_PIN = 24
RESET_PIN = 25

_COMMANDS, _DATA = 0x00, 0x40


class SimDisplayBus:
    """A display and its wires, as luma drives them: the parts of smbus2.SMBus, spidev.SpiDev and RPi.GPIO
    that it uses. One thread writes, any thread may read the picture or set a fault.

    `absent`: nothing answers. `fail_errno`: what a transfer fails with that `fail_at` names.
    `slow`: called before each transfer, to delay it or to block it. `unknown`: control bytes of no display.
    """

    LOW = 0
    HIGH = 1
    OUT = 0
    max_speed_hz = 0

    def __init__(self, controller: DisplayController, *, changed: Callable[[], None] | None = None) -> None:
        self.glass = DisplayImage(controller)
        self.absent = False
        self.fail_errno = errno.EREMOTEIO
        self.slow: Callable[[], None] | None = None
        self.unknown: list[str] = []
        self._changed = changed
        self._lock = threading.Lock()
        self._transfers = 0
        self._fail_at: Container[int] = ()
        self._lines: dict[int, int] = {}
        self._told: tuple[int, bool] = (0, False)

    def i2c(self) -> OpenBus:
        """For `OledDisplay`: the display at 0x3C on I2C."""
        return i2c_bus(port=1, address=ADDRESS, wire=self)

    def spi(self) -> OpenBus:
        """For `OledDisplay`: the display on SPI with data/command on 24 and reset on 25."""
        return spi_bus(port=0, device=0, dc_pin=DC_PIN, reset_pin=RESET_PIN, lines=self, wire=self)

    def fail_at(self, transfers: Container[int]) -> None:
        """Let these transfers fail, counted from 1 for the next one."""
        self._transfers = 0
        self._fail_at = transfers

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

    def write_i2c_block_data(self, address: int, control: int, data: list[int]) -> None:
        self.write(address, bytes([control, *data]))

    def open(self, _port: int, _device: int) -> None: ...

    def writebytes(self, data: list[int]) -> None:
        self.shift(bytes(data))

    def close(self) -> None: ...

    def setup(self, _pin: int, _direction: int) -> None: ...

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

    def output(self, pin: int, level: int) -> None:
        self._lines[pin] = level
        if pin == RESET_PIN and not level:
            with self._lock:
                self.glass.reset()

    def _transfer(self) -> None:
        if self.slow is not None:
            self.slow()
        self._transfers += 1
        if self._transfers in self._fail_at:
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
