"""The table bus, half duplex. A UART listens; a state machine of the PIO speaks and switches the driver, so
that it is off as soon as nothing is left to say, whatever the program does."""

from time import ticks_add, ticks_diff, ticks_us

import rp2
from rp2 import PIO

BITS_OF_A_BYTE = 10
STEPS_OF_A_BIT = 8
# The program lets go at the latest after this much more than the time that the bytes take.
_GRACE_US = 2000


# ruff: noqa: F821 - the instructions of the state machine are names that asm_pio gives
@rp2.asm_pio(
    out_init=PIO.OUT_HIGH,
    set_init=PIO.OUT_HIGH,
    sideset_init=PIO.OUT_LOW,
    out_shiftdir=PIO.SHIFT_RIGHT,
    fifo_join=PIO.JOIN_TX,
)
def speak():
    """STEPS_OF_A_BIT: a byte of the FIFO with start and stop bit. `side` is the driver's enable."""
    mov(x, invert(null)).side(0)  # what `pull` gives when the FIFO is empty: no byte
    label("silent")
    pull().side(0)
    nop().side(1)[7]  # the driver is on a bit ahead of the start bit
    wrap_target()
    set(pins, 0).side(1)[6]
    set(y, 7).side(1)
    label("bit")
    out(pins, 1).side(1)[6]
    jmp(y_dec, "bit").side(1)
    set(pins, 1).side(1)[4]
    pull(noblock).side(1)
    mov(y, invert(osr)).side(1)
    jmp(not_y, "over").side(1)
    wrap()
    label("over")
    jmp("silent").side(1)[1]  # the whole stop bit is out


class Rs485:
    """`make` gives a machine.UART and the rp2.StateMachine of `speak` for a rate; `enable` is the pin that
    this one sets: its `value` says whether the driver is on."""

    def __init__(self, make, enable, baud):
        self._make = make
        self._enable = enable
        self._echo = bytearray(64)
        self._uart = self._speaker = None
        self.set_baud(baud)

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
