"""What all displays have in common: a picture in memory, of which only the pages that differ are sent."""

from table_node.canvas import WIDTH

PAGES = 8


class Display:
    """128 × 64 pixels. `buffer` holds what is to be seen (see canvas.py), `flush` brings it to the glass.

    A driver gives `page_us`, the longest time that one page takes, and the methods `send_page(page, data)`,
    `show_from(row)`, `contrast(level)` and `power(on)`.
    """

    page_us = 500

    def __init__(self):
        self.buffer = bytearray(PAGES * WIDTH)
        self.shift_y = 0  # rows by which the picture stands lower, 0 or 1
        self.ok = True  # False when the display did not take what was sent
        self._shifted = 0
        self._page = 0
        # Random pixels fill the display's memory after power-on: every page is sent once.
        self._unsent = [True] * PAGES
        self._sent = bytearray(len(self.buffer))
        self._wanted_pages = _pages(self.buffer)
        self._sent_pages = _pages(self._sent)

    def flush(self, budget_us):
        """Send pages that differ while the time lasts, at least one; True when the glass shows the buffer."""
        if self._shifted != self.shift_y:
            self._shifted = self.shift_y
            self.show_from(-self.shift_y % (PAGES * 8))
        left = max(1, budget_us // self.page_us)
        for _ in range(PAGES):
            page = self._page
            if self._unsent[page] or self._wanted_pages[page] != self._sent_pages[page]:
                if left == 0:
                    return False
                left -= 1
                self._sent_pages[page][:] = self._wanted_pages[page]
                self.send_page(page, self._sent_pages[page])
                self._unsent[page] = False
            self._page = (page + 1) % PAGES
        return True

    def send_all_again(self):
        """The glass may have lost its picture."""
        self._unsent = [True] * PAGES

    def send_page(self, page, data):
        raise NotImplementedError

    def show_from(self, row):
        raise NotImplementedError

    def contrast(self, level):
        raise NotImplementedError

    def power(self, on):
        raise NotImplementedError


def _pages(buffer):
    whole = memoryview(buffer)
    return [whole[start : start + WIDTH] for start in range(0, len(buffer), WIDTH)]
