"""The leader: publishes the picture, tells followers the time, takes their presses and claims to core."""

import asyncio
import logging
from collections.abc import Callable, Mapping

import msgspec
from aiomqtt import Client, Message

from pi_controller.links.broker import Sender, payload_of
from pi_controller.links.copies import CopyReader
from pi_controller.links.core_end import NO_ANSWER, CoreEnd
from pi_controller.links.hall_news import HallNews
from pi_controller.links.payloads import ROOT, Answer, Ask, Part, Result, Status, hall_of, read, topic
from pi_controller.links.terms import another_leader, namesake
from pi_controller.protocol.answers import Line
from pi_controller.protocol.halls import Hall, LinkState, Uplink
from pi_controller.protocol.messages import AskHallCommand, AskLink
from pi_controller.protocol.sentences import SentenceView, view
from pi_controller.sentence import Sentence

LOG = logging.getLogger(__name__)

PictureTold = Callable[[bytes], Mapping[str, bytes]]
"""Makes of a picture what further topics get, such as those of Home Assistant."""


class LeaderLink:
    """While another hall leads it publishes nothing."""

    def __init__(
        self, *, core: CoreEnd, news: HallNews, sender: Sender, boot_us: Callable[[], int], copy: CopyReader
    ) -> None:
        self.leads = False
        self._core = core
        self._news = news
        self._sender = sender
        self._boot_us = boot_us
        self._copy = copy
        self._known: dict[str, Status] = {}
        self._picture = b""
        self._tasks: set[asyncio.Task[None]] = set()
        self._checked = False

    async def talk(self, client: Client) -> None:
        """MqttError when the connection breaks. What the halls have told of themselves is read before
        anything is published: the broker keeps the order."""
        self._sender.clear()
        self._known.clear()
        self.leads = self._checked = False
        hall = self._news.status.hall
        async with asyncio.TaskGroup() as group:
            group.create_task(self._sender.send(client))
            await client.subscribe(f"{ROOT}/+/status", qos=1)
            await client.subscribe(topic(hall, "check"))
            await client.publish(topic(hall, "check"), self._news.status.id.encode())
            async for message in client.messages:
                await self._heard(client, message)

    def lost(self, why: str) -> None:
        """The broker is not reached."""
        LOG.debug("no broker: %s", why)
        self.leads = False

    def relay(self, line: Line) -> None:
        """Core has told a picture or a beat."""
        if line.picture:
            self._picture = bytes(line.picture)
        if not self.leads:
            return
        if line.picture:
            self._put("picture", self._picture, retain=True)
            self._news.picture(self._picture)
        if line.beat:
            self._put("beat", bytes(line.beat))

    async def _heard(self, client: Client, message: Message) -> None:
        received_us = self._boot_us()
        name = str(message.topic).split("/")[-1]
        if name == "check":
            if payload_of(message) == self._news.status.id.encode():
                self._checked = True
                await self._decide(client)
        elif name == "status":
            self._status(message)
            if self._checked:
                await self._decide(client)
        elif self.leads:
            self._from_follower(name, message, received_us)

    def _status(self, message: Message) -> None:
        hall = hall_of(str(message.topic))
        status = read(payload_of(message), Status)
        if isinstance(status, Status) and status.hall == hall:
            if status.id != self._news.status.id:
                self._known[hall] = status
        else:
            self._known.pop(hall, None)

    async def _decide(self, client: Client) -> None:
        """Lead, or give way to who leads already; tell core what the others are."""
        own, known = self._news.status, list(self._known.values())
        other, same = another_leader(own, known), namesake(own, known)
        state: LinkState = "refused"
        trouble: SentenceView | None = None
        if other is not None:
            trouble = view(Sentence("link.another_leads", hall=other.hall, term=other.term))
        elif same is not None:
            trouble = view(Sentence("link.same_name", hall=own.hall))
        else:
            state = "leading"
        if (state == "leading") != self.leads:
            self.leads = state == "leading"
            await self._begin(client) if self.leads else self._sender.clear()
        halls = [
            Hall(hall=one.hall, online=one.state == "online", software=one.software, boards=one.boards)
            for one in known
            if one.hall != own.hall
        ]
        leader = own.hall if self.leads else None if other is None else other.hall
        self._core.say(AskLink(state=state, leader=leader, term=own.term, halls=halls, trouble=trouble))

    async def _begin(self, client: Client) -> None:
        self._news.begin()
        if self._picture:
            self._put("picture", self._picture, retain=True)
        for name in ("ask", "claim", "press"):
            await client.subscribe(f"{ROOT}/+/{name}", qos=0 if name == "ask" else 1)

    def _from_follower(self, name: str, message: Message, received_us: int) -> None:
        hall, payload = hall_of(str(message.topic)), payload_of(message)
        if name == "ask":
            asked = read(payload, Ask)
            if isinstance(asked, Ask):
                self._answer(hall, asked, received_us)
        elif name in ("claim", "press"):
            uplink = read(payload, Uplink)
            if isinstance(uplink, Uplink):
                task = asyncio.get_running_loop().create_task(self._to_core(hall, uplink))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    def _answer(self, hall: str, asked: Ask, received_us: int) -> None:
        own = self._news.status
        parts = self._parts(asked)
        answer = Answer(
            sent_us=asked.sent_us,
            received_us=received_us,
            answered_us=self._boot_us(),
            hall=own.hall,
            term=own.term,
            parts=parts,
        )
        self._sender.put(topic(hall, "answer"), msgspec.json.encode(answer))

    def _parts(self, asked: Ask) -> list[Part]:
        try:
            return [] if asked.have is None else self._copy.parts(asked.have)
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
