"""The Pico's main.py, not compiled. It needs no other file of the node, since one of them may be torn."""

import sys
import time

import machine

_IMPORTS_MS = 8000
"""Imports take 1 s; the node allows less from then on. The RP2040 can count to 8,388 ms at most."""
_LAMPS = (6, 7, 10, 11)
_HALF_A_BLINK_MS = 500
_CLEAR_BITS = (0x400D8000 if "RP2350" in getattr(sys.implementation, "_machine", "") else 0x40058000) + 0x3000
_ENABLED = 1 << 30


def light(level):
    for number in _LAMPS:
        machine.Pin(number, machine.Pin.OUT, value=level)


def blink():
    """Nothing can be drawn or said: all lamps blink together, until the watchdog bites."""
    while True:
        for level in (1, 0):
            light(level)
            time.sleep_ms(_HALF_A_BLINK_MS)


def disarm():
    """For somebody at the USB port: MicroPython itself cannot stop the watchdog."""
    machine.mem32[_CLEAR_BITS] = _ENABLED


try:
    machine.WDT(timeout=_IMPORTS_MS)
    if machine.reset_cause() == machine.WDT_RESET:
        light(1)  # a module that was cut in its middle hangs: then they stay lit. The node puts them out.
    try:
        from table_node.main import run

        run()
    except Exception as error:  # noqa: BLE001 - a torn module fails in any way
        sys.print_exception(error)
        blink()
    disarm()  # a MicroPython that is too old: the displays say so for good
except KeyboardInterrupt:
    disarm()
    raise
