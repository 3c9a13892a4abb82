"""Remembers resets by the watchdog over the reset itself, in four words that keep their value meanwhile.

Word 0 and 1: the ages in seconds of the last eight resets, a byte each, 255 for none. Word 2: whether the
record is ours, whether the reset was asked for, and the seconds that this run has lived. Power-on clears all.
"""

MINUTE = 60
NONE = 255
_RECORDS = 8
_OURS = 0x7AB1E000
_SAME = 0xFFFFF000
_ASKED = 0x100
_SECONDS = 0xFF


class ResetLog:
    """`words` has `read(index)` and `write(index, value)` for 32-bit words."""

    def __init__(self, words, by_watchdog):
        """`by_watchdog`: the processor says so; a reset that the firmware asked for looks the same to it."""
        self._words = words
        mark = words.read(2)
        ours = mark & _SAME == _OURS
        self.asked = bool(by_watchdog and ours and mark & _ASKED)
        self._ages = []
        if by_watchdog and ours:
            lived = mark & _SECONDS
            self._ages = [age + lived for age in self._stored() if age + lived < MINUTE]
        if by_watchdog and not self.asked:
            self._ages = [0] + self._ages[: _RECORDS - 1]
        self._store()
        self._seconds = 0
        words.write(2, _OURS)

    def recent(self):
        """Resets by the watchdog within the last minute before this start."""
        return len(self._ages)

    def alive(self, seconds):
        """Call at least once a second with the seconds since the start."""
        seconds = min(seconds, _SECONDS)
        if seconds != self._seconds:
            self._seconds = seconds
            self._words.write(2, _OURS | seconds)

    def ask(self):
        """The next reset is no fault."""
        self._words.write(2, _OURS | _ASKED | self._seconds)

    def _stored(self):
        both = self._words.read(0) | self._words.read(1) << 32
        ages = [both >> 8 * place & 0xFF for place in range(_RECORDS)]
        return [age for age in ages if age != NONE]

    def _store(self):
        both = 0
        for place in range(_RECORDS):
            both |= (self._ages[place] if place < len(self._ages) else NONE) << 8 * place
        self._words.write(0, both & 0xFFFFFFFF)
        self._words.write(1, both >> 32)
