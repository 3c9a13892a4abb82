"""The follower: takes the leader's pictures to core with its clock's offset, and to the leader what core has
for it, again and again until it is answered."""

import asyncio
import logging
import math
from collections.abc import Callable
from functools import partial
from typing import Never

import msgspec
from aiomqtt import Client, Message
from msgspec import Raw

from pi_controller.links.broker import LinksClient, Sender, payload_of
from pi_controller.links.clock import ClockEstimate
from pi_controller.links.copies import CopyKeeper
from pi_controller.links.core_end import NO_ANSWER, RETRY_S, CoreEnd
from pi_controller.links.hall_news import HallNews
from pi_controller.links.payloads import ROOT, Answer, Ask, Part, Result, Status, hall_of, read, topic
from pi_controller.links.signs import SignsOfLife
from pi_controller.links.terms import leader_or_last, namesake
from pi_controller.links.uplinks import Uplinks
from pi_controller.protocol.answers import Line
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.halls import LinkState, Uplink
from pi_controller.protocol.messages import AskFollow, AskLink, AskUplinkDone, AskWatchUplink
from pi_controller.protocol.sentences import SentenceView, view
from pi_controller.sentence import Sentence

LOG = logging.getLogger(__name__)

ASK_S = 1.0
FIRST_ASKS = 8
FIRST_ASK_S = 0.05
"""Of a leader that is new here the clock is asked so often in short turns."""
AGAIN_S = 2.0
"""What the leader has not answered is sent again so often."""


Heard = Raw | AskUplinkDone | None
"""A picture, an answer, or with None a sign of life."""


class ToCore:
    """What core is to hear next, in the order in which it came: at most one picture or sign of life, the
    newest, and one answer to each claim or press, so that nothing grows while core is away."""

    def __init__(self) -> None:
        self._waiting: dict[str, Heard] = {}
        self._some = asyncio.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, heard: Heard) -> None:
        name = heard.key if isinstance(heard, AskUplinkDone) else ""
        before = self._waiting.pop(name, None)
        self._waiting[name] = heard or before  # a sign of life is in the picture that is to be told anyway
        self._some.set()

    async def oldest(self) -> Heard:
        """As soon as there is one. An answer stays until it is `told`: nobody would say it again."""
        await self._some.wait()
        name = next(iter(self._waiting))
        heard = self._waiting[name]
        if not isinstance(heard, AskUplinkDone):
            self.told(name)
        return heard

    def told(self, name: str) -> None:
        self._waiting.pop(name, None)
        if not self._waiting:
            self._some.clear()


class FollowerLink:
    """One leader at a time: the one with the highest term."""

    def __init__(
        self, *, core: CoreEnd, news: HallNews, sender: Sender, boot_us: Callable[[], int], copy: CopyKeeper
    ) -> None:
        self._core = core
        self._news = news
        self._sender = sender
        self._boot_us = boot_us
        self._copy = copy
        self._have: dict[str, int] | None = None
        """What the copy holds; None: nothing can be kept now."""
        self._parts: asyncio.Queue[list[Part]] = asyncio.Queue()
        self._known: dict[str, Status] = {}
        self._leader: Status | None = None
        self._clock = ClockEstimate()
        self._clock_of = ""
        """The run of the leader whose clock it is."""
        self._uplinks = Uplinks(hall=news.status.hall, clock=self._clock, boot_us=boot_us)
        self._signs = SignsOfLife()
        self._asked = 0
        self._to_core = ToCore()
        self._newest: Raw | None = None
        self._trouble: SentenceView | None = None

    async def talk(self, client: LinksClient) -> None:
        """MqttError when the connection breaks."""
        client.at_once = self._news_of_leader
        self._sender.clear()
        self._known.clear()
        self._follow(None)
        hall = self._news.status.hall
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._sender.send(client))
                group.create_task(self._keep_asking())
                group.create_task(self._keep_repeating())
                group.create_task(self._keep_copy())
                for name in ("answer", "result"):
                    await client.subscribe(topic(hall, name))
                await client.subscribe(f"{ROOT}/+/status", qos=1)
                self._news.begin()
                async for message in client.messages:
                    await self._heard(client, message)
        finally:
            self._uplinks.client = None

    def lost(self, why: str) -> None:
        """The broker is not reached."""
        LOG.debug("no broker: %s", why)

    def relay(self, line: Line) -> None:
        """Core's own picture: of it only the health goes out."""
        if line.picture:
            self._news.picture(bytes(line.picture))

    async def keep_core(self) -> Never:
        """Take the leader's news to core, and core's to the leader, for ever."""
        while True:
            try:
                async with self._core.client.conversation() as talk, asyncio.TaskGroup() as group:
                    group.create_task(self._tell_core())
                    talk.send(AskWatchUplink(id="uplink"))
                    async for line in talk.lines():
                        self._from_core(line)
            except* NO_ANSWER as problem:
                LOG.debug("core is away: %s", problem)
            await asyncio.sleep(RETRY_S)

    def _from_core(self, line: Line) -> None:
        trouble = line.trouble()
        if trouble is not None:
            raise trouble
        if line.uplink and bytes(line.uplink) != b"null":
            self._uplinks.put(msgspec.json.decode(line.uplink, type=Uplink))

    async def _tell_core(self) -> Never:
        """In the order in which it was heard; of pictures the newest only."""
        if self._newest is not None:
            self._to_core.put(self._newest)
        while True:
            news = await self._to_core.oldest()
            if isinstance(news, AskUplinkDone):
                await self._core.client.ask(news)
                self._to_core.told(news.key)
            elif news is None or news is self._newest:
                await self._tell_picture(news)

    async def _tell_picture(self, picture: Raw | None) -> None:
        leader = self._leader
        if leader is None:
            return
        offset_us, error_us = self._clock.at(self._boot_us()) or (None, 0)
        news = AskFollow(
            leader=leader.hall,
            term=leader.term,
            offset_us=offset_us,
            error_us=error_us,
            heard_us=self._signs.heard_us,
            picture=picture,
        )
        before = self._trouble
        try:
            await self._core.client.ask(news)
            self._trouble = None
        except Malformed as problem:
            self._trouble = view(problem.sentence)
        if before != self._trouble:
            self._say()

    async def _heard(self, client: Client, message: Message) -> None:
        now_us, payload = self._boot_us(), payload_of(message)
        hall, name = hall_of(str(message.topic)), str(message.topic).split("/")[-1]
        if name == "status":
            await self._status(client, hall, payload)
        elif name == "answer":
            self._answered(payload, now_us)
        elif name == "result":
            result = read(payload, Result)
            if isinstance(result, Result) and self._uplinks.answered(result.key):
                done = AskUplinkDone(key=result.key, accepted=result.accepted, reasons=result.reasons)
                self._to_core.put(done)

    def _news_of_leader(self, name: str, payload: bytes) -> bool:
        """A picture or a beat: the whole hall waits for it."""
        hall, last = hall_of(name), name.rpartition("/")[2]
        if last not in ("picture", "beat"):
            return False
        if self._leader is not None and hall == self._leader.hall:
            if last == "beat":
                self._signs.sign(self._boot_us())
                self._to_core.put(None)
            elif payload:
                self._newest = Raw(payload)
                self._signs.picture(payload)
                self._signs.compare(self._clock, self._boot_us())
                self._to_core.put(self._newest)
        return True

    async def _status(self, client: Client, hall: str, payload: bytes) -> None:
        status = read(payload, Status)
        if not isinstance(status, Status) or status.hall != hall:
            self._known.pop(hall, None)
        elif status.id != self._news.status.id:
            self._known[hall] = status
            if hall == self._news.status.hall and namesake(self._news.status, (status,)) is None:
                self._news.publish_status()  # it stands in the place of what this one has told
        before, leader = self._leader, leader_or_last(self._known.values())
        if leader is not None and (before is None or (before.hall, before.id) != (leader.hall, leader.id)):
            if before is not None:
                await self._no_more(client, before.hall)
            self._follow(leader)
            for name in ("picture", "beat"):
                await client.subscribe(topic(leader.hall, name))
            self._ask()
            self._uplinks.client = client
            self._uplinks.send()
        self._say()

    async def _no_more(self, client: Client, hall: str) -> None:
        for name in ("picture", "beat"):
            await client.unsubscribe(topic(hall, name))

    def _follow(self, leader: Status | None) -> None:
        """Another leader, or the same one over a new connection: its picture is to come. The clock of another
        one, or of another run of its links process, is not known."""
        self._leader = leader
        if leader is not None and leader.id != self._clock_of:
            self._clock.forget()
            self._clock_of = leader.id
        self._signs = SignsOfLife()
        self._asked = 0
        self._newest = None
        if leader is not None:
            self._news.lead_in(leader.term)

    def _answered(self, payload: bytes, now_us: int) -> None:
        answer = read(payload, Answer)
        if not isinstance(answer, Answer) or self._leader is None or answer.hall != self._leader.hall:
            return
        known, lived = self._clock.at(now_us) is not None, self._signs.lives(now_us)
        close = self._uplinks.clock_is_close()
        self._clock.add(
            sent_us=answer.sent_us,
            received_us=answer.received_us,
            answered_us=answer.answered_us,
            now_us=now_us,
        )
        if answer.parts and self._parts.empty():  # what is left out is asked for again
            self._parts.put_nowait(answer.parts)
        if answer.core_us is not None:
            self._signs.sign(now_us - max(0, answer.answered_us - answer.core_us))
        self._signs.compare(self._clock, now_us)
        lives = self._signs.lives(now_us)
        if self._newest is not None and (
            not known or (lives and not lived)
        ):  # it waited for its clock, or for this
            self._to_core.put(self._newest)
        if not known or (not close and self._uplinks.clock_is_close()):
            self._uplinks.send()

    async def _keep_asking(self) -> Never:
        while True:
            await asyncio.sleep(FIRST_ASK_S if self._leader and self._asked < FIRST_ASKS else ASK_S)
            self._ask()

    def _ask(self) -> None:
        if self._leader is None:
            return
        self._asked += 1
        have = None if self._asked <= FIRST_ASKS else self._have
        ask = Ask(sent_us=self._boot_us(), have=have)
        self._sender.put(topic(self._news.status.hall, "ask"), msgspec.json.encode(ask))

    async def _keep_copy(self) -> Never:
        """On a thread: no picture waits for a disk, and this waits for as long as it hangs."""
        files = self._copy.thread
        while True:
            try:
                self._have = await files.do(self._copy.have, patience_s=math.inf)
                for part in await self._parts.get():
                    await files.do(partial(self._copy.take, part), patience_s=math.inf)
            except OSError as error:
                LOG.warning("the leader's game is not kept here: %s", error)
                self._have = None
                await asyncio.sleep(ASK_S)

    async def _keep_repeating(self) -> Never:
        while True:
            await asyncio.sleep(AGAIN_S)
            self._uplinks.send()

    def _say(self) -> None:
        own, leader = self._news.status, self._leader
        same = namesake(own, self._known.values())
        if same is not None:
            self._news.hush()
        state: LinkState = "looking" if leader is None else "following"
        trouble = self._trouble if same is None else view(Sentence("link.same_name", hall=own.hall))
        self._core.say(
            AskLink(
                state=state,
                leader=None if leader is None else leader.hall,
                term=0 if leader is None else leader.term,
                trouble=trouble,
            )
        )
