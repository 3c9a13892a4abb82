"""How a segment's thread waits: for its port, for a word from another thread, for a time to try again."""

import os
import select
import threading

FIRST_US = 200_000
LONGEST_US = 1_000_000
"""So that a table bus that comes back is found, and its nodes have answered, within 2 s."""


class Waker:
    """`wait` on one thread, `wake` from any; a wake before the wait is not lost."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._fd: int | None = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def wake(self) -> None:
        """Never blocks; nothing happens after `close`."""
        with self._lock:
            if self._fd is not None:
                os.eventfd_write(self._fd, 1)

    def wait(self, port: int | None, seconds: float) -> bool:
        """Until the port can be read, somebody wakes or the time is up; True when the port can be read."""
        if self._fd is None:
            raise ValueError("a closed waker waits for nobody")
        waited = [self._fd] if port is None else [self._fd, port]
        ready, _, _ = select.select(waited, [], [], max(0.0, seconds))
        if self._fd in ready:
            os.eventfd_read(self._fd)
        return port in ready

    def close(self) -> None:
        """May be called twice."""
        with self._lock:
            fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)


class Backoff:
    """When to try again: after 0.2 s, then twice as long each time, at most 1 s. Microseconds."""

    def __init__(self, *, first_us: int = FIRST_US, longest_us: int = LONGEST_US) -> None:
        self._first_us = first_us
        self._longest_us = longest_us
        self._next_us = first_us
        self.due_us = 0
        """Not before this."""

    def failed(self, now_us: int) -> None:
        self.due_us = now_us + self._next_us
        self._next_us = min(2 * self._next_us, self._longest_us)

    def worked(self) -> None:
        self._next_us = self._first_us
