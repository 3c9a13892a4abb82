"""MicroPython's raw prompt as a Pico offers it, for the Unix port, which has none. Runs under MicroPython.

Its folder is the flash; `settings.py` in it (made by the test) says what this Pico is and what goes wrong.
"""

import sys

import settings

GREETING = b"raw REPL; CTRL-B to exit\r\n>"
# What a Pico has and the Unix port has not, by the words that ask for it.
STANDS_FOR = (
    (b"sys.implementation", b"__import__('settings').implementation"),
    (b"os.statvfs('/')", b"__import__('settings').STATVFS"),
)


def say(data):
    sys.stdout.buffer.write(data)


def serve():
    names = {"open": settings.open_file}
    command = b""
    while True:
        key = sys.stdin.buffer.read(1)
        if not key:
            return
        if key in b"\x01\x03":
            command = b""
            if key == b"\x01":
                say(GREETING)
        elif key == b"\x05" and not command:
            sys.stdin.buffer.read(2)
            say(b"R\x00")  # raw paste is understood and not offered
        elif key == b"\x04":
            say(b"OK")
            execute(command, names)
            command = b""
        else:
            command += key


def execute(command, names):
    for asked, given in () if command.startswith(b"w(") else STANDS_FOR:  # what is written is data
        command = command.replace(asked, given)
    trouble = b""
    try:
        exec(command.decode(), names)
    except Exception as error:
        trouble = b"Traceback (most recent call last):\r\n" + repr_of(error)
    say(b"\x04" + trouble + b"\x04>")


def repr_of(error):
    """As MicroPython prints it; OSError with its name, which mpremote looks for."""
    if isinstance(error, OSError):
        return ("OSError: [Errno %d] %s\r\n" % (error.errno, settings.ERRORS.get(error.errno, ""))).encode()
    return ("%s: %s\r\n" % (type(error).__name__, error)).encode()


serve()
