"""One display between two players: each sees a half the right way up."""

from table_node.canvas import WIDTH

_HALF = 4 * WIDTH


def _turned(byte):
    """Its eight pixels upside down."""
    other = 0
    for bit in range(8):
        if byte & 1 << bit:
            other |= 0x80 >> bit
    return other


def _turn(page, place):
    for column in range(WIDTH):
        place[WIDTH - 1 - column] = _TURNED[page[column]]


_TURNED = bytes([_turned(byte) for byte in range(256)])


class HalfDisplay:
    """Half of a display, with the interface of a whole one and a buffer of 512 bytes.

    The near half stands below, upright; the far one above, turned by 180 degrees.
    """

    def __init__(self, whole, far):
        self.buffer = bytearray(_HALF)
        self.shift_y = 0
        self._whole = whole
        self._far = far
        self._drawn = bytearray(_HALF)
        own, drawn, all_of_it = memoryview(self.buffer), memoryview(self._drawn), memoryview(whole.buffer)
        self._pages = []
        for page in range(4):
            start = page * WIDTH
            place = (3 - page) * WIDTH if far else _HALF + start
            parts = (
                own[start : start + WIDTH],
                drawn[start : start + WIDTH],
                all_of_it[place : place + WIDTH],
            )
            self._pages.append(parts)

    @property
    def ok(self):
        return self._whole.ok

    def flush(self, budget_us):
        """As that of a whole display; turning a page takes its time, so the far half comes page by page."""
        for own, drawn, place in self._pages:
            if own != drawn:
                drawn[:] = own
                if self._far:
                    _turn(own, place)
                    self._whole.flush(budget_us)
                    return False
                place[:] = own
        return self._whole.flush(budget_us)

    def contrast(self, level):
        self._whole.contrast(level)

    def power(self, on):
        self._whole.power(on)


def halves(whole):
    """The two halves, that of the first place first."""
    return HalfDisplay(whole, False), HalfDisplay(whole, True)
