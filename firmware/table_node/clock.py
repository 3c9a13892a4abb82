"""Microseconds that wrap around, with MicroPython's functions, on both Pythons."""

import time

try:
    ticks_us = time.ticks_us
    ticks_diff = time.ticks_diff
    ticks_add = time.ticks_add
except AttributeError:
    # CPython: the same with the period of the Pico's (2**30).
    _PERIOD = 1 << 30
    _HALF = _PERIOD // 2

    def ticks_us():
        return time.monotonic_ns() // 1000 % _PERIOD

    def ticks_diff(later, earlier):
        return (later - earlier + _HALF) % _PERIOD - _HALF

    def ticks_add(ticks, delta):
        return (ticks + delta) % _PERIOD
