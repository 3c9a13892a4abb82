"""The connection to the broker: comes back by itself, and sends of each topic the newest payload only."""

import asyncio
import logging
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Never

from aiomqtt import Client, Message, MqttError, ProtocolVersion, Will

from pi_controller.language.system_errors import why
from pi_controller.language.words import words

LOG = logging.getLogger(__name__)

KEEPALIVE_S = 2
"""A link that is cut without a word is noticed after one to two of them."""
CONNECT_S = 0.7
RETRY_S = 0.2
"""With the one above: a link that is there again is used within a second."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where the broker is, and who we are there."""

    host: str
    port: int
    user: str | None = None
    password: str | None = None
    tls: ssl.SSLContext | None = None

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class Sender:
    """What waits to be sent, of each topic and key the newest payload only: a slow broker makes no
    backlog."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], tuple[bytes, bool]] = {}
        self._wake = asyncio.Event()

    def put(self, topic: str, payload: bytes, *, retain: bool = False, key: str = "") -> None:
        """Send it when the connection takes it; what has another key waits beside it."""
        self._waiting.pop((topic, key), None)
        self._waiting[topic, key] = payload, retain
        self._wake.set()

    def clear(self) -> None:
        """The connection is another one, which begins afresh."""
        self._waiting.clear()

    async def send(self, client: Client) -> Never:
        """MqttError when the connection breaks."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                topic, key = next(iter(self._waiting))
                payload, retain = self._waiting.pop((topic, key))
                await client.publish(topic, payload, retain=retain)


async def keep_connected(
    address: Address,
    *,
    identifier: str,
    will: Will,
    talk: Callable[[Client], Awaitable[None]],
    leave: Callable[[Client], Awaitable[None]],
    lost: Callable[[str], None],
) -> Never:
    """Connect for ever; `talk` has the connection until it breaks, then `lost` is told why. `leave` has it
    when this ends."""
    while True:
        try:
            await _reach(address)
            client = Client(
                address.host,
                address.port,
                username=address.user,
                password=address.password,
                tls_context=address.tls,
                identifier=identifier,
                protocol=ProtocolVersion.V5,
                will=will,
                keepalive=KEEPALIVE_S,
                timeout=CONNECT_S,
                logger=LOG,
            )
            async with client:
                try:
                    await talk(client)
                except asyncio.CancelledError:
                    await leave(client)
                    raise
        except* (MqttError, OSError) as group:
            lost(_first(group))
        await asyncio.sleep(RETRY_S)


def payload_of(message: Message) -> bytes:
    """Nothing where it has none."""
    return message.payload if isinstance(message.payload, bytes) else b""


async def _reach(address: Address) -> None:
    """See that somebody listens there. The library's own attempt waits for 5 s where nobody answers, also
    when the link is back meanwhile. Raises OSError."""
    async with asyncio.timeout(CONNECT_S):
        _, writer = await asyncio.open_connection(address.host, address.port)
    writer.close()


def _first(group: BaseExceptionGroup[BaseException]) -> str:
    """Why, in the words of who failed first."""
    error = group.exceptions[0]
    if isinstance(error, BaseExceptionGroup):
        return _first(error)
    return words(why(error)) if isinstance(error, OSError) else str(error)
