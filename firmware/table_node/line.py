"""The node's end of the cable: bytes in, one answer out, and silence whenever somebody else speaks.

Listen before talk: whoever hears a byte between the request and the own answer stays silent, because the
master has given the request up (for a pause frame, say). Own bytes that come back are left out.
"""

from table_node.frame import LONGEST_FRAME, MASTER, OVERHEAD, Receiver

BAUDS = (250_000, 115_200)
SILENT_US = 3_000_000
"""Without a good frame for so long the other rate is tried."""
VISIT_BAUD = 500_000
VISIT_SILENT_US = 1_500_000
"""At the rate of a test this ends it."""
TURNAROUND_US = 300
SLOW_POLL_TURNAROUND_US = 4_000
"""At the slower rate all segments are polled at the same moment; nodes that answer at the same moment too
leave all lines free together."""
TOO_LATE_US = 8_000
"""After the request. The master waits 12 ms for the whole answer, its way through a USB adapter included."""
TEST_TOO_LATE_US = 24_000
"""After a PING or a MEASURE. The master waits 40 ms: readings take 2 ms, collecting garbage 6."""
_QUIET_US = 500
"""In discovery: how long the line must have been silent."""
_ENOUGH_READS = 16
_NEAR_US = 1000


class Line:
    def __init__(self, board):
        self._board = board
        self.receiver = Receiver()
        self.baud = BAUDS[0]
        self.collisions = 0
        self.out = bytearray(LONGEST_FRAME)
        self._in = bytearray(LONGEST_FRAME - 2)  # as much as the receiver has room for
        self._echo = bytearray(LONGEST_FRAME)
        self._good = 0
        self._good_at = self._byte_at = board.ticks_us()
        self.wanted = False  # an answer is to be given
        self.slotted = False  # in a slot of discovery
        self.due = 0
        self._too_late = 0
        self._others = False  # somebody has answered in an earlier slot
        self._visit_us = 0  # how long the rate of a test lasts, 0: none
        self._visit_at = 0
        self._home = BAUDS[0]  # the rate before it
        self._sound = 0  # what had been heard damaged when the last good frame came
        self._settled = True  # a good frame has come since another rate was turned to
        self.forget()

    def forget(self):
        """What came while nobody looked counts for nothing: nobody knows when, nor what of it was lost."""
        while self._board.read(self._in):
            pass
        self.receiver.reset()
        self._echo_size = self._echo_at = 0
        self.wanted = False

    def pump(self, handle):
        """Reads what is there; `handle(ticks)` is called for each good frame with the time at which it ended,
        late by at most the time since the last pass. Returns the number of bytes."""
        board, receiver = self._board, self.receiver
        total = 0
        for _ in range(_ENOUGH_READS):
            own = self._echo_at < self._echo_size
            size = board.read(self._in if own else receiver.room())
            if not size:
                break
            total += size
            ticks = self._byte_at = board.ticks_us()
            if own:
                self._leave_out(size, ticks, handle)
            else:
                receiver.came(size)
                self._take(ticks, handle)
        if total:
            self.watch()
        return total

    def wire_us(self, count):
        return count * 10_000_000 // self.baud

    def frame_us(self):
        """How long the frame just received was on the wire."""
        return self.wire_us(self.receiver.size + OVERHEAD)

    def in_frame(self, ticks):
        """Whether a frame is coming in, or one may follow at once."""
        return 0 <= self._board.ticks_diff(ticks, self._byte_at) < _QUIET_US

    def want(self, ended, poll=False, test=False):
        """An answer is to be given to the request that ended at these ticks: a POLL, a test, another."""
        after_us = SLOW_POLL_TURNAROUND_US if poll and self.baud == BAUDS[1] else TURNAROUND_US
        self.wanted = True
        self.slotted = False
        self.due = self._board.ticks_add(ended, after_us)
        self._too_late = (TEST_TOO_LATE_US if test else TOO_LATE_US) - after_us

    def want_in_slot(self, ended, slot, slot_us):
        """An answer is to be given at the beginning of this slot, or not at all."""
        self.wanted = self.slotted = True
        self.due = self._board.ticks_add(ended, TURNAROUND_US + slot * slot_us)
        self._too_late = slot_us
        self._others = False

    def is_near(self, ticks):
        """Whether an answer is to go out within a millisecond: nothing else is begun before."""
        return self.wanted and self._board.ticks_diff(self.due, ticks) < _NEAR_US

    def is_due(self, ticks):
        """True when the answer is to go out now. One that comes too late is dropped."""
        if not self.wanted:
            return False
        late = self._board.ticks_diff(ticks, self.due)
        taken = self.slotted and self._others and self.in_frame(ticks)
        if late >= self._too_late or (taken and late >= 0):
            self.wanted = False
        return self.wanted and late >= 0

    def send(self, size):
        """Sends the first bytes of `out`."""
        self.wanted = False
        self._echo[:size] = self.out[:size]
        self._echo_size = size
        self._echo_at = 0
        self._board.send(self.out, size)

    def visit(self, seconds):
        """To the rate of a test for so long, 0: back. Damage between the two does not count."""
        if seconds and not self._visit_us:
            self._home = self.baud
            self._turn(VISIT_BAUD)
            self._settled = False
        elif self._visit_us and not seconds:
            self._turn(self._home)
            self._settled = False
        self._visit_us = seconds * 1_000_000
        self._visit_at = self._good_at = self._board.ticks_us()

    def _take(self, ticks, handle):
        """What has come to the receiver, the last byte of it at `ticks`."""
        receiver = self.receiver
        self._disturbed()
        while receiver.next():
            if receiver.src == MASTER:
                self.wanted = False
            if receiver.behind:
                handle(self._board.ticks_add(ticks, -self.wire_us(receiver.behind)))
                self._disturbed()
            else:
                handle(ticks)

    def _disturbed(self):
        """Somebody else has spoken: who has not begun an answer stays silent."""
        self._others = True
        if not self.slotted:
            self.wanted = False

    def _leave_out(self, size, ticks, handle):
        """Own bytes that come back; from the first that differs on it is somebody else's."""
        at = 0
        while at < size and self._echo_at < self._echo_size:
            if self._in[at] != self._echo[self._echo_at]:
                self._no_echo()
                break
            self._echo_at += 1
            at += 1
        if at < size:
            receiver = self.receiver
            receiver.room()[: size - at] = self._in[at:size]
            receiver.came(size - at)
            self._take(ticks, handle)

    def _no_echo(self):
        """What looked like the own bytes is somebody else's, or two have spoken at once."""
        if self._echo_at > 1:
            self.collisions += 1
        for at in range(self._echo_at):
            self.receiver.take(self._echo[at])
        self._echo_size = 0

    def watch(self):
        """To be called now and then, also when nothing comes: turns to another rate when it is time."""
        ticks = self._board.ticks_us()
        if self.receiver.good != self._good:
            self._good = self.receiver.good
            self._good_at = ticks
            if not self._settled:
                self._settled = True
                self.receiver.damaged = self._sound
            self._sound = self.receiver.damaged
        silent = self._board.ticks_diff(ticks, self._good_at)
        if self._visit_us:
            over = self._board.ticks_diff(ticks, self._visit_at) >= self._visit_us
            if over or silent >= VISIT_SILENT_US:
                self.visit(0)
        elif silent >= SILENT_US:
            self._good_at = ticks
            self._turn(BAUDS[1] if self.baud == BAUDS[0] else BAUDS[0])

    def _turn(self, baud):
        self.baud = baud
        self._board.set_baud(baud)
        self.receiver.reset()
        self._echo_size = self._echo_at = 0
