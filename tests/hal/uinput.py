"""A device with keys of this kernel, made through /dev/uinput (linux/uinput.h)."""

import fcntl
import os
import struct
import time
from pathlib import Path

import pytest

from pi_controller.hal.evdev import EV_KEY, EV_SYN, EVENT
from tests.patience import DEADLINE_S

UI_DEV_CREATE, UI_DEV_DESTROY = 0x5501, 0x5502
UI_SET_EVBIT, UI_SET_KEYBIT = 0x40045564, 0x40045565
UI_DEV_SETUP = 0x405C5503
UI_GET_SYSNAME = 0x8040552C
USB = 3


class UinputDevice:
    """It counts as one on USB. Skips the test where this kernel or user makes none."""

    def __init__(self, name: str, keys: tuple[int, ...]) -> None:
        try:
            self._fd = os.open("/dev/uinput", os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            pytest.skip(f"/dev/uinput cannot be opened: {os.strerror(error.errno or 0)}")
        fcntl.ioctl(self._fd, UI_SET_EVBIT, EV_KEY)
        for key in keys:
            fcntl.ioctl(self._fd, UI_SET_KEYBIT, key)
        fcntl.ioctl(self._fd, UI_DEV_SETUP, struct.pack("HHHH80sI", USB, 0xF055, 1, 1, name.encode(), 0))
        fcntl.ioctl(self._fd, UI_DEV_CREATE)
        folder = fcntl.ioctl(self._fd, UI_GET_SYSNAME, bytes(64)).split(b"\0")[0].decode()
        (node,) = Path("/sys/devices/virtual/input", folder).glob("event*")
        self.node = Path("/dev/input") / node.name
        end_s = time.monotonic() + DEADLINE_S
        while not self.node.exists() and time.monotonic() < end_s:
            time.sleep(0)  # udev makes the file

    def key(self, code: int, value: int) -> None:
        report = EVENT.pack(0, 0, EV_KEY, code, value) + EVENT.pack(0, 0, EV_SYN, 0, 0)
        os.write(self._fd, report)

    def unplug(self) -> None:
        fcntl.ioctl(self._fd, UI_DEV_DESTROY)
        os.close(self._fd)
