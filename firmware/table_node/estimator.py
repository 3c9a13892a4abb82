"""The master's time from the stamps of STATE frames.

A frame can be noticed late, never early: of many stamps those that lie furthest ahead are right. They are the
upper hull of the stamps of the last half minute; its edge gives time and drift of the two crystals.
Master time is u32 microseconds (wraps); local ticks are microseconds of `board.ticks_us`.
"""

_BUCKET_MS = 2000
_BUCKETS = 16
_FIRST_FIT = 6
_MOST_DRIFT = 200
"""ppm; two crystals of ±100 ppm."""
_JUMP_US = 250_000
_JUMP_STAMPS = 10
_SLEW = 50
"""A correction of 1 us takes 50 us: 20 ms/s, which nobody sees in a countdown."""
_REBASE_US = 1 << 26
_REFERENCE_MS = 200_000
_CERTAIN_STAMPS = 5

WRAP = 0xFFFFFFFF
_HALF = 1 << 31


def signed(difference):
    """A difference of two u32 times in microseconds, -2**31 to 2**31 - 1."""
    return ((difference + _HALF) & WRAP) - _HALF


class Estimator:
    def __init__(self, board):
        self._diff = board.ticks_diff
        self._add = board.ticks_add
        self._t = [0] * (_BUCKETS + 1)  # ms since the reference
        self._o = [0] * (_BUCKETS + 1)  # us that the stamp is ahead of the reference
        self.forget()

    def forget(self):
        """As if no stamp had been heard: another master, or another boot of it."""
        self.known = False
        self.stamps = 0
        self.drift = 0  # ppm of the local time
        self._base_ticks = 0
        self._base = 0  # master time at the base on the estimated line
        self._gap = 0  # us by which `master` is ahead of the line, at the base
        self._reference_ticks = 0
        self._reference = 0
        self._collecting = False
        self._count = 0
        self._open = False
        self._late = 0

    def certain(self):
        """False while the time may still be wrong by a frame's delay."""
        return self.stamps >= _CERTAIN_STAMPS

    def master(self, ticks):
        """Master time u32 at these local ticks; runs steadily, corrections come at 20 ms/s at most."""
        ahead = self._diff(ticks, self._base_ticks)
        return (self._base + ahead + ahead * self.drift // 1_000_000 + self._left_of_gap(ahead)) & WRAP

    def exact(self, ticks):
        """The same without steadiness: what is known best by now, for moments that are told."""
        ahead = self._diff(ticks, self._base_ticks)
        return (self._base + ahead + ahead * self.drift // 1_000_000) & WRAP

    def stamp(self, master_us, ticks):
        """The master's time was `master_us` when something happened that was noticed at `ticks` or before."""
        if not self.known:
            self._start(master_us, ticks)
            return
        self._rebase(ticks)
        ahead = signed(master_us - self._base)
        if ahead < -_JUMP_US:
            self._late += 1
            if self._late >= _JUMP_STAMPS:
                self._start(master_us, ticks)
            return
        self._late = 0
        if ahead > _JUMP_US:
            self._start(master_us, ticks)
            return
        self.stamps += 1
        if ahead > 0:
            self._base = master_us
            self._gap -= ahead
        self._collect(master_us, ticks)

    def keep(self, ticks):
        """To be called at least once in five minutes, or the ticks wrap. What was heard before a long silence
        says nothing of the drift after it."""
        if self.known and self._diff(ticks, self._base_ticks) > _REBASE_US:
            self._rebase(ticks)
            self._collecting = False

    def _start(self, master_us, ticks):
        self.forget()
        self.known = True
        self.stamps = 1
        self._base_ticks = ticks
        self._base = master_us
        self._collect(master_us, ticks)

    def _left_of_gap(self, ahead):
        slewed = ahead // _SLEW if ahead > 0 else 0
        if self._gap > 0:
            return max(0, self._gap - slewed)
        return min(0, self._gap + slewed)

    def _rebase(self, ticks):
        ahead = self._diff(ticks, self._base_ticks)
        self._gap = self._left_of_gap(ahead)
        self._base = (self._base + ahead + ahead * self.drift // 1_000_000) & WRAP
        self._base_ticks = ticks

    def _collect(self, master_us, ticks):
        """The best stamp of each bucket; the open bucket is the last one."""
        if not self._collecting:
            self._collecting = True
            self._reference_ticks = ticks
            self._reference = master_us
            self._count = 0
            self._open = False
        since = self._diff(ticks, self._reference_ticks)
        at = since // 1000
        ahead = signed(master_us - self._reference) - since
        last = self._count
        if not self._open:
            self._open = True
            self._bucket_from = at
            self._t[last] = at
            self._o[last] = ahead
        elif ahead > self._o[last]:
            self._t[last] = at
            self._o[last] = ahead
        if at - self._bucket_from >= _BUCKET_MS:
            self._close(ticks)

    def _close(self, ticks):
        self._open = False
        self._count += 1
        if self._count > _BUCKETS:
            self._count = _BUCKETS
            for index in range(_BUCKETS):
                self._t[index] = self._t[index + 1]
                self._o[index] = self._o[index + 1]
        if self._count >= _FIRST_FIT:
            self._fit(ticks)
        if self._t[0] > _REFERENCE_MS:
            self._move_reference()

    def _fit(self, ticks):
        """The line that no stamp is ahead of and that is nearest to them all."""
        count, t, o = self._count, self._t, self._o
        drift = max(-_MOST_DRIFT, min(_MOST_DRIFT, self._slope()))
        height = max([o[index] - drift * t[index] // 1000 for index in range(count)])
        since = self._diff(ticks, self._reference_ticks)
        line = (self._reference + since + height + since // 1000 * drift // 1000) & WRAP
        self._gap += signed(self._base - line)
        self._base = line
        self.drift = drift

    def _slope(self):
        """ppm of the hull's edge over the mean time: of the pair of stamps whose line is highest there."""
        count, t, o = self._count, self._t, self._o
        mean = sum(t[:count]) // count
        best = slope = None
        for right in range(1, count):
            if t[right] <= mean:
                continue
            for left in range(right):
                if t[left] > mean:
                    break
                width = t[right] - t[left]
                rise = o[right] - o[left]
                height = o[left] + rise * (mean - t[left]) // width
                if best is None or height > best:
                    best = height
                    slope = rise * 1000 // width
        return slope or 0

    def _move_reference(self):
        """Times since the reference stay small."""
        by_ms, by_us = self._t[0], self._o[0]
        for index in range(self._count):
            self._t[index] -= by_ms
            self._o[index] -= by_us
        self._reference = (self._reference + by_ms * 1000 + by_us) & WRAP
        self._reference_ticks = self._add(self._reference_ticks, by_ms * 1000)
