"""One contact of the pause button as its edges tell it: constant size, however much it bounces. Pure."""

# The longest bounce whose first edge still counts as the time of a press: twice the 50 ms that worn
# arcade buttons show. Without a limit, steady noise would date a press minutes back.
LONGEST_BOUNCE_NS = 100_000_000
# Before every bounce that could still be going on.
_NEVER_NS = -LONGEST_BOUNCE_NS - 1


class Contact:
    """Level, last edge, and for each level the first edge towards it since the contact last rested elsewhere.

    `rests_closed` is the level with nobody at the button; it stands until the first edge or sample.
    """

    def __init__(self, *, rests_closed: bool, settle_ns: int) -> None:
        self.closed = rests_closed
        self.heard = False
        self.last_ns = 0
        self.last_closing_ns = 0
        self.opened_unseen = False
        self._settle_ns = settle_ns
        self._first_ns = {True: _NEVER_NS, False: _NEVER_NS}

    @property
    def first_closed_ns(self) -> int:
        return self._first_ns[True]

    @property
    def first_open_ns(self) -> int:
        return self._first_ns[False]

    def begin(self, *, closed: bool, at_ns: int) -> None:
        """Take this level as given, without an edge."""
        self.closed = closed
        self.heard = True
        self.last_ns = self.last_closing_ns = at_ns
        self._first_ns[closed] = at_ns

    def edge(self, *, closed: bool, at_ns: int) -> None:
        """Take an edge. One that comes late may move the first edge back but never the last one."""
        if self.heard and closed == self.closed:
            self._first_ns[closed] = min(self._first_ns[closed], at_ns)
        elif not self.heard or self._is_new(closed=closed, at_ns=at_ns):
            self._first_ns[closed] = at_ns
        self.heard = True
        self.closed = closed
        self.opened_unseen = False
        self.last_ns = max(self.last_ns, at_ns)
        if closed:
            self.last_closing_ns = self.last_ns

    def found_open(self, at_ns: int) -> None:
        """A level poll found the contact open though no opening edge has arrived (yet)."""
        self.edge(closed=False, at_ns=at_ns)
        self.opened_unseen = True

    def _is_new(self, *, closed: bool, at_ns: int) -> bool:
        rested = at_ns - self.last_ns >= self._settle_ns
        return rested or at_ns - self._first_ns[closed] > LONGEST_BOUNCE_NS
