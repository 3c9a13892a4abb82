"""The transmitter of the table bus as a program for a state machine of the chip's PIO."""

# Its instructions are names that asm_pio gives, so that nobody who checks names or types knows them.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false, reportCallIssue=false, reportAttributeAccessIssue=false
# pyright: reportIndexIssue=false, reportOptionalMemberAccess=false, reportArgumentType=false

import rp2
from rp2 import PIO

STEPS_OF_A_BIT = 8


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
