"""A table's board on MicroPython's Unix port: the cable is standard input and output, hands come by a pipe.

A hand is one byte: `0` and `1` press the button of that side, `a` and `b` let go of it.
"""

import select
import sys
import time


class Display:
    """Shows at once what is drawn."""

    def __init__(self):
        self.buffer = bytearray(1024)
        self.shift_y = 0
        self.ok = True

    def flush(self, budget_us):
        return True

    def contrast(self, level):
        pass

    def power(self, on):
        pass


class Board:
    """The board object that `table_node/node.py` asks for."""

    hardware = 0
    reset = 0

    def __init__(self, uid, hands):
        self.uid = uid
        self.lamps = [0, 0, 0, 0]
        self.ticks_us = time.ticks_us
        self.ticks_diff = time.ticks_diff
        self.ticks_add = time.ticks_add
        self._pressed = [False, False]
        self._cable = sys.stdin.buffer
        self._out = sys.stdout.buffer
        self._hands = open(hands, "rb")  # noqa: SIM115, PTH123 - for good; there is no Path
        self._any = select.poll()
        self._any.register(sys.stdin, select.POLLIN)
        self._any.register(self._hands, select.POLLIN)
        self._touch = select.poll()
        self._touch.register(self._hands, select.POLLIN)

    def rest(self, us):
        """Until something comes, or so long; ends the program when the cable is gone."""
        if us >= 1000:
            self._any.poll(us // 1000)
        while self._touch.poll(0):
            command = self._hands.read(1)
            if not command:
                sys.exit()
            side = b"01ab".find(command)
            self._pressed[side % 2] = side < 2

    def read(self, buffer):
        count = self._cable.readinto(buffer)
        if count == 0:
            sys.exit()
        return count or 0

    def send(self, buffer, count):
        self._out.write(memoryview(buffer)[:count])

    def set_baud(self, baud):
        pass

    def button(self, side):
        return self._pressed[side]

    def lamp(self, which, level):
        self.lamps[which] = level

    def supply(self):
        return 25

    def temperature(self):
        return 25

    def measure(self, measured):
        measured.supply_mv = 5_000

    def load(self):
        return None

    def save(self, record):
        pass

    def slot(self):
        return None

    def reboot(self):
        sys.exit()

    def hang(self):
        sys.exit()

    def resets(self):
        return 0

    def feed(self):
        pass
