"""The connection to the broker: comes back by itself, and sends of each topic the newest payload only."""

import asyncio
import logging
import socket
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Never, TypeVar

from aiomqtt import Client, Message, MqttError, ProtocolVersion, Will
from aiomqtt.exceptions import MqttConnectError
from paho.mqtt.client import Client as PahoClient
from paho.mqtt.client import MQTTMessage

from pi_controller.defects import run_catching
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.sentence import SaidError, Sentence
from pi_controller.settings.sections import LinkSettings

LOG = logging.getLogger(__name__)

Found = TypeVar("Found")

REFUSALS = (0x86, 0x87)
"""Bad user name or password; not authorized (MQTT 5, section 3.2.2.2)."""
KEEPALIVE_S = 2
"""A link that is cut without a word is noticed after one to two of them."""
NO_DELAY = ((socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),)
"""A message does not wait until the other end has confirmed the one before it, which takes up to 40 ms."""
CONNECT_S = 0.6
RETRY_S = 0.1
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

    def refusal(self, error: BaseException) -> Sentence | None:
        """Where this says that the broker does not let us in."""
        if isinstance(error, MqttConnectError) and getattr(error.rc, "value", error.rc) in REFUSALS:
            return Sentence("link.broker_refuses", broker=str(self), user=self.user or "-")
        return None

    def client(self, *, timeout: float = CONNECT_S, **options: Any) -> "LinksClient":
        """A connection to be entered: MqttError."""
        return LinksClient(
            self.host,
            self.port,
            username=self.user,
            password=self.password,
            tls_context=self.tls,
            protocol=ProtocolVersion.V5,
            timeout=timeout,
            logger=LOG,
            **options,
        )


class LinksFault(SaidError):  # noqa: N818 - an answer to who started it
    """Links cannot start; the sentence says why and what to do."""


def address_of(links: LinkSettings) -> Address:
    """Raises LinksFault for files that cannot be used."""
    try:
        lines = Path(links.password_file).read_text().splitlines() if links.password_file else []
    except (OSError, UnicodeDecodeError) as error:
        reason = why(error) if isinstance(error, OSError) else str(error)
        raise LinksFault(
            Sentence("link.password_unreadable", path=links.password_file, why=reason)
        ) from error
    try:
        tls = ssl.create_default_context(cafile=links.ca_file) if links.ca_file else None
    except (OSError, ssl.SSLError) as error:
        raise LinksFault(Sentence("link.ca_unusable", path=links.ca_file, why=str(error))) from error
    password = lines[0] if lines else None
    return Address(links.broker, links.port, links.user or None, password, tls)


class LinksClient(Client):
    """The library's client in three things otherwise.

    `heard`, where it is set, has each message in the very turn of the loop in which it comes: `messages`
    needs a task and three turns for each. What breaks off inside is told to `broke`, and costs no other
    message.

    It ends when it is told to: before Python 3.12 `asyncio.wait_for`, which the library uses, forgets that it
    was cancelled when what it waits for comes at the same moment, and the process never ended.

    A connection that breaks at the moment at which its user is told to end is no news: asyncio wrote a
    traceback of it.
    """

    heard: Callable[[MQTTMessage], None] | None = None
    broke: Callable[[str, Exception], None]

    def __init__(self, host: str, port: int = 1883, **options: Any) -> None:
        super().__init__(host, port, **options)
        self._disconnected.add_done_callback(lambda end: end.cancelled() or end.exception())

    async def until_lost(self) -> None:
        """MqttError when the connection breaks."""
        async for _ in self.messages:
            pass

    def _on_message(self, client: PahoClient, userdata: object, message: MQTTMessage) -> None:
        heard = self.heard
        if heard is None:
            super()._on_message(client, userdata, message)
        elif (error := run_catching(lambda: heard(message))) is not None:
            self.broke(message.topic, error)

    async def _wait_for(self, fut: Awaitable[Found], timeout: float | None) -> Found:  # noqa: ASYNC109 - its form
        try:
            async with asyncio.timeout(self.timeout if timeout is None else timeout):
                return await fut
        except TimeoutError:
            raise MqttError("Operation timed out") from None


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
    talk: Callable[[LinksClient], Awaitable[None]],
    leave: Callable[[Client], Awaitable[None]],
    lost: Callable[[Sentence], None],
) -> Never:
    """Connect for ever; `talk` has the connection until it breaks, then `lost` is told why. `leave` has it
    when this ends."""
    while True:
        try:
            await _reach(address)
            client = address.client(
                identifier=identifier, will=will, keepalive=KEEPALIVE_S, socket_options=NO_DELAY
            )
            async with client:
                try:
                    await talk(client)
                except asyncio.CancelledError:
                    await leave(client)
                    raise
        except* (MqttError, OSError) as group:
            lost(_trouble(address, _first(group)))
        await until_next_try(RETRY_S)


async def until_next_try(wait_s: float) -> None:
    """Wait, in a loop around a TaskGroup. CancelledError where this task has been told to end: before Python
    3.13 a TaskGroup forgets that when one of its tasks fails at the same moment, and the loop went on."""
    this = asyncio.current_task()
    if this is not None and this.cancelling():
        raise asyncio.CancelledError
    await asyncio.sleep(wait_s)


def payload_of(message: Message) -> bytes:
    """Nothing where it has none."""
    return message.payload if isinstance(message.payload, bytes) else b""


async def _reach(address: Address) -> None:
    """See that somebody listens there. The library's own attempt waits for 5 s where nobody answers, also
    when the link is back meanwhile. Raises OSError."""
    async with asyncio.timeout(CONNECT_S):
        _, writer = await asyncio.open_connection(address.host, address.port)
    writer.close()


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """What failed first."""
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error


def _trouble(address: Address, error: BaseException) -> Sentence:
    """Why the broker is not to be used, and what to look at."""
    if isinstance(
        error.__context__, ssl.SSLCertVerificationError
    ):  # the library says it in a text of its own
        reason = error.__context__.verify_message
        return Sentence("link.broker_not_trusted", broker=str(address), why=reason)
    refusal = address.refusal(error)
    if refusal is not None:
        return refusal
    reason = words(why(error)) if isinstance(error, OSError) else str(error)
    return Sentence("link.no_broker", broker=str(address), why=reason)
