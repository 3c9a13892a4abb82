"""A table's display: what the firmware draws into, and what a player sees."""

from functools import lru_cache

WIDTH = 128
HEIGHT = 64
ROW = WIDTH // 8
PAGES = 8
"""Of 128 bytes; in a byte the top pixel of eight is the lowest bit (framebuf's MONO_VLSB)."""
DARK_MA, WHITE_MA = 2.0, 130.0
"""Of a display of 2.42" with nothing and with everything lit at full contrast, at 3.3 V; an estimate."""
BRIGHTEST = 255
PAGE_US = 110
"""To send a page of 128 bytes and its address over SPI at 10 MHz."""


class VirtualDisplay:
    """The display object of the firmware: it draws into `buffer`, then `flush` shows it.

    `shown` is the picture on the glass; dark while not `on`. `ok` is False when the display does not answer.
    """

    def __init__(self) -> None:
        self.width = WIDTH
        self.height = HEIGHT
        self.buffer = bytearray(WIDTH * PAGES)
        self.shift_y = 0
        self.shown = bytes(self.buffer)
        self.lower_by = 0
        """Rows by which the glass shows the picture lower; what leaves it at the bottom comes in at the
        top."""
        self.on = False
        self.level = 255
        self.ok = True
        self.spent_us = 0
        """Time that sending has taken; the table counts it into its own."""
        self._lit_of = self.shown
        self._lit = 0.0

    def flush(self, budget_us: int) -> bool:
        """Send pages that differ until the budget is used up; True when the whole picture is on the glass."""
        if not self.ok:
            return False
        self.lower_by = self.shift_y
        if self.shown == self.buffer:
            return True
        for first in range(0, len(self.buffer), WIDTH):
            page = self.buffer[first : first + WIDTH]
            if self.shown[first : first + WIDTH] == page:
                continue
            if budget_us < PAGE_US:
                return False
            budget_us -= PAGE_US
            self.spent_us += PAGE_US
            self.shown = self.shown[:first] + page + self.shown[first + WIDTH :]
        return True

    def contrast(self, level: int) -> None:
        """0 to 255."""
        self.level = level

    def power(self, on: bool) -> None:  # noqa: FBT001 - the firmware's own signature
        self.on = on

    def lose_power(self) -> None:
        """Dark, as after pulling the plug."""
        self.buffer[:] = bytes(len(self.buffer))
        self.shown = bytes(self.buffer)
        self.shift_y = self.lower_by = 0
        self.on = False
        self.level = 255

    def milliamps(self) -> float:
        """What it takes now: the panel's current goes with the pixels that are lit, and with the contrast."""
        if not self.ok:
            return 0.0
        if self._lit_of is not self.shown:
            self._lit_of = self.shown
            self._lit = int.from_bytes(self.shown, "little").bit_count() / (WIDTH * HEIGHT)
        return DARK_MA + (WHITE_MA - DARK_MA) * self._lit * self.on * self.level / BRIGHTEST

    def rows(self) -> bytes:
        """The picture in rows from the top, a bit a pixel, the leftmost first; 16 bytes a row."""
        pages = range(0, WIDTH * PAGES, WIDTH)
        rows = b"".join(_page_rows(self.shown[first : first + WIDTH]) for first in pages)
        top = len(rows) - self.lower_by * ROW
        return rows[top:] + rows[:top]


def _spread(column: int, place: int) -> int:
    """A byte of eight pixels below each other, as the bit `place` of eight bytes."""
    return sum((column >> bit & 1) << (8 * bit + 7 - place) for bit in range(8))


_SPREAD = [[_spread(column, place) for column in range(256)] for place in range(8)]


@lru_cache(maxsize=4096)
def _page_rows(page: bytes) -> bytes:
    """Eight rows of 16 bytes: turned over in squares of eight by eight pixels."""
    squares = [
        sum(table[column] for table, column in zip(_SPREAD, page[x : x + 8], strict=True)).to_bytes(
            8, "little"
        )
        for x in range(0, WIDTH, 8)
    ]
    return b"".join(bytes(square[row] for square in squares) for row in range(8))
