"""How much of the phase is left, counted on from the newest STATE in the master's time."""

from table_node.estimator import signed

NO_RESUME = 0xFFFF
_FLICKER_US = 20_000


class Countdown:
    """Never starts a phase, never goes below zero, and shows zero only when a STATE said so."""

    def __init__(self):
        self.left_us = 0
        self.rate = 256
        self.running = False
        self.resume_us = 0  # 0: not counting in
        self._as_of = 0
        self._shown = 0
        self._asked_us = -1
        self._answer_us = 0

    def take(self, state, *, running, counting_in):
        """`left_us` and `resume_in` of the STATE hold as of its `master_us`."""
        self._as_of = state.master_us
        self._asked_us = -1
        self.left_us = state.left_us
        self.rate = state.rate
        self.running = running
        known = counting_in and state.resume_in != NO_RESUME
        self.resume_us = state.resume_in * 1000 if known else 0

    def left(self, master_us):
        """Microseconds of game time left; at least 1 unless the STATE itself said 0."""
        if not self.running or self.left_us == 0:
            return self.left_us
        return max(1, self.left_us - self._elapsed(master_us))

    def seconds(self, master_us):
        """To show, rounded up. While running it does not flicker back for a few milliseconds."""
        left = self.left(master_us)
        seconds = whole(left, 1_000_000)
        flickers = seconds == self._shown + 1 and left - self._shown * 1_000_000 < _FLICKER_US
        if not (flickers and self.running and self._shown):
            self._shown = seconds
        return self._shown

    def resume(self, master_us):
        """3, 2, 1 while counting in, and 1 until a STATE says that play goes on; 0 otherwise."""
        if self.resume_us == 0:
            return 0
        left = max(1, self.resume_us - self._elapsed(master_us))
        return (left + 999_999) // 1_000_000

    def to_flip(self, master_us):
        """Microseconds until another second is to be shown, at most a second."""
        if self.resume_us:
            left = self.resume_us - self._elapsed(master_us)
        elif self.running:
            left = self.left_us - self._elapsed(master_us)
        else:
            return 1_000_000
        if left <= 0 or self.rate == 0:
            return 1_000_000
        game_us = (left - 1) % 1_000_000 + 1
        return min(1_000_000, (game_us * 256 + self.rate - 1) // self.rate)

    def _elapsed(self, master_us):
        """Asked several times for the same moment; as long numbers leave garbage, the newest is kept."""
        if master_us != self._asked_us:
            self._asked_us = master_us
            self._answer_us = max(0, signed(master_us - self._as_of)) * self.rate // 256
        return self._answer_us


def whole(us, unit_us):
    """Rounded up: a second that has begun is shown."""
    return (us + unit_us - 1) // unit_us
