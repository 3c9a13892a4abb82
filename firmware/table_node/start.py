"""The Pico's main.py, not compiled. It needs no other file of the node, since one of them may be torn, and is
never written over the bus: it chooses between two folders with firmware, of which one may be on trial.

`chosen` and `gone_back` can be imported elsewhere. MicroPython keeps each name for ever: there are few here.
Of the file `slot`, a line:
`a` or `a + 0 OFFER` (kept) or `a - WHY OFFER` (went back): that folder runs;
`a b STARTS OFFER`: b runs on trial, started so often.
"""

# pyright: reportPossiblyUnboundVariable=false

import os
import sys
import time

if sys.implementation.name == "micropython":
    import machine

SLOT = "slot"
_IMPORTS_MS = 8000
"""Imports take 1 s; the node allows less from then on. The RP2040 can count to 8,388 ms at most."""
_LAMPS = (6, 7, 10, 11)
_CLEAR_BITS = (0x400D8000 if "RP2350" in getattr(sys.implementation, "_machine", "") else 0x40058000) + 0x3000


def chosen(text):
    """The folder to run, and what is to stand in `slot` before it does, "" when that stands there."""
    words = text.split()
    if not words or words[0] not in ("a", "b"):
        return "a", ""
    if len(words) < 4 or words[1] not in ("a", "b"):
        return words[0], ""
    if words[2] in ("0", "1"):  # it runs twice at most
        return words[1], f"{words[0]} {words[1]} {int(words[2]) + 1} {words[3]}"
    return words[0], gone_back(text)


def gone_back(text):
    """What stands in `slot` after a trial that did not start."""
    words = text.split()
    return f"{words[0]} - 9 {words[3]}"


def read():
    try:
        with open(SLOT) as file:
            return file.read()
    except (OSError, ValueError):
        return ""  # none yet


def write(text):
    """False when it cannot be: the flash is as it was."""
    try:
        with open(SLOT + ".new", "w") as file:
            file.write(text)
        os.rename(SLOT + ".new", SLOT)
    except OSError:
        return False
    return True


def light(level):
    for number in _LAMPS:
        machine.Pin(number, machine.Pin.OUT, value=level)


def blink():
    """Nothing can be drawn or said: all lamps blink together, until the watchdog bites."""
    while True:
        for level in (1, 0):
            light(level)
            time.sleep_ms(500)


def disarm():
    """For somebody at the USB port: MicroPython itself cannot stop the watchdog."""
    machine.mem32[_CLEAR_BITS] = 1 << 30  # it is enabled


def start():
    machine.WDT(timeout=_IMPORTS_MS)
    if machine.reset_cause() == machine.WDT_RESET:
        light(1)  # a module that was cut in its middle hangs: then they stay lit. The node puts them out.
    text, back = read(), ""
    name, words = chosen(text)
    if words and not write(words):
        name = text[0]  # a trial that is not counted would have no end
    elif words and name != text[0]:
        back = gone_back(text)
    sys.path[:0] = [name]
    try:
        from table_node.main import run  # noqa: PLC0415 - the folder is chosen before

        run()
    except Exception as error:  # noqa: BLE001 - a torn module fails in any way
        sys.print_exception(error)
        if not back:
            blink()
    if back:
        write(back)
        machine.reset()
    disarm()  # a MicroPython that is too old: the displays say so for good


if __name__ == "__main__":
    try:
        start()
    except KeyboardInterrupt:
        disarm()
        raise
