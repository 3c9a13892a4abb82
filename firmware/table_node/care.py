"""Care for the displays: contrast, dimming and blanking while nothing happens, and shifting the picture."""

DIM_SECONDS = 300
BLANK_SECONDS = 1800
_SHIFT_SECONDS = 60


class Care:
    """The node asks once a second; `idle` is true in a kind of picture that may stand for hours."""

    def __init__(self):
        self.blanked = False  # by order, until something happens
        self.shift_x = 0  # 0-3 pixels
        self.shift_y = 0  # 0-1 pixels
        self._idle = 0
        self._seconds = 0

    def second(self, idle):
        self._seconds += 1
        self._idle = self._idle + 1 if idle else 0
        step = self._seconds // _SHIFT_SECONDS
        self.shift_x = step % 4
        self.shift_y = step // 4 % 2

    def wake(self):
        """Something happened that somebody wants to see."""
        self._idle = 0
        self.blanked = False

    def power(self):
        return not self.blanked and self._idle < BLANK_SECONDS

    def contrast(self, brightness):
        """0-255, from the brightness that the master asks for."""
        return brightness // 4 if self._idle >= DIM_SECONDS else brightness
