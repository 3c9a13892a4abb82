"""A load model: what the links processes of many halls ask of a broker and of a leader, in one process.

Each has a connection of its own with the topics, the messages and the pace of `links/follower.py`; the sizes
of its tables, its health and its second copy are those of a real hall that was asked before.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Never

import msgspec
from aiomqtt import MqttError, ProtocolVersion
from paho.mqtt.client import MQTTMessage

from pi_controller.bench.links.broker import HOST
from pi_controller.bench.processes import boot_ns
from pi_controller.links.broker import KEEPALIVE_S, NO_DELAY, LinksClient
from pi_controller.links.core_end import TABLES_S
from pi_controller.links.follower import ASK_S
from pi_controller.links.lease import LeaseClaim
from pi_controller.links.payloads import ROOT, Answer, Ask, Have, Status, topic

CONNECT_S = 30.0


@dataclass(frozen=True)
class Model:
    """What a real hall says."""

    leader: str
    tables: bytes
    health: bytes
    boards: list[str]
    have: Callable[[], list[Have]]


class Crowd:
    """So many halls; `connected` counts those that have everything they subscribed to."""

    def __init__(self, port: int, count: int, model: Model) -> None:
        self.connected = 0
        self.answers_ms: list[float] = []
        self.broken = 0
        """Connections that the broker or the network has ended."""
        self._port = port
        self._names = [f"model-{number}" for number in range(count)]
        self._model = model
        self._leader = "nobody"
        """The run of the leader's links process."""
        self._wanted = b""
        self._missing: set[str] = set()
        self._all: asyncio.Future[float] | None = None

    async def run(self) -> None:
        """Until it is cancelled."""
        async with asyncio.TaskGroup() as group:
            for name in self._names:
                group.create_task(self._hall(name))

    def last(self, wanted: bytes) -> "asyncio.Future[float]":
        """When the last of them has a picture with this in it."""
        self._wanted, self._missing = wanted, set(self._names)
        self._all = asyncio.get_running_loop().create_future()
        return self._all

    async def _hall(self, name: str) -> None:
        client = LinksClient(
            HOST,
            self._port,
            identifier=name,
            protocol=ProtocolVersion.V5,
            keepalive=KEEPALIVE_S,
            socket_options=NO_DELAY,
            timeout=CONNECT_S,
        )
        try:
            async with client:
                client.heard = partial(self._heard, name)
                for each in ("answer", "result"):
                    await client.subscribe(topic("+", each, name))
                for each in ("lease", "status"):
                    await client.subscribe(f"{ROOT}/+/{each}", qos=1)
                for each in ("picture", "beat"):
                    await client.subscribe(topic(self._model.leader, each))
                self.connected += 1
                await self._talk(client, name)
        except MqttError:
            self.broken += 1

    async def _talk(self, client: LinksClient, name: str) -> Never:
        status = Status(
            state="online",
            hall=name,
            role="follower",
            leads=False,
            term=1,
            controller=name,
            id=name,
            boards=self._model.boards,
        )
        await client.publish(topic(name, "status"), msgspec.json.encode(status), retain=True)
        await client.publish(topic(name, "health"), self._model.health, retain=True)
        turn = 0
        while True:
            if turn % round(TABLES_S / ASK_S) == 0:
                await client.publish(topic(name, "tables"), self._model.tables)
            ask = Ask(sent_us=boot_ns() // 1_000, controller=name, to=self._leader, have=self._model.have())
            await client.publish(topic(name, "ask"), msgspec.json.encode(ask))
            turn += 1
            await asyncio.sleep(ASK_S)

    def _heard(self, name: str, message: MQTTMessage) -> None:
        payload, kind = bytes(message.payload), message.topic.split("/")[2]
        if kind == "lease":
            self._leader = msgspec.json.decode(payload, type=LeaseClaim).run
        elif kind == "answer":
            answer = msgspec.json.decode(payload, type=Answer)
            self.answers_ms.append((boot_ns() // 1_000 - answer.sent_us) / 1_000)
        elif kind == "picture" and self._wanted and self._wanted in payload:
            self._missing.discard(name)
            if not self._missing and self._all is not None and not self._all.done():
                self._all.set_result(time.monotonic())
