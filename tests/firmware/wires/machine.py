"""A Pico's `machine` for the Unix port: what happens on the wires is printed. Runs under MicroPython."""

import sys

from table_node import pins

PASSES = 1500
PWRON_RESET, WDT_RESET = 1, 3
STRAPS = {"sh1106": pins.STRAP_SH1106, "shared": pins.STRAP_SHARED}
levels = {STRAPS.get(sys.argv[1], -1): 0}


class Pin:
    IN, OUT, PULL_UP = 0, 1, 1

    def __init__(self, number, mode=-1, pull=None, value=None):
        self.number = number
        if value is not None:
            levels[number] = value

    def value(self):
        return levels.get(self.number, 1)

    def __call__(self, level):
        levels[self.number] = level


class UART:
    def __init__(self, number, **how):
        self.left = PASSES

    def any(self):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return 0


class SPI:
    def __init__(self, number, **how):
        self.count = 0

    def write(self, data):
        for select in (pins.SUN_SELECT, pins.MOON_SELECT):
            if levels.get(select) == 0:
                print("spi", select, levels[pins.DISPLAY_DATA], bytes(data).hex())


class PWM:
    def __init__(self, pin, **how):
        self.number = pin.number

    def duty_u16(self, duty):
        print("lamp", self.number, duty)


class ADC:
    CORE_TEMP = 4

    def __init__(self, number):
        self.number = number

    def read_u16(self):
        return 14000


class WDT:
    def __init__(self, timeout):
        print("watchdog", timeout)

    def feed(self):
        pass


class Memory:
    def __init__(self):
        self.words = {}

    def __getitem__(self, address):
        return self.words.get(address, 0)

    def __setitem__(self, address, value):
        self.words[address] = value


mem32 = Memory()


def freq(hz):
    pass


def unique_id():
    return bytes.fromhex("e6614c311b7f4a2d")


def reset_cause():
    return PWRON_RESET
