"""What the node tells of itself: once a second supply and temperature are read and the uptime goes on."""

SECOND_US = 1_000_000


class Vitals:
    def __init__(self, board):
        self._board = board
        self._second = board.ticks_us()
        self.seconds = 0
        self.supply = board.supply()  # 0.2 V
        self.temperature = board.temperature()  # degrees Celsius
        self.reset = board.reset  # 0 power, 1 watchdog, 2 soft, 3 other

    def minutes(self):
        return self.seconds // 60

    def tick(self, ticks):
        """True once a second. After a hang the seconds are caught up, one a call."""
        if self._board.ticks_diff(ticks, self._second) < SECOND_US:
            return False
        self._second = self._board.ticks_add(self._second, SECOND_US)
        self.seconds += 1
        self.supply = self._board.supply()
        self.temperature = self._board.temperature()
        return True
