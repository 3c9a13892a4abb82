"""The end of a connection to core over which pictures and beats come."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from pi_controller.protocol import messages
from pi_controller.protocol.errors import CoreTrouble, Malformed
from pi_controller.protocol.lines import Lines


class WatchLine(Struct, kw_only=True):
    """A line of `watch` for who hands it on: each as it was written, empty where the line carries none."""

    picture: msgspec.Raw = msgspec.Raw()
    beat: msgspec.Raw = msgspec.Raw()


class WatchStream(Lines):
    """Asks as soon as it is connected. `tell` is called in the very turn of the loop in which a line comes,
    `over` gets the reason why no more do."""

    def __init__(self, path: Path, tell: Callable[[WatchLine], None]) -> None:
        super().__init__(path)
        self.heard_s: float | None = None
        """When the newest line came, by the loop's clock."""
        self._loop = asyncio.get_running_loop()
        self.over: asyncio.Future[Exception] = self._loop.create_future()
        self._tell = tell

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._transport.write(messages.encode_request(messages.AskWatch()))

    def take(self, line: bytes) -> None:
        self.heard_s = self._loop.time()
        try:
            news = messages.decode_answer(line, WatchLine)
        except (CoreTrouble, Malformed) as why:
            self.end(why)
        else:
            self._tell(news)

    def ended(self, why: Exception) -> None:
        if not self.over.done():
            self.over.set_result(why)

    def close(self) -> None:
        """Nothing more is told."""
        self.over.cancel()
        if self.open:
            self.open = False
            self._transport.abort()
