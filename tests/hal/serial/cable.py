"""A serial adapter made of a pseudo-terminal, its stable name, and what a test hangs on it."""

import contextlib
import os
import select
import termios
import threading
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

from pi_controller.bus.values import SegmentPort
from tests.patience import DEADLINE_S


class Adapter:
    """`name` is the stable one; `fd` the end of the pseudo-terminal where the cable would be."""

    def __init__(self, name: Path) -> None:
        self.name = name
        self.fd = -1
        self.plug()

    @property
    def segment(self) -> SegmentPort:
        return SegmentPort("A", str(self.name))

    def plug(self) -> None:
        """Another device under the same name, as after every plugging in."""
        self.fd, end = os.openpty()
        tty.setraw(end)
        os.set_blocking(self.fd, False)
        device = os.ttyname(end)
        os.close(end)
        new = self.name.with_suffix(".new")
        new.symlink_to(device)
        new.replace(self.name)

    def unplug(self) -> None:
        fd, self.fd = self.fd, -1
        if fd != -1:
            os.close(fd)

    def vanish(self) -> None:
        """Its name goes too, as udev has it."""
        self.unplug()
        self.name.unlink(missing_ok=True)

    def say(self, data: bytes) -> None:
        os.write(self.fd, data)

    def hear(self, seconds: float = DEADLINE_S) -> bytes:
        """What comes next; empty when nothing does."""
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return b""
        try:
            return os.read(self.fd, 4096)
        except OSError:  # nobody has the other end open just now
            return b""

    def baud(self) -> int:
        return int(termios.tcgetattr(self.fd)[5])


@contextlib.contextmanager
def adapter(folder: Path) -> Iterator[Adapter]:
    made = Adapter(folder / "row-A")
    try:
        yield made
    finally:
        made.unplug()


def wait_until(done: Callable[[], object], what: str) -> None:
    until = time.monotonic() + DEADLINE_S
    pause = threading.Event()
    while not done():
        assert time.monotonic() < until, f"never happened: {what}"
        pause.wait(0.002)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
