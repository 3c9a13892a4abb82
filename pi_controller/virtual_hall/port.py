"""A pseudo-terminal that stands in for the adapter of a segment, found by a symbolic link."""

import contextlib
import errno
import fcntl
import os
import select
import struct
import tty
from pathlib import Path

TCGETS2 = 0x802C542A
"""asm-generic/ioctls.h; tells rates that have no constant, such as 250,000."""
_TERMIOS2 = struct.Struct("4IB19s2I")
CHUNK = 4096


class Port:
    """The far side of a serial port at `link`. It is `open` while somebody has the near side open."""

    def __init__(self, link: Path) -> None:
        self._link = link
        self.master, near = os.openpty()
        try:
            tty.setraw(near)
            os.set_blocking(self.master, False)
            self._name = os.ttyname(near)
            self._point()
        except OSError:
            os.close(self.master)
            raise
        finally:
            os.close(near)
        self._spoken_to = False

    def is_open(self) -> bool:
        """A closed one hangs up, also before it was open for the first time."""
        poll = select.poll()
        poll.register(self.master, select.POLLIN)
        open_now = not any(event & select.POLLHUP for _, event in poll.poll(0))
        self._spoken_to = self._spoken_to and open_now
        return open_now

    def baud(self) -> int:
        """The rate that the near side is set to."""
        found = fcntl.ioctl(self.master, TCGETS2, bytes(_TERMIOS2.size))
        return int(_TERMIOS2.unpack(found)[-1])

    def read(self) -> bytes | None:
        """What was sent, b"" when there is nothing; None when the near side has been closed."""
        try:
            data = os.read(self.master, CHUNK)
        except BlockingIOError:
            return b""
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            self._spoken_to = False
            return None
        self._spoken_to = True
        return data

    def write(self, data: bytes) -> None:
        """What the near side does not take is lost, as on a line. Nothing is written before it has sent
        something: until it is set up the terminal would echo."""
        if not self._spoken_to:
            return
        with contextlib.suppress(BlockingIOError):
            os.write(self.master, data)

    def close(self) -> None:
        """Also removes the link, unless it has become another's."""
        os.close(self.master)
        with contextlib.suppress(OSError):
            if str(self._link.readlink()) == self._name:
                self._link.unlink()

    def _point(self) -> None:
        self._link.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = self._link.with_name(f".{self._link.name}.new")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(self._name)
        fresh.rename(self._link)
