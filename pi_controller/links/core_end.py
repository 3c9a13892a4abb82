"""What both roles have to do with core: its pictures and beats, and the other way how it stands with the
halls.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any, Never

import msgspec
from aiomqtt import Client
from msgspec.structs import replace

from pi_controller.links.broker import Sender
from pi_controller.links.payloads import Status, topic
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.protocol.messages import AskLink, LinkAnswer
from pi_controller.protocol.question import CoreLine
from pi_controller.roster.model import Roster

LOG = logging.getLogger(__name__)

RETRY_S = 0.2
TELL_S = 1.0
LEAST_S = 0.05
"""Between two words to core, however much the halls tell."""
ROSTER_S = 5.0

NO_ANSWER = (NoCore, CoreTrouble, Malformed)
"""Core is away, or refuses, which its own log says too: it is asked again."""


class CoreEnd:
    """`link` is what core was told last of how it stands with the halls; `answered` hears what it says to
    that."""

    def __init__(self, client: AsyncClient, link: AskLink) -> None:
        self.client = client
        self.link = link
        self.answered: Callable[[LinkAnswer], None] = lambda _answer: None
        self._told = asyncio.Event()

    def say(self, link: AskLink) -> None:
        """How it stands now. What others' junk has counted goes along with the next word: it must not make
        core tell its hall something new all the time."""
        before, self.link = self.link, link
        if replace(before, unread=link.unread) != link:
            self._told.set()

    async def keep_telling(self) -> Never:
        """At each change and once a second, for ever."""
        while True:
            try:
                self.answered(await self.client.ask(self.link))
            except NO_ANSWER as problem:
                LOG.debug("core is not told: %s", problem)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TELL_S):
                    await self._told.wait()
            self._told.clear()
            await asyncio.sleep(LEAST_S)

    async def watch_roster(self, tell: Callable[[Roster], None]) -> Never:
        """Have `tell` called with the roster now and then, for ever."""
        while True:
            try:
                tell(await self.client.roster())
            except NO_ANSWER as problem:
                LOG.debug("core does not tell its roster: %s", problem)
            await asyncio.sleep(ROSTER_S)

    async def watch(self, tell: Callable[[CoreLine], None], *, tables: bool = False) -> Never:
        """Have `tell` called with pictures and beats, or with the tables, for ever."""
        watch = self.client.watch_tables if tables else self.client.watch
        while True:
            try:
                await watch(tell)
            except NO_ANSWER as problem:
                LOG.debug("core is not watched: %s", problem)
            await asyncio.sleep(RETRY_S)


# What every hall publishes of itself, whatever its role: status, health and tables.


TABLES_S = 5.0
"""The tables are told at most so often: their counters change all the time."""


class HallNews:
    """Keeps what was told last, so that a new connection begins with it."""

    def __init__(self, status: Status, *, sender: Sender, now_s: Callable[[], float]) -> None:
        self.status = status
        self._sender = sender
        self._now_s = now_s
        self._speaks = False
        self._announced: dict[str, bytes] = {}
        self._health = b""
        self._tables = b""
        self._tables_s = -TABLES_S

    @property
    def will(self) -> bytes:
        """What the broker tells of this hall when its connection breaks."""
        return msgspec.json.encode(
            msgspec.structs.replace(self.status, state="offline", leads=False, boards=[])
        )

    def announce(self, name: str, payload: bytes) -> None:
        """Retained at this topic, once a connection."""
        self._announced[name] = payload

    def hush(self) -> None:
        """Nothing goes out until `begin`: another controller has this hall's name."""
        self._speaks = False

    def begin(self) -> None:
        """Everything that is known goes out, and from now on all news."""
        self._speaks = True
        self.publish_status()
        for name, payload in self._announced.items():
            self._sender.put(name, payload, retain=True)
        if self._health:
            self._put("health", self._health, retain=True)
        if self._tables:
            self._put("tables", self._tables)

    def health(self, health: bytes) -> None:
        """Core has told its health, which goes out where it has changed."""
        if health != self._health:
            self._health = health
            self._put("health", health, retain=True)

    def tables(self, line: CoreLine) -> None:
        """Core has told its tables."""
        if not line.tables:
            return
        self._tables = bytes(line.tables)
        if self._now_s() - self._tables_s >= TABLES_S:
            self._tables_s = self._now_s()
            self._put("tables", self._tables)

    def roster(self, roster: Roster) -> None:
        """Core has told its roster."""
        self.tell(boards=[board.name for board in roster.boards])

    def tell(self, **of_status: Any) -> None:
        """These fields of its status are so now."""
        status = msgspec.structs.replace(self.status, **of_status)
        if status != self.status:
            self.status = status
            self.publish_status()

    def publish_status(self) -> None:
        self._put("status", msgspec.json.encode(self.status), retain=True)

    async def leave(self, client: Client) -> None:
        """The process ends: the broker itself tells so only of a connection that breaks."""
        if self._speaks:
            await client.publish(topic(self.status.hall, "status"), self.will, qos=1, retain=True)

    def _put(self, name: str, payload: bytes, *, retain: bool = False) -> None:
        if self._speaks:
            self._sender.put(topic(self.status.hall, name), payload, retain=retain)
