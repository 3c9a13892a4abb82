"""What every hall publishes of itself, whatever its role: status, health and tables."""

from collections.abc import Callable
from typing import Any

import msgspec
from aiomqtt import Client

from pi_controller.links.broker import Sender
from pi_controller.links.payloads import Status, topic
from pi_controller.protocol.answers import Line
from pi_controller.roster.model import Roster

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
