"""A Pico's `rp2` for the Unix port, as far as the transmitter needs it: nothing comes out. Runs under MicroPython."""


class PIO:
    OUT_LOW = OUT_HIGH = SHIFT_RIGHT = JOIN_TX = 0


def asm_pio(**how):
    return lambda program: program


class StateMachine:
    def __init__(self, number, program, **how):
        pass

    def active(self, on):
        pass

    def put(self, data):
        pass
