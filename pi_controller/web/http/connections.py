"""WebSocket frames, listening sockets, the protocol of each connection, and where pages were last served."""

import asyncio
import contextlib
import errno
import logging
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import msgspec
from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web_request import BaseRequest

from pi_controller.journal.store import write_private
from pi_controller.language.system_errors import why
from pi_controller.language.words import WordedError, words
from pi_controller.protocol.sentences import view
from pi_controller.protocol.server import Buffered, close_server, let_go
from pi_controller.sentence import Sentence
from pi_controller.settings.sections import WebSettings
from pi_controller.web.http.addresses import PageAddress, site_name
from pi_controller.web.http.limits import BROKEN_OFF, ConnectionLimiter, Misbehaviour, TokenBucket, is_gone
from pi_controller.web.http.routes import LANGUAGE, SECURITY_HEADERS, Refusal, json_answer
from pi_controller.web.http.static_files import refusal_page
from pi_controller.web.http.tls import Handshakes, TlsConnection

LOG = logging.getLogger(__name__)

LONGEST_LINE = 8190
"""Bytes of a line of a request's head."""
LINGERING_S = 1.0
KEEPALIVE_S = 300.0
"""Never reached: the limiter cuts who is silent, on a clock that tests move by hand."""
NOT_UNDERSTOOD = Sentence("web.not_understood", most=LONGEST_LINE)

SEND_BUFFER = 32 * 1024
"""Bytes the kernel keeps for a connection (it doubles the number): small, so that a full one is noticed."""
RECEIVE_BUFFER = 32 * 1024
"""The same for what comes: nobody has more than 64 KiB to say, and what waits unread costs memory."""
SILENT_PEER_MS = 10_000
"""Who acknowledges nothing for so long is gone (TCP_USER_TIMEOUT, tcp(7)): Wi-Fi lost, laptop shut."""
ACCEPTED_AT_ONCE = 16
"""Connections; then the loop looks at everybody else again."""
BACKLOG = 1024
"""A hall of phones that comes back at once; the kernel may cut it to net.core.somaxconn."""


# Whole WebSocket frames as servers send them, for those who write them to a transport themselves.


POLICY_VIOLATION = 1008
INTERNAL_ERROR = 1011
SERVICE_RESTART = 1012
TRY_AGAIN_LATER = 1013
"""Codes of closing frames (RFC 6455, 7.4.1)."""
LONGEST_REASON = 123
"""Bytes of text in a closing frame (RFC 6455, 5.5)."""


def closing_frame(code: int, reason: str = "") -> bytes:
    """RFC 6455, 5.5.1; of a reason that is too long the beginning."""
    text = reason.encode()[:LONGEST_REASON].decode(errors="ignore").encode()
    return bytes([0x88, 2 + len(text)]) + code.to_bytes(2, "big") + text


def text_frame(message: bytes) -> bytes:
    """A whole, unmasked text message (RFC 6455, 5.2): the same bytes for everybody."""
    size = len(message)
    if size < 126:
        head = bytes([0x81, size])
    elif size < 1 << 16:
        head = bytes([0x81, 126]) + size.to_bytes(2, "big")
    else:
        head = bytes([0x81, 127]) + size.to_bytes(8, "big")
    return head + message


def new_socket(
    request: web.Request, *, most: int, heartbeat_s: float | None = None, autoclose: bool = True
) -> tuple[web.WebSocketResponse, asyncio.Transport]:
    """A WebSocket that takes messages of `most` bytes, not opened yet, and its transport. Whoever reads it
    answers pings, unless it sends some itself, and the end without `autoclose`. Raises a Refusal (426)."""
    socket = web.WebSocketResponse(
        autoclose=autoclose,
        autoping=heartbeat_s is not None,
        heartbeat=heartbeat_s,
        compress=False,
        max_msg_size=most,
        timeout=0.5,
    )
    if request.transport is None or not socket.can_prepare(request).ok:
        raise Refusal(426, Sentence("web.websocket_only"), {"Upgrade": "websocket"})
    return socket, request.transport


def no_place() -> Refusal:
    return Refusal(503, Sentence("web.all_places_taken"), {"Retry-After": "10"})


# A listening socket, and the protocol of its connections.


class PortFault(WordedError, OSError):  # noqa: N818 - like SettingsFault
    """The address cannot be listened on; the sentence has the remedy."""


def listen_on(host: str, port: int) -> socket.socket:
    """A listening socket whose connections inherit its limits. PortFault says why not."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError) as problem:
        raise PortFault(Sentence("web.host_unknown", host=repr(host))) from problem
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, SILENT_PEER_MS)
        if family is socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listening.bind(address)
        listening.listen()
        listening.setblocking(False)  # noqa: FBT003 - the library's own signature
    except OSError as problem:
        listening.close()
        raise PortFault(_unreachable(problem, host, port)) from problem
    return listening


@dataclass(frozen=True, slots=True)
class ListeningSocket:
    """A listening socket and what is served there."""

    socket: socket.socket
    only_hall: bool = False
    """Nothing for the staff is served there."""
    claims: bool = True
    """Phones may claim there."""
    tls: ssl.SSLContext | None = None
    """Encrypted with this; None: plain."""


class Connection(Buffered):
    """One connection: counted by the limiter, then served by the library's own protocol."""

    def __init__(
        self, limiter: ConnectionLimiter, make_inner: Callable[[], asyncio.Protocol], buffer: memoryview
    ) -> None:
        super().__init__(buffer)
        self.limiter = limiter
        self._make_inner = make_inner
        self._address = ""
        self._inner: asyncio.Protocol
        """Made once it has a place: whoever is turned away costs as little as can be."""
        self._transport: asyncio.Transport | None = None
        """None while it has no place."""
        self.input: TokenBucket | None = None
        """Once its input is limited: bytes that it may send."""
        self.flow: Callable[[bool], None] | None = None
        """Once somebody wants to know: called when something waits to be sent, and when all has left
        (True)."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        peer = transport.get_extra_info("peername")
        self._address = str(peer[0]) if isinstance(peer, tuple) else ""
        if not self.limiter.admit(transport, self._address):
            cast(asyncio.Transport, transport).abort()
            return
        self._transport = cast(asyncio.Transport, transport)
        self._inner = self._make_inner()
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if self._transport is None:
            return
        if self.input is not None and not self.input.take(len(data)):
            self._transport.write(closing_frame(POLICY_VIOLATION))
            self._transport.abort()
            return
        if self.limiter.received(self._transport):
            self._inner.data_received(data)
        else:
            self._transport.pause_reading()
            self.limiter.queue(self._address, lambda: self._serve(data))

    def _serve(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.resume_reading()
            self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received() if self._transport is not None else None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._transport is not None:
            self.limiter.remove(self._transport)
            let_go(self._transport)
            self._transport = None
            self._inner.connection_lost(exc)

    def pause_writing(self) -> None:
        if self._transport is not None:
            self._inner.pause_writing()
            if self.flow is not None:
                self.flow(False)  # noqa: FBT003

    def resume_writing(self) -> None:
        if self._transport is not None:
            self._inner.resume_writing()
            if self.flow is not None:
                self.flow(True)  # noqa: FBT003


def limit_input(transport: asyncio.Transport) -> None:
    """From now on it is told things and has nothing to say: who sends much all the same is cut off before
    anything of it is read."""
    connection = transport.get_protocol()
    if isinstance(connection, Connection):
        connection.input = connection.limiter.input_bucket()


def tell_flow(transport: asyncio.Transport, flow: Callable[[bool], None]) -> None:
    """From now on `flow` is called with False when something waits to be sent to it, and with True when all
    has left."""
    transport.set_write_buffer_limits(high=0)
    connection = transport.get_protocol()
    if isinstance(connection, Connection):
        connection.flow = flow


def count_apart(transport: asyncio.Transport) -> None:
    """From now on it has a place elsewhere, and takes none of the limiter's."""
    connection = transport.get_protocol()
    if isinstance(connection, Connection):
        connection.limiter.count_apart(transport)


def owes_key(transport: asyncio.Transport) -> None:
    """From now on it is served on the promise that it will show a key, until it is counted apart."""
    connection = transport.get_protocol()
    if isinstance(connection, Connection):
        connection.limiter.owes_key(transport)


class HttpProtocol(web.RequestHandler):
    """Serves one connection for `server`. `language` is for who says none."""

    def __init__(
        self, server: web.Server, misbehaviour: Misbehaviour, language: str, listener: ListeningSocket
    ) -> None:
        self.listener = listener
        self._misbehaviour = misbehaviour
        self._language = language
        self._of_browser = False
        """Whether what came last asks for a page: of a request that cannot be read nothing else is known."""
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            access_log=None,  # type: ignore[arg-type]
            auto_decompress=False,
            keepalive_timeout=KEEPALIVE_S,
            lingering_time=LINGERING_S,
            max_line_size=LONGEST_LINE,
            max_field_size=LONGEST_LINE,
        )

    def data_received(self, data: bytes) -> None:
        self._of_browser = b"text/html" in data
        super().data_received(data)

    def handle_error(self, request: BaseRequest, status: int = 500, *why: Any, **named: Any) -> web.Response:
        """What is answered in the place of a route: to nonsense from strangers, which is no fault of ours to
        log, and when a handler fails. `why` is an exception and a text, as the library gives them."""
        nonsense = isinstance(next(iter(why), None), HttpProcessingError)
        if nonsense:
            self._misbehaviour.count("request")
        else:
            super().handle_error(request, status, *why, **named)  # it makes an answer of its own
        sentence = NOT_UNDERSTOOD if nonsense else BROKEN_OFF
        language = request.get(LANGUAGE, self._language)
        if self._of_browser:
            answer = refusal_page(sentence, status, language, [("/", Sentence("web.hall_screen"))])
        else:
            said = {"error": words(sentence, language), "reason_keys": [view(sentence)]}
            answer = json_answer(said, status)
        answer.headers.update(SECURITY_HEADERS)
        answer.force_close()
        return answer

    def log_exception(self, *said: Any, **named: Any) -> None:
        """The library says it of a request that broke off."""
        problem = named.get("exc_info")
        if not is_gone(problem) and self._misbehaviour.defects.is_new(problem):
            super().log_exception(*said, **named)

    def close(self) -> None:
        """The library calls it while a WebSocket is open when a frame cannot be read."""
        if self._payload_parser is not None:
            self._misbehaviour.count("frame")
        super().close()

    def connection_lost(self, exc: BaseException | None) -> None:
        if exc is not None or self._current_request is not None:
            self._misbehaviour.count("hang_up")
        super().connection_lost(exc)


def _unreachable(problem: OSError, host: str, port: int) -> Sentence:
    if problem.errno == errno.EADDRINUSE:
        return Sentence("web.port_in_use", port=port, host=host)
    if problem.errno == errno.EACCES:
        return Sentence("web.port_needs_rights", port=port, host=host)
    if problem.errno == errno.EADDRNOTAVAIL:
        return Sentence("web.no_address_of_this_machine", host=host)
    return Sentence("web.port_unusable", port=port, host=host, why=why(problem))


# What the web side listens on: one address for everything, or one for the hall and one for the staff.


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """`hall` and `staff` are one and the same where there is one address for everything."""

    hall: ListeningSocket
    staff: ListeningSocket
    hall_address: PageAddress
    staff_address: PageAddress

    @property
    def claims(self) -> PageAddress | None:
        """Where alone phones may claim; None: everywhere."""
        return None if self.staff.tls is None else self.staff_address

    @contextlib.asynccontextmanager
    async def served(
        self, limiter: ConnectionLimiter, handshakes: Handshakes, runner: web.AppRunner, *, language: str
    ) -> AsyncIterator[None]:
        """For the length of the block; `runner` is set up, `language` is for who says none."""
        loop, server_of = asyncio.get_running_loop(), cast(web.Server, runner.server)
        loop.set_exception_handler(handshakes.misbehaviour.of_loop)
        async with contextlib.AsyncExitStack() as servers:
            servers.callback(loop.set_exception_handler, None)
            for listener in dict.fromkeys((self.hall, self.staff)):
                make = partial(HttpProtocol, server_of, handshakes.misbehaviour, language, listener)
                protocol: Callable[[], Buffered] = partial(Connection, limiter, make, handshakes.buffer)
                if listener.tls is not None:
                    protocol = partial(TlsConnection, limiter, handshakes, listener.tls, protocol)
                server = await loop.create_server(protocol, sock=listener.socket, backlog=ACCEPTED_AT_ONCE)
                # The loop takes the number that it accepts at a time for the length of the line, too.
                listener.socket.listen(BACKLOG)
                servers.push_async_callback(close_server, server)
            yield


@contextlib.contextmanager
def listening(
    settings: WebSettings, host: str, port: int, *, tls: ssl.SSLContext | None = None
) -> Iterator[Listening]:
    """At this host and port, and with `staff_port` at another one for the staff, encrypted with `tls`.
    PortFault says why not."""
    with contextlib.ExitStack() as sockets:
        first = sockets.enter_context(contextlib.closing(listen_on(host, port)))
        hall = staff = ListeningSocket(first)
        staff_host = host
        if settings.staff_port:
            staff_host = settings.staff_host or host
            second = sockets.enter_context(contextlib.closing(listen_on(staff_host, settings.staff_port)))
            hall = ListeningSocket(first, only_hall=True, claims=tls is None)
            staff = ListeningSocket(second, tls=tls)
        secure, name = staff.tls is not None, site_name(settings)
        yield Listening(
            hall=hall,
            staff=staff,
            hall_address=PageAddress(host, _port(first)),
            staff_address=PageAddress(staff_host, _port(staff.socket), secure=secure, name=name),
        )


def _port(listening_socket: socket.socket) -> int:
    return int(listening_socket.getsockname()[1])


# Where this controller's pages were last served, kept for the command line, which prints addresses.


FILE_NAME = "served"


class Served(msgspec.Struct, frozen=True):
    """`fingerprint` is that of the certificate at `staff`; empty where nothing is encrypted."""

    hall: PageAddress
    staff: PageAddress
    fingerprint: str

    @property
    def claims(self) -> PageAddress:
        """Where phones may claim."""
        return self.staff if self.staff.secure else self.hall


def keep_served(folder: Path, served: Served) -> None:
    """In `STATE/web`. Raises OSError."""
    write_private(folder / FILE_NAME, msgspec.json.encode(served))


def last_served(folder: Path) -> Served | None:
    """None where no start has said so yet, or this user may not read it."""
    try:
        return msgspec.json.decode((folder / FILE_NAME).read_bytes(), type=Served)
    except (OSError, msgspec.DecodeError):
        return None
