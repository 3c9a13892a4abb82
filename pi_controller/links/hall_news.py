"""What every hall publishes of itself, whatever its role: status, health and tables."""

import secrets
import time
from collections.abc import Callable

import msgspec
from aiomqtt import Client

from pi_controller.links.broker import Sender
from pi_controller.links.payloads import Status, topic
from pi_controller.protocol.answers import Line
from pi_controller.protocol.halls import LinkRole
from pi_controller.roster.model import Roster

TABLES_S = 5.0
"""The tables are told at most so often: their counters change all the time."""


class _Health(msgspec.Struct):
    health: msgspec.Raw


class HallNews:
    """Keeps what was told last, so that a new connection begins with it."""

    def __init__(self, *, hall: str, role: LinkRole, sender: Sender, now_s: Callable[[], float]) -> None:
        self.status = Status(
            state="online",
            hall=hall,
            role=role,
            term=0,
            since_ms=round(time.time() * 1_000),
            id=secrets.token_hex(8),
        )
        self._sender = sender
        self._now_s = now_s
        self._speaks = False
        self._announced: dict[str, bytes] = {}
        self._health = b""
        self._tables = b""
        self._tables_s = -TABLES_S
        self._boards: list[str] = []

    @property
    def will(self) -> bytes:
        """What the broker tells of this hall when its connection breaks."""
        return msgspec.json.encode(msgspec.structs.replace(self.status, state="offline", boards=[]))

    def announce(self, name: str, payload: bytes) -> None:
        """Retained at this topic, once a connection."""
        self._announced[name] = payload

    def hush(self) -> None:
        """Nothing goes out until `begin`: another controller has this hall's name, or leads."""
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

    def picture(self, picture: bytes) -> None:
        """Core has told a picture; its health goes out where it has changed."""
        health = bytes(msgspec.json.decode(picture, type=_Health).health)
        if health != self._health:
            self._health = health
            self._put("health", health, retain=True)

    def tables(self, line: Line) -> None:
        """Core has told its tables."""
        if not line.tables:
            return
        self._tables = bytes(line.tables)
        if self._now_s() - self._tables_s >= TABLES_S:
            self._tables_s = self._now_s()
            self._put("tables", self._tables)

    def roster(self, roster: Roster) -> None:
        """Core has told its roster."""
        boards = [board.name for board in roster.boards]
        if boards != self._boards:
            self._boards = boards
            self.publish_status()

    def lead_in(self, term: int) -> None:
        """The term is this one now."""
        if term != self.status.term:
            self.status = msgspec.structs.replace(self.status, term=term)
            self.publish_status()

    def publish_status(self) -> None:
        self.status = msgspec.structs.replace(self.status, boards=self._boards)
        self._put("status", msgspec.json.encode(self.status), retain=True)

    async def leave(self, client: Client) -> None:
        """The process ends: the broker itself tells so only of a connection that breaks."""
        if self._speaks:
            await client.publish(topic(self.status.hall, "status"), self.will, qos=1, retain=True)

    def _put(self, name: str, payload: bytes, *, retain: bool = False) -> None:
        if self._speaks:
            self._sender.put(topic(self.status.hall, name), payload, retain=retain)
