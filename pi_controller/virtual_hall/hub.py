"""Real time for the virtual tables: ports (pseudo-terminals that stand in for adapters), clock and socket in
one loop."""

import contextlib
import errno
import fcntl
import logging
import os
import select
import selectors
import socket
import struct
import time
import tty
from collections.abc import Callable, Mapping
from pathlib import Path

from pi_controller.virtual_hall.hall import MASTER, Segment, VirtualHall
from pi_controller.virtual_hall.server import Server

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


log = logging.getLogger(__name__)

LOOK_FOR_MASTER_US = 50_000
"""Between two looks whether a closed port has been opened."""
GRAIN_US = 1_000
"""What is due within one such span is done in one go. An answer may be so much later than its node meant."""
LONGEST_LAG_US = 500_000
"""Who is later than this, on a machine that is too busy, lets the hall's time stand still for the rest."""


class Hub:
    """Serves the hall until `stop` can be read. The hall's time begins at 0."""

    def __init__(
        self, hall: VirtualHall, *, ports: Mapping[str, Path], socket_path: Path, stop: socket.socket
    ) -> None:
        self._hall = hall
        self._stopped = False
        self._began_us = _monotonic_us()
        self.lost_us = 0
        """By how much the hall's time is behind since the start."""
        self._done_us = 0
        """The hall's time up to which everything has happened: it must not go back behind that."""
        self._selector = selectors.SelectSelector()  # to the microsecond, and for fewer than 1024 descriptors
        self._selector.register(stop, selectors.EVENT_READ, self._stop)
        self._lines = [
            _Line(hall.segments[name], Port(link), selector=self._selector, now_us=self.now_us)
            for name, link in ports.items()
        ]
        self._server = Server(socket_path, hall, selector=self._selector, now_us=self.now_us)

    def now_us(self) -> int:
        return _monotonic_us() - self._began_us - self.lost_us

    def run(self) -> None:
        while not self._stopped:
            now_us = self.now_us()
            wait_us = max(0, self._next_us(now_us) - now_us)
            for key, events in self._selector.select(wait_us / 1e6):
                key.data(events)
            self._advance()

    def close(self) -> None:
        self._server.close()
        for line in self._lines:
            line.close()
        self._selector.close()

    def _stop(self, _: int) -> None:
        self._stopped = True

    def _next_us(self, now_us: int) -> int:
        news_us = self._server.next_us()
        soonest = min(line.next_us() for line in self._lines)
        return min(soonest, now_us + 1_000_000 if news_us is None else news_us)

    def _advance(self) -> None:
        now_us = self.now_us()
        lag_us = now_us - max(self._done_us, min(line.next_us() for line in self._lines))
        if lag_us > LONGEST_LAG_US:
            if not self.lost_us:
                log.warning(
                    "this machine is too busy for so many virtual tables; their time stands still meanwhile"
                )
            self.lost_us += lag_us - LONGEST_LAG_US
            now_us = self.now_us()
        for line in self._lines:
            line.advance(now_us)
        self._done_us = now_us
        news_us = self._server.next_us()
        if news_us is not None and news_us <= now_us:
            self._server.tell()


class _Line:
    """A segment and its port."""

    def __init__(
        self, segment: Segment, port: Port, *, selector: selectors.BaseSelector, now_us: Callable[[], int]
    ) -> None:
        self._segment = segment
        self._port = port
        self._selector = selector
        self._now_us = now_us
        self._open = False
        self._look_us = 0

    def next_us(self) -> int:
        due_us = self._segment.next_us(GRAIN_US)
        return due_us if self._open else min(due_us, self._look_us)

    def advance(self, now_us: int) -> None:
        if not self._open and self._look_us <= now_us:
            self._look_us = now_us + LOOK_FOR_MASTER_US
            self._look()
        heard = self._segment.advance(now_us)
        if heard and self._open:
            self._port.write(heard)

    def close(self) -> None:
        if self._open:
            self._selector.unregister(self._port.master)
        self._port.close()

    def _look(self) -> None:
        if self._port.is_open():
            self._open = True
            self._selector.register(self._port.master, selectors.EVENT_READ, self._read)

    def _read(self, _: int) -> None:
        data = self._port.read()
        if data is None:
            self._open = False
            self._look_us = self._now_us() + LOOK_FOR_MASTER_US
            self._selector.unregister(self._port.master)
        elif data:
            cable = self._segment.cable
            cable.set_baud(MASTER, self._port.baud())
            cable.talk(MASTER, data, self._now_us())


def _monotonic_us() -> int:
    return time.monotonic_ns() // 1000
