"""A server of lines, one JSON value each, on a Unix socket: many clients, none of which can slow the loop
down."""

import asyncio
import contextlib
import logging
import math
import socket
import stat
import struct
from collections import deque
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, cast

from pi_controller.defects import awaited_value_of, broken_off, run_catching
from pi_controller.hal.system.file_thread import FileThread
from pi_controller.journal.files import Identity, identity
from pi_controller.language.languages import ENGLISH
from pi_controller.protocol.errors import Malformed, RequestId
from pi_controller.protocol.messages import encode_error, encode_malformed
from pi_controller.protocol.question import LONGEST_REQUEST, Question
from pi_controller.sentence import Sentence

log = logging.getLogger(__name__)

MOST_CLIENTS = 64
"""The web process, the command line and a bridge or two need far fewer; descriptors are kept for the
journal."""

MOST_OF_A_PROGRAM = 32
"""Half of all: whatever comes over one program such as the web process, command line, self-test and units
still find a place. The web process needs five, and one for each of eight tests of the hardware."""

REQUESTS_A_TURN = 16
"""Of one client, before the loop looks at the others and at the clock again."""

LONGEST_BACKLOG = 1024 * 1024
"""Bytes of answers that may wait for one client; whoever takes longer to read is cut off."""

MOST_UNANSWERED = 256
TOO_MANY_UNANSWERED = Sentence("connection.too_many_unanswered")
"""Requests of one client under way at a time; all of them may be waiting for the disk."""


# Both ends of a connection under asyncio: reading into memory that stays, and closing a server.


READ_AT_ONCE = 64 * 1024
"""Bytes."""


def read_buffer() -> memoryview:
    """For one protocol, or for all of one loop."""
    return memoryview(bytearray(READ_AT_ONCE))


class Buffered(asyncio.BufferedProtocol):
    """Hands each read to `data_received`, as asyncio.Protocol does. That one reads into 256 KiB of new memory
    each time, which the kernel gives and takes back: four fifths of what a short read costs."""

    __slots__ = ("_buffer",)

    def __init__(self, buffer: memoryview) -> None:
        self._buffer = buffer

    def get_buffer(self, _sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.data_received(bytes(self._buffer[:nbytes]))

    def data_received(self, data: bytes) -> None:
        raise NotImplementedError


def let_go(transport: asyncio.BaseTransport) -> None:
    """To be called when its connection is lost. It keeps methods of its own, so that the garbage collector
    alone would free it (CPython 3.11; later ones only after `abort`)."""
    own: dict[str, object] = getattr(transport, "__dict__", {})
    own.update(dict.fromkeys(own.keys() & {"_read_ready_cb", "_write_ready"}))


async def close_server(server: asyncio.Server) -> None:
    """No new connections; those that are just being accepted come in first, for their protocol to close.

    `Server.close` alone leaves such a connection half made, with an exception that nobody can catch when it
    is collected (CPython 3.11 to 3.13).
    """
    loop = asyncio.get_running_loop()
    for listening in server.sockets:
        loop.remove_reader(listening.fileno())
    await asyncio.sleep(0)
    server.close()


class ClientConnection(Buffered):
    """One connection: bytes become lines, of which each is a request. `send` never waits; `stream` keeps only
    the newest line for a client that reads slowly."""

    def __init__(self, server: "LineServer[Any]", buffer: memoryview) -> None:
        super().__init__(buffer)
        self.gone = False
        """The other end has hung up, or was never let in."""
        self.on_close: list[Callable[[], object]] = []
        self.under_way: set[Later] = set()
        """What is answered later."""
        self._server = server
        self._transport: asyncio.Transport
        self._paused = False
        self._newest: dict[str, bytes] = {}
        self._rest = b""
        self._lines: deque[bytes] = deque()

    @property
    def lags(self) -> bool:
        """It reads so slowly that news has to wait for it."""
        return self._paused

    def begin(self, request: "Identified") -> "Later":
        """This request is under way; its answer comes later."""
        return Later(self, request)

    def send(self, line: bytes) -> None:
        """An answer. A client that lets its answers pile up is cut off."""
        if self._transport.is_closing():
            return
        if self._transport.get_write_buffer_size() + len(line) > LONGEST_BACKLOG:
            self._transport.abort()
            return
        self._transport.write(line)

    def stream(self, kind: str, line: bytes) -> None:
        """News of this kind; while the client does not read, newer news replaces it."""
        if self._paused:
            self._newest[kind] = line
        elif not self._transport.is_closing():
            self._transport.write(line)

    def hang_up(self) -> None:
        """What was written still goes out."""
        self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        # The process id of who connected (unix(7), SO_PEERCRED).
        ends = transport.get_extra_info("socket")
        pid, _, _ = struct.unpack("3i", ends.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        against = self._server.enter(self, int(pid))
        if against is not None:
            self.gone = True
            self.send(encode_error(None, against))
            self.hang_up()

    def data_received(self, data: bytes) -> None:
        if self.gone:
            return
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._lines.extend(line for line in lines if line.strip())
        self._take_turn()

    def _take_turn(self) -> None:
        """Nothing more is read before all that was read is taken."""
        if self.gone:
            return
        for _ in range(min(REQUESTS_A_TURN, len(self._lines))):
            self._server.take(self, self._lines.popleft() + b"\n")
        if self._lines:
            self._transport.pause_reading()
            asyncio.get_running_loop().call_soon(self._take_turn)
            return
        self._transport.resume_reading()
        if len(self._rest) > LONGEST_REQUEST:
            self.send(encode_malformed(None, Sentence("request.longer_than_allowed", most=LONGEST_REQUEST)))
            self._rest = b""
            self.hang_up()

    def pause_writing(self) -> None:
        self._paused = True

    def resume_writing(self) -> None:
        self._paused = False
        newest, self._newest = self._newest, {}
        for kind, line in newest.items():
            self.stream(kind, line)

    def connection_lost(self, exc: Exception | None) -> None:
        if exc is not None:
            log.info("a client of the socket was lost: %s", exc)
        if self.gone:
            return
        self.gone = True
        self._server.leave(self)
        for act in self.on_close:
            if (error := run_catching(act)) is not None:
                _tell(error, "what followed the end of a connection broke off")
        self.on_close.clear()


class Identified(Protocol):
    @property
    def id(self) -> RequestId: ...


class Later:
    """The one answer to a request that is under way; what comes second is dropped."""

    def __init__(self, client: ClientConnection, request: Identified) -> None:
        self._client = client
        self._request = request
        client.under_way.add(self)

    def send(self, line: bytes) -> None:
        """Answer it."""
        if self.end():
            self._client.send(line)

    def end(self) -> bool:
        """It is answered otherwise; False when it was answered before."""
        under_way = self in self._client.under_way
        self._client.under_way.discard(self)
        return under_way

    def do(self, work: Callable[[], bytes]) -> None:
        """Answer it with the line that this comes to, or with a sentence when it breaks off inside."""
        line: list[bytes] = []
        error = run_catching(lambda: line.append(work()))
        self.send(line[0] if error is None else _broken(self._request, error))

    async def fill(self, work: Callable[[], Awaitable[bytes]]) -> None:
        """The same, with a coroutine."""
        line = await awaited_value_of(work())
        self.send(_broken(self._request, line) if isinstance(line, Exception) else line)


def _broken(request: Identified, error: Exception) -> bytes:
    """The answer to a request that raised this."""
    _tell(error, f"{type(request).__name__} broke off")
    language = request.language if isinstance(request, Question) else ENGLISH
    return encode_error(request.id, broken_off(error), language)


def _tell(error: Exception, what: str) -> None:
    """To whoever looks after this process's defects: its loop's exception handler."""
    context: dict[str, Any] = {"message": what, "exception": error}
    asyncio.get_running_loop().call_exception_handler(context)


RequestT = TypeVar("RequestT", bound=Identified)


class LineServer(Generic[RequestT]):
    """Listens at `path`; `decode` makes a request of a line, or raises Malformed; `answer` is called with
    each request and answers through the client, now or later.

    The caller holds the state folder's lock, so that a socket file found there is a dead one's.
    """

    def __init__(
        self,
        path: Path,
        *,
        decode: Callable[[bytes], RequestT],
        answer: Callable[[ClientConnection, RequestT], None],
    ) -> None:
        self._path = path
        self._decode = decode
        self._answer = answer
        self._clients: dict[ClientConnection, int] = {}
        """Each with the process id of its program."""
        self._buffer = read_buffer()
        self._server: asyncio.Server | None = None
        self._made: Identity | None = None
        self._keeping: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._files = FileThread("socket-file")

    async def start(self) -> None:
        """Raises OSError when the socket cannot be made."""
        self._loop = asyncio.get_running_loop()
        await self._serve(*_listen(self._path))

    def look(self) -> None:
        """Called on a thread, where it may block. A socket file that somebody has removed is made again,
        where its folder is there; who is connected stays so."""
        loop, made = self._loop, self._made
        try:
            there = identity(self._path) == made
        except OSError:
            there = False  # told by the attempt to make it again
        if not there and loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._make_again)

    def _make_again(self) -> None:
        """One attempt at a time."""
        if self.serving() and (self._keeping is None or self._keeping.done()):
            self._keeping = asyncio.get_running_loop().create_task(self._keep())

    async def _keep(self) -> None:
        """A disk that hangs has a thread of this server's own, and this is the only one who waits for it."""
        made, before = self._made, self._server
        again = await self._files.do(lambda: _listen_again(self._path, made), patience_s=math.inf)
        if again is not None:
            await self._serve(*again)
            if before is not None:
                before.close()

    async def _serve(self, listening: socket.socket, made: Identity | None) -> None:
        self._made = made
        loop = asyncio.get_running_loop()
        # Not create_unix_server: since 3.13 it looks at the path on the loop, and a server that closes takes
        # away what lies there under the same inode number, which may be the socket of the next one.
        self._server = await loop.create_server(lambda: ClientConnection(self, self._buffer), sock=listening)

    def clients(self) -> int:
        return len(self._clients)

    def serving(self) -> bool:
        return self._server is not None and self._server.is_serving()

    async def stop(self) -> None:
        """No new clients, the present ones hung up on, the socket file gone."""
        if self._keeping is not None:
            self._keeping.cancel()
        server, self._server = self._server, None
        if server is None:
            return
        await close_server(server)
        for client in list(self._clients):
            client.hang_up()
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()

    def enter(self, client: ClientConnection, pid: int) -> Sentence | None:
        """A new client, of the program with this process id; or why there is no place for it."""
        if len(self._clients) >= MOST_CLIENTS:
            return Sentence("connection.too_many_programs", most=MOST_CLIENTS)
        if list(self._clients.values()).count(pid) >= MOST_OF_A_PROGRAM:
            return Sentence("connection.too_many_of_a_program", most=MOST_OF_A_PROGRAM)
        self._clients[client] = pid
        return None

    def leave(self, client: ClientConnection) -> None:
        self._clients.pop(client, None)

    def take(self, client: ClientConnection, line: bytes) -> None:
        """One whole line of a client."""
        asked: list[RequestT] = []
        before = set(client.under_way)
        error = run_catching(lambda: self._take(client, line, asked))
        if error is None:
            return
        for later in client.under_way - before:
            later.end()
        if asked:
            client.send(_broken(asked[0], error))
        else:
            _tell(error, "a line could not be read")
            client.send(encode_malformed(None, broken_off(error)))

    def _take(self, client: ClientConnection, line: bytes, asked: list[RequestT]) -> None:
        try:
            request = self._decode(line)
        except Malformed as error:
            client.send(encode_malformed(error.request_id, error.sentence))
            return
        asked.append(request)
        if len(client.under_way) >= MOST_UNANSWERED:
            client.send(encode_error(request.id, TOO_MANY_UNANSWERED))
            return
        self._answer(client, request)


def _listen_again(path: Path, made: Identity | None) -> tuple[socket.socket, Identity | None] | None:
    """The same as `_listen` where what was made is not there any more, but its folder is. Raises OSError."""
    return _listen(path) if identity(path) != made and path.parent.is_dir() else None


def _listen(path: Path) -> tuple[socket.socket, Identity | None]:
    """A listening socket at this path, for the owner and, where the folder is shared with a group, for the
    group; and which file it is."""
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISSOCK(path.lstat().st_mode):
            path.unlink()
        else:
            aside = next(free for number in count(1) if not (free := Path(f"{path}.aside-{number}")).exists())
            path.rename(aside)
            log.warning("%s was no socket; it lies in %s now", path, aside)
    mode = 0o660 if path.parent.stat().st_mode & stat.S_IXGRP else 0o600
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        listening.bind(str(path))
        path.chmod(mode)  # nobody can connect before listen()
        listening.listen(MOST_CLIENTS)
    except OSError:
        listening.close()
        raise
    listening.settimeout(0)
    return listening, identity(path)
