"""A claim button: debounced; a hold of 0.6 s makes a claim or takes it back."""

from table_node.view import NO_CLAIM, SENT

HOLD_US = 600_000
_STEADY_US = 8_000
"""A contact counts once it has been closed this long; its time is that of the first touch."""
_OPEN_US = 30_000
"""Shorter openings are bounces."""
RECENT_US = 1_500_000
STUCK_US = 10_000_000
"""Nobody holds a button for so long."""
NEWS_US = 250_000
"""A STATE is at most this late unless frames are lost."""


class Button:
    """Counts only after it has been seen open once: what is stuck from the start is no press."""

    def __init__(self, board):
        self._diff = board.ticks_diff
        self.down = False
        self.contact = 0  # ticks of the first touch of the press that is or was last
        self.recent = False  # down now, or within 1.5 s
        self.stuck = False  # closed for 10 s, also from the start
        self.calm = False  # open for so long that another open contact is no news
        self._shut = False
        self._shut_at = 0  # since when it has not been open
        self._usable = False
        self._touched = False
        self._closed = 0  # since when without a bounce
        self._seen = 0  # when it was last closed
        self._first = 0

    def sample(self, closed, ticks):
        """True in the one pass in which a press begins to count."""
        if closed:
            self.calm = False
            self._stay_shut(ticks)
            return self._usable and self._close(ticks)
        self._shut = self.stuck = False
        open_for = self._diff(ticks, self._seen)
        self._closed = ticks
        if not self._touched or open_for >= _OPEN_US:
            self._touched = self.down = False
            self._usable = True
        if self.recent and not self.down and open_for >= RECENT_US:
            self.recent = False
        self.calm = not (self._touched or self.recent)
        return False

    def held(self, ticks):
        """Microseconds since the first touch of the press that is on; 0 when none is."""
        return max(0, self._diff(ticks, self.contact)) if self.down else 0

    def _stay_shut(self, ticks):
        if not self._shut:
            self._shut = True
            self._shut_at = ticks
        elif self._diff(ticks, self._shut_at) >= STUCK_US:
            self.stuck = True

    def _close(self, ticks):
        if not self._touched:
            self._touched = True
            self._first = self._closed = ticks
        self._seen = ticks
        if self.down or self._diff(ticks, self._closed) < _STEADY_US:
            return False
        self.down = self.recent = True
        self.contact = self._first
        return True


NO = 0  # no game is on: a hold means nothing
MAY = 1  # the own side is active
NOT_NOW = 2  # wait for your side
NO_NEWS = 3  # no link: nobody knows
WALK = 4  # a test: each touch makes a claim at once


class ClaimPoint:
    """One side's button and its claim. What counts is what held at the first touch."""

    def __init__(self, button, claim):
        self.button = button
        self.claim = claim
        self.fill = 0  # 0-255
        self._at_us = 0
        self._allowed = NO
        self._done = True

    def at_rest(self):
        """While the contact stays open `watch` would change nothing."""
        return self.button.calm and self.claim.shown == NO_CLAIM

    def watch(self, closed, ticks, allowed, master):
        """One pass. `allowed` is NO, MAY, NOT_NOW, NO_NEWS or WALK at this moment; `master(ticks)` gives the
        master's time. True when a press has begun."""
        began = self.button.sample(closed, ticks)
        if began and allowed == WALK:
            self._count(master, ticks)
        elif began:
            self._begin(allowed, master)
        if self._done or not self.button.down:
            self.fill = 0
        elif closed:
            self._hold(self.button.held(ticks), allowed, ticks)
        self.claim.watch(ticks)
        return began

    def _count(self, master, ticks):
        """The claim before this one goes first: until it is acknowledged a touch makes none."""
        self._done = True
        if self.claim.status != SENT:
            self.claim.make(master(self.button.contact), ticks)

    def _begin(self, allowed, master):
        self._allowed = MAY if self.claim.stands() else allowed
        self._done = self._allowed in (NO, NO_NEWS) or self.claim.withdrawing
        if not self._done:
            self._at_us = master(self.button.contact)

    def _hold(self, held, allowed, ticks):
        if self._allowed == NOT_NOW:
            # The news that the own side's turn has begun may come after the touch: then the master judges.
            if allowed == MAY:
                self._allowed = MAY
            elif held > NEWS_US:
                self._done = True
                self.claim.wait(ticks)
        elif allowed == NO:
            self._done = True
        elif held < HOLD_US:
            self.fill = held * 255 // HOLD_US
        else:
            self._done = True
            self.fill = 0
            self._finish(ticks)

    def _finish(self, ticks):
        if self.claim.stands():
            self.claim.take_back()
        else:
            self.claim.make(self._at_us, ticks)
