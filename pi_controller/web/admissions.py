"""Open sockets of those who are logged in: each ends with the log-in that opened it."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

LOG_IN_ENDED = 4401
"""The code with which such a socket closes (of the range for private use, RFC 6455, 7.4.2)."""
CLOSING = b"\x88\x02" + LOG_IN_ENDED.to_bytes(2, "big")
"""A whole closing frame (RFC 6455, 5.5.1)."""

CredentialT = TypeVar("CredentialT")


class Admissions(Generic[CredentialT]):
    """`is_good` says whether a credential still lets its holder in."""

    def __init__(self, is_good: Callable[[CredentialT], bool]) -> None:
        self._is_good = is_good
        self._open: dict[asyncio.Transport, CredentialT] = {}

    @contextlib.contextmanager
    def admit(self, transport: asyncio.Transport, credential: CredentialT) -> Iterator[None]:
        """This connection is a socket for the length of the block, on the strength of this credential."""
        self._open[transport] = credential
        try:
            yield
        finally:
            del self._open[transport]

    def sweep(self) -> None:
        """End the sockets whose log-in has ended; to be called about once a second and after each log-out."""
        for transport, credential in tuple(self._open.items()):
            if not transport.is_closing() and not self._is_good(credential):
                _end(transport)


def _end(transport: asyncio.Transport) -> None:
    """With the reason, if it leaves at once: who does not read may not stay for that."""
    transport.write(CLOSING)
    if transport.get_write_buffer_size():
        transport.abort()
    else:
        transport.close()
