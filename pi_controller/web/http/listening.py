"""What the web side listens on: one address for everything, or one for the hall and one for the staff."""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

from aiohttp import web

from pi_controller.protocol.transport import close_server
from pi_controller.settings.sections import Web
from pi_controller.web.http.addresses import PageAddress, site_name
from pi_controller.web.http.connection_limiter import ConnectionLimiter
from pi_controller.web.http.connections import Listener, listen_on, serve, url_of
from pi_controller.web.http.routes import CLAIMS, PUBLIC
from pi_controller.web.http.tls import Handshakes


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """`hall` and `staff` are one and the same where there is one address for everything."""

    hall: Listener
    staff: Listener
    hall_url: str
    staff_url: str
    hall_address: PageAddress
    staff_address: PageAddress
    hosts: frozenset[str]
    """What is listened on, as the settings say it."""

    @property
    def claims(self) -> PageAddress | None:
        """Where alone phones may claim; None: everywhere."""
        return None if self.staff.tls is None else self.staff_address

    @contextlib.asynccontextmanager
    async def served(
        self, limiter: ConnectionLimiter, handshakes: Handshakes, runner: web.AppRunner, *, language: str
    ) -> AsyncIterator[None]:
        """For the length of the block; `runner` is set up."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(handshakes.misbehaviour.of_loop)
        async with contextlib.AsyncExitStack() as servers:
            servers.callback(loop.set_exception_handler, None)
            for listener in dict.fromkeys((self.hall, self.staff)):
                server = await serve(listener, limiter, handshakes, runner, language=language)
                servers.push_async_callback(close_server, server)
            yield


@contextlib.contextmanager
def listening(
    settings: Web, host: str, port: int, *, tls: ssl.SSLContext | None = None
) -> Iterator[Listening]:
    """At this host and port, and with `staff_port` at another one for the staff, encrypted with `tls`.
    PortFault says why not."""
    with contextlib.ExitStack() as sockets:
        first = sockets.enter_context(contextlib.closing(listen_on(host, port)))
        if not settings.staff_port:
            hall = staff = Listener(first)
            staff_host = host
        else:
            staff_host = settings.staff_host or host
            second = sockets.enter_context(contextlib.closing(listen_on(staff_host, settings.staff_port)))
            public = PUBLIC if tls is None else PUBLIC - CLAIMS
            hall, staff = Listener(first, only=public), Listener(second, tls=tls)
        staff_port = _port(staff.socket)
        yield Listening(
            hall=hall,
            staff=staff,
            hall_url=url_of(host, _port(first)),
            staff_url=url_of(staff_host, staff_port, secure=staff.tls is not None),
            hall_address=PageAddress(host, _port(first)),
            staff_address=PageAddress(
                staff_host, staff_port, secure=staff.tls is not None, name=site_name(settings)
            ),
            hosts=frozenset({host, staff_host}),
        )


def _port(listening_socket: socket.socket) -> int:
    return int(listening_socket.getsockname()[1])
