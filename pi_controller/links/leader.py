"""The leader: publishes the picture, tells followers the time, takes their presses and claims to core."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Never

import msgspec
from aiomqtt import Client, Message

from pi_controller.links.broker import Sender, payload_of
from pi_controller.links.copies import CopyReader
from pi_controller.links.core_end import NO_ANSWER, CoreEnd
from pi_controller.links.hall_news import HallNews
from pi_controller.links.payloads import (
    ROOT,
    Answer,
    Ask,
    Check,
    Part,
    Result,
    Status,
    hall_of,
    read,
    topic,
)
from pi_controller.links.rivals import Rivals
from pi_controller.protocol.answers import Line
from pi_controller.protocol.halls import Hall, LinkState, Uplink
from pi_controller.protocol.messages import AskHallCommand, AskLink
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence

LOG = logging.getLogger(__name__)


DECIDE_S = 0.5
SILENT_S = 4.0
"""A follower asks the time once a second: one that has not for so long is away, whatever the broker says. A
broker with persistence, or one beyond a bridge, goes on saying `online`."""


class LeaderLink:
    """Publishes nothing while another hall leads (`Rivals`)."""

    def __init__(
        self, *, core: CoreEnd, news: HallNews, sender: Sender, boot_us: Callable[[], int], copy: CopyReader
    ) -> None:
        self.leads = False
        self._core = core
        self._news = news
        self._sender = sender
        self._boot_us = boot_us
        self._copy = copy
        self._rivals = Rivals()
        self._heard_s: dict[str, float] = {}
        """When each hall said something last."""
        self._picture = b""
        self._told_us: int | None = None
        """When core told something last."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def talk(self, client: Client) -> None:
        """MqttError when the connection breaks. What the halls have told of themselves is read before
        anything is published: the broker keeps the order."""
        self._stop_leading()
        self._rivals.begin()
        own = self._news.status
        async with asyncio.TaskGroup() as group:
            group.create_task(self._sender.send(client))
            await client.subscribe(f"{ROOT}/+/status", qos=1)
            for name in ("beat", "ask"):
                await client.subscribe(f"{ROOT}/+/{name}")
            await client.subscribe(topic(own.hall, "check"))
            await client.publish(topic(own.hall, "check"), msgspec.json.encode(Check(id=own.id)))
            async for message in client.messages:
                self._heard(client, message, group)

    def _heard(self, client: Client, message: Message, group: asyncio.TaskGroup) -> None:
        received_us, payload = self._boot_us(), payload_of(message)
        hall, name = hall_of(str(message.topic)), str(message.topic).split("/")[-1]
        if name == "status":
            self._status(hall, payload)
        elif name == "check":
            if read(payload, Check) == Check(id=self._news.status.id):
                group.create_task(self._keep_deciding(client))
        else:
            self._rivals.sign(hall)
            self._heard_s[hall] = received_us / 1e6
            if self.leads:
                self._from_follower(name, message, received_us)

    def lost(self, why: str) -> None:
        """The broker is not reached."""
        LOG.debug("no broker: %s", why)
        self.leads = False

    def relay(self, line: Line) -> None:
        """Core has told a picture or a beat."""
        self._told_us = self._boot_us()
        if line.picture:
            self._picture = bytes(line.picture)
        if not self.leads:
            return
        if line.picture:
            self._put("picture", self._picture, retain=True)
            self._news.picture(self._picture)
        if line.beat:
            self._put("beat", bytes(line.beat))

    def _status(self, hall: str, payload: bytes) -> None:
        status, own = read(payload, Status), self._news.status
        if not isinstance(status, Status) or status.hall != hall:
            self._rivals.known.pop(hall, None)
        elif status.id != own.id:
            self._rivals.known[hall] = status
            self._heard_s[hall] = self._boot_us() / 1e6
            if hall == own.hall and self.leads:  # it stands in the place of what this one has told
                self._news.publish_status()

    async def _keep_deciding(self, client: Client) -> Never:
        while True:
            await self._decide(client)
            await asyncio.sleep(DECIDE_S)

    async def _decide(self, client: Client) -> None:
        """Lead, or give way to who leads already; tell core what the others are."""
        own = self._news.status
        verdict = self._rivals.verdict(own, self._boot_us() / 1e6)
        if verdict == "lead" and not self.leads:
            self.leads = True
            await self._begin(client)
        elif verdict == "give_way":
            self._stop_leading()
        before = self._rivals.before
        state: LinkState = "leading" if self.leads else "looking" if before is None else "refused"
        halls = [
            Hall(hall=one.hall, online=self._online(one), software=one.software, boards=one.boards)
            for one in self._rivals.known.values()
            if one.hall != own.hall
        ]
        leader = own.hall if self.leads else None if before is None else before.hall
        trouble = None if before is None else view(_why(before, own))
        link = AskLink(state=state, leader=leader, term=own.term, halls=halls, trouble=trouble)
        if link != self._core.link:
            self._core.say(link)

    def _online(self, one: Status) -> bool:
        """A second leader that gives way says nothing more; a follower goes on asking."""
        silent_s = self._boot_us() / 1e6 - self._heard_s[one.hall]
        return one.state == "online" and (one.role != "follower" or silent_s < SILENT_S)

    def _stop_leading(self) -> None:
        self.leads = False
        self._news.hush()
        self._sender.clear()

    async def _begin(self, client: Client) -> None:
        self._news.begin()
        if self._picture:
            self._put("picture", self._picture, retain=True)
        for name in ("claim", "press"):
            await client.subscribe(f"{ROOT}/+/{name}", qos=1)

    def _from_follower(self, name: str, message: Message, received_us: int) -> None:
        hall, payload = hall_of(str(message.topic)), payload_of(message)
        if name == "ask":
            asked = read(payload, Ask)
            if isinstance(asked, Ask):
                self._start(self._answer(hall, asked, received_us))
        elif name in ("claim", "press"):
            uplink = read(payload, Uplink)
            if isinstance(uplink, Uplink):
                self._start(self._to_core(hall, uplink))

    def _start(self, coroutine: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, hall: str, asked: Ask, received_us: int) -> None:
        """Soon, whether the second copy can be read or not: the follower's clock and pause depend on it."""
        own = self._news.status
        parts = await self._parts(hall, asked)
        answer = Answer(
            sent_us=asked.sent_us,
            received_us=received_us,
            answered_us=self._boot_us(),
            hall=own.hall,
            term=own.term,
            core_us=self._told_us,
            parts=parts,
        )
        self._sender.put(topic(hall, "answer"), msgspec.json.encode(answer))

    async def _parts(self, hall: str, asked: Ask) -> list[Part]:
        try:
            return [] if asked.have is None else await self._copy.parts_soon(hall, asked.have)
        except OSError as error:
            LOG.warning("the second copy cannot be read: %s", error)
            return []

    async def _to_core(self, hall: str, uplink: Uplink) -> None:
        """Its answer goes back; without one the follower sends it again."""
        try:
            answer = await self._core.client.ask(AskHallCommand(hall=hall, uplink=uplink))
        except NO_ANSWER as problem:
            LOG.warning("a %s of %s has not reached core: %s", uplink.do, hall, problem)
            return
        result = Result(key=uplink.key, accepted=answer.accepted or answer.done, reasons=answer.reason_keys)
        self._sender.put(topic(hall, "result"), msgspec.json.encode(result), key=uplink.key)

    def _put(self, name: str, payload: bytes, *, retain: bool = False) -> None:
        self._sender.put(topic(self._news.status.hall, name), payload, retain=retain)


def _why(before: Status, own: Status) -> Sentence:
    if before.hall == own.hall:
        return Sentence("link.same_name", hall=own.hall)
    return Sentence("link.another_leads", hall=before.hall, term=before.term)
