"""Draws letters and symbols into a display's buffer by copying bytes: pixels across, pages down.

A page is eight rows; the buffer holds them one after the other, `WIDTH` bytes each, the top row in bit 0 (the
order of SSD1306, SSD1309 and SH1106). A text ends before the first letter that would reach over
the right edge.
"""

from table_node import glyphs

WIDTH = 128
_LIT = memoryview(b"\xff" * WIDTH)
_BUT_THE_LAST_ROW = memoryview(b"\x7f" * WIDTH)
# Each of four pixels twice.
_TWICE = b"\x00\x03\x0c\x0f\x30\x33\x3c\x3f\xc0\xc3\xcc\xcf\xf0\xf3\xfc\xff"


class Font:
    """Letters of one height; made of a table of glyphs.py."""

    def __init__(self, table):
        self.pages, self.letters, self.widths, data = table
        self.data = memoryview(data)
        self.starts = []
        start = 0
        for width in self.widths:
            self.starts.append(start)
            start += width * self.pages
        # Between two letters, in pixels.
        self.gap = 1 if self.pages < 4 else 2

    def width(self, text):
        """Pixels from the first lit column to the last; a letter that the font lacks takes none."""
        total = 0
        for letter in text:
            index = self.letters.find(letter)
            if index >= 0:
                total += self.widths[index] + self.gap
        return max(0, total - self.gap)


SMALL = Font(glyphs.SMALL)
TEXT = Font(glyphs.TEXT)
NAME = Font(glyphs.NAME)
COUNT = Font(glyphs.COUNT)


class Canvas:
    """The buffer of one display, or of its half."""

    def __init__(self, buffer):
        self.buffer = buffer
        self.pixels = memoryview(buffer)
        self.pages = len(buffer) // WIDTH
        self.nothing = memoryview(bytes(WIDTH))

    def clear(self):
        self.erase(0, 0, WIDTH, self.pages)

    def erase(self, x, page, width, pages):
        nothing = self.nothing[:width]
        for start in range(page * WIDTH + x, (page + pages) * WIDTH, WIDTH):
            self.pixels[start : start + width] = nothing

    def text(self, font, text, x, page):
        """Write from `x` on; the place after the last letter and its gap."""
        # All in one, with names of its own: a call or a look into an object costs as much as a row of pixels.
        pixels, data, letters = self.pixels, font.data, font.letters
        widths, starts, gap, pages = font.widths, font.starts, font.gap, font.pages
        top = page * WIDTH
        for letter in text:
            index = letters.find(letter)
            if index < 0:
                continue
            width = widths[index]
            if x + width > WIDTH:
                break
            start = starts[index]
            place = top + x
            x += width + gap
            for _ in range(pages):
                pixels[place : place + width] = data[start : start + width]
                place += WIDTH
                start += width
        return x

    def centred(self, font, text, left, right, page):
        """Write in the middle between two columns; what has no room there ends at the right one."""
        width = font.width(text)
        middle = (left + right - width) // 2
        self.text(font, text, middle if middle >= left else max(0, right - width), page)

    def symbol(self, symbol, x, page):
        width, pages, data = symbol
        return self._copy(data, 0, width, pages, x, page)

    def over(self, font, text, x, page):
        """Write on what is there already."""
        for letter in text:
            index = font.letters.find(letter)
            if index >= 0:
                x = self._add(font, index, x, page) + font.gap

    def invert(self, x, page, width, pages):
        """Light becomes dark, but for the last row: it is the line between two fields, and the foot of the
        display, which comes in at the top when the picture wanders down by a row.
        """
        for number in range(page, page + pages):
            start = number * WIDTH + x
            row = self.pixels[start : start + width]
            mask = _BUT_THE_LAST_ROW if number == page + pages - 1 else _LIT
            row[:] = (_number(row) ^ _number(mask[:width])).to_bytes(width, "little")

    def double(self, font, text, x):
        """Write twice as large from the first page on: every pixel becomes four."""
        for letter in text:
            index = font.letters.find(letter)
            if index >= 0:
                x = self._copy_double(font, index, x) + 2 * font.gap

    def _copy(self, data, start, width, pages, x, page):  # noqa: PLR0917
        if x + width > WIDTH:
            return x
        place = page * WIDTH + x
        for _ in range(pages):
            self.pixels[place : place + width] = data[start : start + width]
            place += WIDTH
            start += width
        return x + width

    def _add(self, font, index, x, page):
        width = font.widths[index]
        start = font.starts[index]
        for number in range(page, page + font.pages):
            place = number * WIDTH + x
            row = self.pixels[place : place + width]
            row[:] = (_number(row) | _number(font.data[start : start + width])).to_bytes(width, "little")
            start += width
        return x + width

    def _copy_double(self, font, index, x):
        width = font.widths[index]
        if x + 2 * width > WIDTH:
            return x
        start = font.starts[index]
        for page in range(min(font.pages, self.pages // 2)):
            place = 2 * page * WIDTH + x
            for column in font.data[start : start + width]:
                self.pixels[place] = self.pixels[place + 1] = _TWICE[column & 15]
                self.pixels[place + WIDTH] = self.pixels[place + WIDTH + 1] = _TWICE[column >> 4]
                place += 2
            start += width
        return x + 2 * width


def _number(row):
    """All pixels of a row of bytes at once: one operation for all of them is many times as fast as a loop."""
    return int.from_bytes(row, "little")
