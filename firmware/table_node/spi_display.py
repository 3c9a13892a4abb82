"""Displays with SSD1306, SSD1309 or SH1106 on SPI, from their data sheets; page addressing is common to all.

They cannot answer on SPI: `ok` only says that no transfer failed, not that a display is there.
"""

from table_node.display import Display

SSD13XX = "ssd13xx"
SH1106 = "sh1106"

# SSD1306 and SSD1309: asleep, clock, 64 lines, no offset, charge pump (SSD1306; the SSD1309 ignores it), page
# addressing, upright with the connector above, pins, precharge, level, from memory, not inverse.
_SSD13XX_START = bytes(
    (0xAE, 0xD5, 0x80, 0xA8, 0x3F, 0xD3, 0x00, 0x40, 0x8D, 0x14, 0x20, 0x02, 0xA1, 0xC8, 0xDA, 0x12)
    + (0xD9, 0xF1, 0xDB, 0x40, 0xA4, 0xA6)
)
# SH1106: the same with its own charge pump; it knows no other addressing.
_SH1106_START = bytes(
    (0xAE, 0xD5, 0x80, 0xA8, 0x3F, 0xD3, 0x00, 0x40, 0xAD, 0x8B, 0xA1, 0xC8, 0xDA, 0x12)
    + (0xD9, 0x22, 0xDB, 0x35, 0xA4, 0xA6)
)
# Longest clock that the data sheets allow, in baud, and the first of its columns that the glass shows.
_KINDS = {
    SSD13XX: (_SSD13XX_START, 8_000_000, 0),
    SH1106: (_SH1106_START, 4_000_000, 2),
}
# Of the interpreter, for the two transfers of a page.
_CALLS_US = 150

RESET_US = 100
"""Longer than the 3 µs (SSD) and 10 µs (SH1106) that the reset line must be low, and the time after it."""


def clock(kind):
    """The SPI clock for this kind, in baud."""
    return _KINDS[kind][1]


class SpiDisplay(Display):
    """`spi` has `write(data)`; `select` and `data_line` are called with 0 or 1. `start` follows a reset."""

    def __init__(self, kind, spi, select, data_line):
        Display.__init__(self)
        self._start, baud, self._first_column = _KINDS[kind]
        self.page_us = 131 * 8 * 1_000_000 // baud + _CALLS_US
        self._spi = spi
        self._select = select
        self._data_line = data_line
        self._three = bytearray(3)
        self._two = bytearray(2)
        self._one = bytearray(1)
        self._lit = False
        self._level = -1

    def start(self):
        """Set the controller up; it shows nothing until `power(True)`."""
        self._command(self._start)
        self._lit = False
        self._level = -1
        self.send_all_again()

    def send_page(self, page, data):
        three = self._three
        three[0] = 0xB0 | page
        three[1] = 0x10 | self._first_column >> 4
        three[2] = self._first_column & 0x0F
        self._command(three)
        self._data_line(1)
        self._write(data)

    def show_from(self, row):
        one = self._one
        one[0] = 0x40 | row
        self._command(one)

    def contrast(self, level):
        """0 to 255; without effect when it is so already."""
        if level != self._level:
            self._level = level
            two = self._two
            two[0] = 0x81
            two[1] = level
            self._command(two)

    def power(self, on):
        """Dark, or lit; the picture stays. Without effect when it is so already."""
        if on != self._lit:
            self._lit = on
            self._one[0] = 0xAF if on else 0xAE
            self._command(self._one)

    def _command(self, data):
        self._data_line(0)
        self._write(data)

    def _write(self, data):
        self._select(0)
        try:
            self._spi.write(data)
            self.ok = True
        except OSError:
            self.ok = False
        self._select(1)
