"""The table bus, half duplex. A UART listens; a state machine of the PIO speaks and switches the driver, so
that it is off as soon as nothing is left to say, whatever the program does."""

from time import ticks_add, ticks_diff, ticks_us

BITS_OF_A_BYTE = 10
# The program lets go at the latest after this much more than the time that the bytes take.
_GRACE_US = 2000


class Rs485:
    """`make` gives a machine.UART and the rp2.StateMachine of `speak` for a rate; `enable` is the pin that
    this one sets: its `value` says whether the driver is on."""

    def __init__(self, make, enable, baud):
        self._make = make
        self._enable = enable
        self._echo = bytearray(64)
        self._baud = baud
        self._uart, self._speaker = make(baud)

    def set_baud(self, baud):
        self._baud = baud
        self._uart, self._speaker = self._make(baud)

    def read(self, buffer):
        """Bytes that have come in, into the buffer; how many. Never waits."""
        waiting = self._uart.any()
        if not waiting:
            return 0
        return self._uart.readinto(buffer, min(waiting, len(buffer))) or 0

    def send(self, buffer, count):
        """Speak; returns when the line is free again. True when all of it went.

        Own bytes that the receiver heard are dropped.
        """
        time_us = count * BITS_OF_A_BYTE * 1_000_000 // self._baud + _GRACE_US
        end = ticks_add(ticks_us(), time_us)
        self._speaker.put(memoryview(buffer)[:count])
        sent = True
        while self._enable.value():
            if ticks_diff(end, ticks_us()) < 0:
                sent = False
                break
        self._drop_echo(count)
        return sent

    def _drop_echo(self, count):
        """Whatever came in meanwhile is our own: nobody else speaks then."""
        while count > 0:
            heard = self.read(self._echo)
            if not heard:
                return
            count -= heard
