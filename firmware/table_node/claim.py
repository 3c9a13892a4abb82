"""A claim from the hold that made it until it is judged, and what the master says of it."""

from table_node import view

SAID_US = 4_000_000
"""For how long the end of a claim is shown."""
_STANDING = (view.SENT, view.RECEIVED, view.OPEN, view.JUDGE_COMES)


class Claim:
    """`number` and `at_us` are told to the master while the claim stands. `shown` is for the view."""

    def __init__(self, board, number):
        self._diff = board.ticks_diff
        self.number = number  # of the last claim; the next one has the next
        self.at_us = 0  # master time of the first touch; 0: no claim of this game
        self.status = view.NO_CLAIM
        self.shown = view.NO_CLAIM
        self.withdrawing = False
        self._passing = False
        self._since = 0

    def stands(self):
        return self.status in _STANDING

    def make(self, at_us, ticks):
        """`at_us`: master time of the first touch; 0, which means none on the wire, becomes 1."""
        self.number = self.number % 255 + 1
        self.at_us = at_us or 1
        self._become(view.SENT, ticks)

    def take_back(self):
        """Asked for with every HEALTH until the master says that the claim is over."""
        self.withdrawing = self.stands()

    def wait(self, ticks):
        """Not the own side's turn: the node says so itself, and no claim is made."""
        self._say(view.WAIT_FOR_YOUR_SIDE, ticks)

    def answered(self, number, status, ticks):
        """What a POLL says of claim `number`, with the status as on the wire; 0: the master knows of none.
        True when that is news."""
        if self.at_us == 0:
            return False
        if number == self.number and status:
            became = status + 2
        elif self.stands():
            # Another master that does not know it yet: it must not look acknowledged.
            became = view.SENT
        else:
            return False
        if became == self.status:
            return False
        self._become(became, ticks)
        return True

    def forget(self):
        """Another game: the claim of the one before is over."""
        self.status = self.shown = view.NO_CLAIM
        self.at_us = 0
        self.withdrawing = self._passing = False

    def move(self, by_us):
        """Another master's clock: the same moment in its time."""
        if self.at_us:
            self.at_us = (self.at_us + by_us) & 0xFFFFFFFF or 1

    def watch(self, ticks):
        """How a claim ended is shown for 4 s; a confirmed one stays."""
        if self._passing and self._diff(ticks, self._since) >= SAID_US:
            self._passing = False
            lasts = self.stands() or self.status == view.CONFIRMED
            self.shown = self.status if lasts else view.NO_CLAIM

    def _become(self, status, ticks):
        self.status = status
        self._say(status, ticks)
        if not self.stands():
            self.withdrawing = False

    def _say(self, shown, ticks):
        self.shown = shown
        self._passing = shown != view.CONFIRMED and shown not in _STANDING
        self._since = ticks
