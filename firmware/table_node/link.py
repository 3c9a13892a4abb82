"""Which STATE frames count: epochs, order, age; and for how long the node's address holds (PROTOCOL.md)."""

from table_node import messages as m
from table_node.estimator import signed

NO_LINK_US = 2_000_000
ADDRESS_HOLDS_US = 10_000_000
_REFRESH_US = 200_000
OWN_SILENT_US = 1_000_000
"""Another master is listened to once the own one has said nothing for so long: five of its STATEs."""
NO_EPOCH = -1

STALE = 0
HEARD = 1
NEW_EPOCH = 2


class Link:
    """Judges each STATE by epoch, sequence and the master's stamp. A STATE counts once: what is repeated or
    replayed neither changes anything nor keeps the link alive."""

    def __init__(self, board):
        self._diff = board.ticks_diff
        self.alive = False
        self.epoch = NO_EPOCH
        self.state_seq = 0
        self.missed = 0
        self._left = NO_EPOCH
        self._master_us = 0
        self._heard = 0
        self._candidate = NO_EPOCH
        self._candidate_seq = 0
        self._candidate_us = 0
        self._pause = m.Pause()

    def judge(self, state, ticks):
        """STALE, HEARD or NEW_EPOCH for a good STATE frame that came at `ticks`."""
        if state.epoch == self.epoch and self._follows(state):
            self._count_missed(ticks)
            self._take(state, ticks)
            return HEARD
        if self.alive and state.epoch in (self.epoch, self._left):
            return STALE
        second = self._second_of_two(state)
        if not second or (self.alive and self._diff(ticks, self._heard) < OWN_SILENT_US):
            return STALE
        new = state.epoch != self.epoch
        if new:
            self._left = self.epoch
            self.epoch = state.epoch
        self._take(state, ticks)
        return NEW_EPOCH if new else HEARD

    def freezes(self, frame, state):
        """A PAUSE; True when it counts, and `state`, the newest, is frozen: it has the very next number in
        the own epoch, while there is a link. Whether the master lives, STATE alone says."""
        pause = self._pause
        if not m.fits(frame.version, m.PAUSE, frame.size) or not pause.read(frame.payload):
            return False
        follows = pause.state_seq == (self.state_seq + 1) & 0xFFFF
        if not (self.alive and pause.epoch == self.epoch and follows):
            return False
        self.state_seq = pause.state_seq
        state.freeze(pause)
        return True

    def watch(self, ticks):
        """To be called in every pass; `alive` ends 2 s after the last STATE that counted."""
        if self.alive and self._diff(ticks, self._heard) >= NO_LINK_US:
            self.alive = False
            self._candidate = NO_EPOCH

    def _follows(self, state):
        newer = (state.state_seq - self.state_seq) & 0xFFFF
        if newer >= 0x8000:
            return False
        return newer > 0 or signed(state.master_us - self._master_us) > 0

    def _second_of_two(self, state):
        """Nothing old is worth protecting from the second of two frames that follow one another."""
        follows = (
            state.epoch == self._candidate
            and (state.state_seq - self._candidate_seq) & 0xFFFF < 0x8000
            and 0 < signed(state.master_us - self._candidate_us) < NO_LINK_US
        )
        self._candidate = state.epoch
        self._candidate_seq = state.state_seq
        self._candidate_us = state.master_us
        return follows

    def _take(self, state, ticks):
        self.alive = True
        self.state_seq = state.state_seq
        self._master_us = state.master_us
        self._heard = ticks
        self._candidate = NO_EPOCH

    def _count_missed(self, ticks):
        """The master refreshes every 200 ms: what the gap is too long for was missed."""
        if self.alive:
            self.missed += max(0, (self._diff(ticks, self._heard) + _REFRESH_US // 2) // _REFRESH_US - 1)


class Address:
    """The short address and whether it still holds. 0: none, the node answers discovery."""

    def __init__(self, board):
        self._diff = board.ticks_diff
        self.number = 0
        self._doubted = False
        self._since = 0

    def give(self, number):
        self.number = number
        self._doubted = False

    def forget(self):
        self.number = 0

    def doubt(self, ticks):
        """Another master has come: the address holds only if that one polls it in time."""
        self._doubted = True
        self._since = ticks

    def polled(self):
        """In the epoch that the node has now."""
        self._doubted = False

    def watch(self, ticks):
        if self._doubted and self._diff(ticks, self._since) >= ADDRESS_HOLDS_US:
            self._doubted = False
            self.number = 0
