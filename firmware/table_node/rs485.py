"""The table bus on a UART: half duplex, with a pin that switches the driver on while the node speaks."""

from time import ticks_add, ticks_diff, ticks_us

BITS_OF_A_BYTE = 10
# The driver lets go at the latest after this much more than the time that the bytes take.
_GRACE_US = 2000


class Rs485:
    """`uart` is a machine.UART of MicroPython 1.25 or newer: before 1.24 `txdone` came a character too soon.

    `enable` is called with 0 or 1.
    """

    def __init__(self, uart, enable, baud):
        self._uart = uart
        self._enable = enable
        self._baud = baud
        self._echo = bytearray(64)
        enable(0)

    def set_baud(self, baud):
        self._baud = baud
        self._uart.init(baudrate=baud)

    def read(self, buffer):
        """Bytes that have come in, into the buffer; how many. Never waits."""
        waiting = self._uart.any()
        if not waiting:
            return 0
        return self._uart.readinto(buffer, min(waiting, len(buffer))) or 0

    def send(self, buffer, count):
        """Speak, and let go of the line as soon as the last bit is out; True when all of it went.

        Own bytes that the receiver heard are dropped.
        """
        uart = self._uart
        time_us = count * BITS_OF_A_BYTE * 1_000_000 // self._baud + _GRACE_US
        end = ticks_add(ticks_us(), time_us)
        self._enable(1)
        try:
            sent = uart.write(memoryview(buffer)[:count]) == count
            while not uart.txdone():
                if ticks_diff(end, ticks_us()) < 0:
                    sent = False
                    break
        finally:
            self._enable(0)
        self._drop_echo(count)
        return sent

    def _drop_echo(self, count):
        """Whatever came in meanwhile is our own: nobody else speaks then."""
        while count > 0:
            heard = self.read(self._echo)
            if not heard:
                return
            count -= heard
