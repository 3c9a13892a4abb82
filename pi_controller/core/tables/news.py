"""The tables' snapshot to everybody who asks or watches; made on a thread of its own, beside the loop.

A hall of 256 tables takes milliseconds to be looked through: no freeze must wait for that.
"""

from collections.abc import Callable

import msgspec

from pi_controller.core.runtime.threads import Threads
from pi_controller.protocol.server import Client
from pi_controller.protocol.tables import TablesSnapshot

Take = Callable[[], Callable[[], TablesSnapshot]]
"""Called on the loop: gets hold of everything as it is now. What it gives is called on the thread."""

_encoder = msgspec.json.Encoder()


class TablesNews:
    """Called on the loop only."""

    def __init__(self, take: Take, threads: Threads) -> None:
        self._take = take
        self._threads = threads
        self._watchers: set[Client] = set()
        self._busy = False
        self._told = b""

    def ask(self, done: Callable[[TablesSnapshot | None], None]) -> None:
        """`done` gets the snapshot of now, on the loop; None when the look ended with a defect of this
        program."""
        make = self._take()

        def work() -> None:
            snapshot: TablesSnapshot | None = None
            try:
                snapshot = make()
            finally:
                self._threads.call_on_loop(lambda: done(snapshot))

        self._threads.run_in_thread(work, "looks through the tables")

    def watch(self, client: Client, snapshot: TablesSnapshot) -> None:
        """Tell this client of the tables as they are, and at each change."""
        client.on_close.append(lambda: self._watchers.discard(client))
        self._watchers.add(client)
        client.stream("tables", _line(snapshot))

    def look(self) -> None:
        """Tell the watchers what has changed; nothing happens while the look before still goes on."""
        if self._watchers and not self._busy:
            self._busy = True
            make = self._take()
            self._threads.run_in_thread(lambda: self._work(make), "looks through the tables")

    def _work(self, make: Callable[[], TablesSnapshot]) -> None:
        line = b""
        try:
            line = _line(make())
        finally:
            self._threads.call_on_loop(lambda: self._tell(line))

    def _tell(self, line: bytes) -> None:
        self._busy = False
        if line in (b"", self._told):
            return
        self._told = line
        for client in self._watchers:
            client.stream("tables", line)


def _line(snapshot: TablesSnapshot) -> bytes:
    return _encoder.encode({"tables": snapshot}) + b"\n"
