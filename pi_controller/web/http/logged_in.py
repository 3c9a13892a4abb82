"""What lasts as long as a key is good: sockets that needed a log-in, and the better places of addresses."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator

from pi_controller.web.http.frames import closing_frame
from pi_controller.web.http.tokens import Credential, Tokens

LOG_IN_ENDED = 4401
"""The code with which such a socket closes (of the range for private use, RFC 6455, 7.4.2)."""
MOST_ADDRESSES = 512


class LoggedInSockets:
    """Open sockets of those who are logged in: each ends with the log-in that opened it."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._open: dict[asyncio.Transport, Credential] = {}

    @contextlib.contextmanager
    def open(self, transport: asyncio.Transport, credential: Credential) -> Iterator[None]:
        """This connection is a socket for the length of the block, on the strength of this credential."""
        self._open[transport] = credential
        try:
            yield
        finally:
            del self._open[transport]

    def sweep(self) -> None:
        """End the sockets whose log-in has ended; to be called about once a second and after each log-out."""
        for transport, credential in tuple(self._open.items()):
            if not transport.is_closing() and not self._tokens.is_good(credential):
                _end(transport)


class KnownAddresses:
    """From which addresses somebody asks who has shown a key: they find a place when the others are taken."""

    def __init__(self) -> None:
        self._shown: dict[str, Callable[[], bool]] = {}

    def note(self, address: str, is_good: Callable[[], bool]) -> None:
        """A key was shown from this address; `is_good` says whether it still is one."""
        self._shown.pop(address, None)
        self._shown[address] = is_good
        while len(self._shown) > MOST_ADDRESSES:
            del self._shown[next(iter(self._shown))]

    def has(self, address: str) -> bool:
        is_good = self._shown.get(address)
        return is_good is not None and is_good()


def _end(transport: asyncio.Transport) -> None:
    """With the reason, if it leaves at once: who does not read may not stay for that."""
    transport.write(closing_frame(LOG_IN_ENDED))
    if transport.get_write_buffer_size():
        transport.abort()
    else:
        transport.close()
