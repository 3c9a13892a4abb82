"""The virtual tables' own socket: pictures to who watches, hands and faults from who asks."""

import contextlib
import selectors
import socket
from collections.abc import Callable
from pathlib import Path

import msgspec

from pi_controller.protocol.messages import DoneAnswer, MalformedAnswer
from pi_controller.virtual_hall.hall import VirtualHall
from pi_controller.virtual_hall.messages import (
    LONGEST_REQUEST,
    Malformed,
    TablesNews,
    Watch,
    decode_request,
)

NEWS_US = 100_000
"""Between two news to the same watcher."""
MOST_CLIENTS = 16
CHUNK = 65536


class Server:
    """Listens at `path`, whose folder's lock the caller holds; `now_us` is the hall's time.

    `tend` is called by the loop when the selector names one of its sockets, `tell` when news are due.
    """

    def __init__(
        self, path: Path, hall: VirtualHall, *, selector: selectors.BaseSelector, now_us: Callable[[], int]
    ) -> None:
        self._path = path
        self._hall = hall
        self._selector = selector
        self._now_us = now_us
        self._clients: set[_Client] = set()
        path.unlink(missing_ok=True)
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._listening.bind(str(path))
            path.chmod(0o600)
            self._listening.listen(MOST_CLIENTS)
        except OSError:
            self._listening.close()
            raise
        self._listening.settimeout(0)
        selector.register(self._listening, selectors.EVENT_READ, self._accept)

    def next_us(self) -> int | None:
        """When `tell` is due; None while nobody watches."""
        return min((client.due_us for client in self._clients if client.seen is not None), default=None)

    def tell(self) -> None:
        """News to the watchers that are due and have read what they got before."""
        now_us = self._now_us()
        for client in list(self._clients):
            if client.seen is not None and client.due_us <= now_us:
                client.due_us = now_us + NEWS_US
                if not client.unsent:
                    self._tell(client, client.seen)

    def close(self) -> None:
        for client in list(self._clients):
            self._leave(client)
        self._selector.unregister(self._listening)
        self._listening.close()
        self._path.unlink(missing_ok=True)

    def _accept(self, _: int) -> None:
        with contextlib.suppress(BlockingIOError, ConnectionAbortedError):
            connection, _address = self._listening.accept()
            connection.settimeout(0)
            client = _Client(connection)
            if len(self._clients) >= MOST_CLIENTS:
                sentence = f"{MOST_CLIENTS} programs are connected already: close one of them."
                client.say(MalformedAnswer(id=None, malformed=sentence))
                connection.close()
                return
            self._clients.add(client)
            self._selector.register(
                connection, selectors.EVENT_READ, lambda events: self._converse(client, events)
            )

    def _converse(self, client: "_Client", events: int) -> None:
        try:
            if events & selectors.EVENT_READ:
                self._hear(client)
            if client in self._clients:
                client.flush()
                self._listen_for(client)
        except OSError:  # it has gone
            self._leave(client)

    def _hear(self, client: "_Client") -> None:
        data = client.connection.recv(CHUNK)
        *lines, client.rest = (client.rest + data).split(b"\n")
        for line in filter(bytes.strip, lines):
            client.say(self._answer(client, line))
        if len(client.rest) > LONGEST_REQUEST:
            client.say(MalformedAnswer(id=None, malformed=f"a request has at most {LONGEST_REQUEST} bytes"))
            data = b""
        if not data:
            self._leave(client)

    def _answer(self, client: "_Client", line: bytes) -> msgspec.Struct | None:
        try:
            request = decode_request(line)
            if isinstance(request, Watch):
                client.seen = {}
                client.due_us = self._now_us()
                return None
            self._hall.do(request, self._now_us())
        except Malformed as error:
            return MalformedAnswer(id=error.request_id, malformed=str(error))
        return DoneAnswer(id=request.id)

    def _tell(self, client: "_Client", seen: dict[str, tuple[object, ...]]) -> None:
        looks = {uid: self._hall.look(uid) for uid in self._hall.tables}
        changed = [uid for uid, look in looks.items() if seen.get(uid) != look]
        if not changed:
            return
        client.seen = looks
        try:
            client.say(TablesNews(tables=[self._hall.picture(uid) for uid in changed]))
            self._listen_for(client)
        except OSError:  # it has gone
            self._leave(client)

    def _listen_for(self, client: "_Client") -> None:
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if client.unsent else 0)
        key = self._selector.get_key(client.connection)
        if key.events != events:
            self._selector.modify(client.connection, events, key.data)

    def _leave(self, client: "_Client") -> None:
        self._clients.discard(client)
        self._selector.unregister(client.connection)
        client.connection.close()


class _Client:
    """One connection; `seen` is None until it watches."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.rest = b""
        self.unsent = b""
        self.seen: dict[str, tuple[object, ...]] | None = None
        self.due_us = 0

    def say(self, message: msgspec.Struct | None) -> None:
        if message is not None:
            self.unsent += msgspec.json.encode(message) + b"\n"
            self.flush()

    def flush(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self.unsent:
                self.unsent = self.unsent[self.connection.send(self.unsent) :]
