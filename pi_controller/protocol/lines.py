"""An end of a connection to core: what comes is cut into lines."""

import asyncio
from pathlib import Path
from typing import cast

from pi_controller.protocol import messages
from pi_controller.protocol.buffered import Buffered, read_buffer
from pi_controller.protocol.client import why_not
from pi_controller.protocol.errors import CoreTrouble, NoCore


class Lines(Buffered):
    """`take` gets each line, `ended` once the reason why there are no more: NoCore, CoreTrouble, or what
    `take` itself raised."""

    def __init__(self, path: Path) -> None:
        super().__init__(read_buffer())
        self.open = False
        self._path = path
        self._rest = b""
        self._transport: asyncio.Transport

    def take(self, line: bytes) -> None:
        raise NotImplementedError

    def ended(self, why: Exception) -> None:
        raise NotImplementedError

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.open = True

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        longest = messages.LONGEST_ANSWER
        if max(map(len, [*lines, self._rest])) >= longest:
            self.end(CoreTrouble(f"the controller's answer is longer than {longest} bytes"))
            return
        for line in lines:
            if self.open:
                self.take(line)

    def connection_lost(self, exc: Exception | None) -> None:
        if exc is None:
            self.end(NoCore(f"The controller at {self._path} hung up before it had answered"))
        else:
            self.end(NoCore(why_not(exc, self._path)) if isinstance(exc, OSError) else exc)

    def end(self, why: Exception) -> None:
        """Hang up, for this reason."""
        if self.open:
            self.open = False
            self._transport.abort()
            self.ended(why)
