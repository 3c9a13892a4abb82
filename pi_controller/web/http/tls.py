"""Connections that are encrypted: each has its place before its handshake, and must shake hands in time."""

import asyncio
import logging
import ssl
from collections.abc import Callable
from typing import cast

from pi_controller.protocol.transport import Buffered
from pi_controller.web.http.connection_limiter import ConnectionLimiter

LOG = logging.getLogger(__name__)

HANDSHAKE_WITHIN_S = 5.0
SHUTDOWN_WITHIN_S = 1.0


class TlsConnection(asyncio.Protocol):
    """The beginning of an encrypted connection; once hands are shaken, what `make_inner` makes takes over."""

    def __init__(
        self,
        limiter: ConnectionLimiter,
        context: ssl.SSLContext,
        make_inner: Callable[[], Buffered],
    ) -> None:
        self._limiter = limiter
        self._context = context
        self._make_inner = make_inner
        self._shaking: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        peer = transport.get_extra_info("peername")
        raw = cast(asyncio.Transport, transport)
        if not self._limiter.admit(raw, str(peer[0]) if isinstance(peer, tuple) else ""):
            raw.abort()
            return
        self._shaking = asyncio.get_running_loop().create_task(self._shake(raw))

    async def _shake(self, raw: asyncio.Transport) -> None:
        early = _Early()
        try:
            secure = await asyncio.get_running_loop().start_tls(
                raw,
                early,
                self._context,
                server_side=True,
                ssl_handshake_timeout=HANDSHAKE_WITHIN_S,
                ssl_shutdown_timeout=SHUTDOWN_WITHIN_S,
            )
        except OSError as problem:  # ssl.SSLError is one: whoever came speaks no TLS, or not ours
            LOG.debug("no handshake: %s", problem)
            raw.abort()
            return
        finally:
            self._limiter.remove(raw)
        if secure is None or secure.is_closing():
            raw.abort()
            return
        inner = self._make_inner()
        secure.set_protocol(inner)
        inner.connection_made(secure)
        for data in early.received:
            inner.data_received(data)


class _Early(asyncio.Protocol):
    """What comes in one piece with the end of the handshake, before anybody serves the connection."""

    def __init__(self) -> None:
        self.received: list[bytes] = []

    def data_received(self, data: bytes) -> None:
        self.received.append(data)
