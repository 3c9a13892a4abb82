"""The service manager: notices over its datagram socket, and whether what is said goes to its journal."""

import os
import socket
from collections.abc import Mapping

START_S = 20
"""`TimeoutStartSec` of the unit, from each sign of progress on."""


class Notices:
    """Tells systemd READY, WATCHDOG, STATUS and STOPPING (sd_notify(3)). Does nothing where there is no
    socket for it; one that is gone is not our failure."""

    def __init__(self, address: str | None, watchdog_ns: int | None) -> None:
        self.watchdog_ns = watchdog_ns
        self._address = address
        self._socket: socket.socket | None = None
        if address is not None:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
            self._socket.settimeout(0)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Notices":
        """NOTIFY_SOCKET (a leading @ is an abstract name), WATCHDOG_USEC and WATCHDOG_PID as sd_notify(3)
        has them."""
        address = environment.get("NOTIFY_SOCKET") or None
        if address is not None and address.startswith("@"):
            address = "\0" + address[1:]
        period = environment.get("WATCHDOG_USEC", "")
        meant = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        return cls(address, int(period) * 1000 if period.isdigit() and meant else None)

    def reading(self, lines: int) -> None:
        """The start goes on, so many lines of the journal have been worked through: the manager waits START_S
        from now, whatever it was told before."""
        status = f"reading the journal: {lines} lines"
        self._send(f"EXTEND_TIMEOUT_USEC={START_S * 1_000_000}\nSTATUS={status}")

    def ready(self, status: str) -> None:
        self._send(f"READY=1\nSTATUS={status}")

    def alive(self) -> None:
        """Only to be called from the loop that owns the clock, after all parts have shown signs of life."""
        self._send("WATCHDOG=1")

    def status(self, text: str) -> None:
        self._send(f"STATUS={text}")

    def stopping(self) -> None:
        self._send("STOPPING=1")

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _send(self, text: str) -> None:
        if self._socket is None or self._address is None:
            return
        try:
            self._socket.sendto(text.encode(), self._address)
        except OSError:
            # The manager restarts or its queue is full; a missed notice is repeated, a missed watchdog is
            # its decision.
            return


def goes_to_the_journal(descriptor: int, environment: Mapping[str, str]) -> bool:
    """Whether this open file is systemd's journal (systemd.exec(5), JOURNAL_STREAM), which others read."""
    status = os.fstat(descriptor)
    return environment.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"
