"""The follower: takes the leader's pictures to core with its clock's offset, and to the leader what core has
for it, again and again until it is answered.
"""

import asyncio
import logging
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Never

import msgspec
from aiomqtt import Client, MqttError
from paho.mqtt.client import MQTTMessage

from pi_controller.links.broker import LinksClient, Sender, until_next_try
from pi_controller.links.copies import CopyKeeper
from pi_controller.links.core_end import NO_ANSWER, RETRY_S, CoreEnd, HallNews
from pi_controller.links.lease import SILENT_S, LeaseClaim, believed, followed
from pi_controller.links.payloads import (
    LIVES_US,
    MOST_HALLS,
    ROOT,
    ClockAnswer,
    ClockQuestion,
    CopyPart,
    Have,
    Reader,
    Status,
    UplinkResult,
    topic,
)
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.messages import AskFollow, AskLink, AskUplinkDone, AskWatchUplink
from pi_controller.protocol.picture import (
    AnyUplink,
    Beat,
    Hall,
    HealthView,
    LinkState,
    PauseUplink,
    Picture,
    PressUplink,
)
from pi_controller.protocol.question import CoreLine
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence

# How far another computer's clock is ahead of this one's, by round trips (RFC 5905, section 8). Pure.


KEPT = 32
DRIFT = 200e-6
"""Two crystals of 100 ppm part by so much of the time that has passed since they were compared."""


@dataclass(frozen=True, slots=True)
class _Sample:
    offset_us: float
    error_us: float
    at_us: int

    @property
    def standing_us(self) -> float:
        """Its error but for what has grown since this computer's start, which is the same for all samples."""
        return self.error_us - self.at_us * DRIFT


class ClockEstimate:
    """Goes by the shortest round trip of the last ones: whatever is slow on the way makes a trip longer, and
    its error is at most half of that."""

    def __init__(self) -> None:
        self._samples: deque[_Sample] = deque(maxlen=KEPT)
        self._best: _Sample | None = None
        """Chosen when a sample comes: each picture asks for it, and the hall waits for the picture."""

    def add(self, *, sent_us: int, received_us: int, answered_us: int, now_us: int) -> None:
        """A round trip: sent and back by this clock, received and answered by the other. One that ends
        before it began, or lasted less than the other says to have had it, is none."""
        trip_us = (now_us - sent_us) - (answered_us - received_us)
        if trip_us < 0 or now_us < sent_us or answered_us < received_us:
            return
        offset_us = ((received_us - sent_us) + (answered_us - now_us)) / 2
        self._samples.append(_Sample(offset_us, trip_us / 2, now_us))
        self._best = min(self._samples, key=lambda sample: sample.standing_us)

    @property
    def trips(self) -> int:
        """How many round trips it goes by, KEPT at most."""
        return len(self._samples)

    def forget(self) -> None:
        """The other is another one, or has been started anew."""
        self._samples.clear()
        self._best = None

    def at(self, now_us: int) -> tuple[int, int] | None:
        """Offset and its largest error in microseconds as of now; None before the first round trip."""
        best = self._best
        if best is None:
            return None
        error_us = best.error_us + (now_us - best.at_us) * DRIFT
        return round(best.offset_us), math.ceil(error_us)


# When the leader's core was last known to live. Pure.
#
# A broker goes on telling the last picture of a core that is dead, and over a bridge that looks like a new
# one. What proves that a core lives: a beat, an answer that says when it told something, and a picture that
# was made just now by its own clock.


SLACK_US = 1_000
"""A picture that was made later than now by more than this and the clock's error is one of another clock."""


class SignsOfLife:
    """Of one leader. Times are microseconds of this computer's clock."""

    def __init__(self) -> None:
        self.heard_us: int | None = None
        """None: it is not known to have lived since it is followed."""
        self._made_us: int | None = None
        """When the newest picture was made, on the leader's clock; None once it has been compared."""

    def lives(self, now_us: int) -> bool:
        return self.heard_us is not None and now_us - self.heard_us < LIVES_US

    def sign(self, at_us: int) -> None:
        """It lived then."""
        self.heard_us = max(self.heard_us or 0, at_us)

    def picture(self, as_of_us: int) -> None:
        """A picture has come that was made then, on the leader's clock."""
        self._made_us = as_of_us

    def compare(self, clock: ClockEstimate, now_us: int) -> None:
        """The newest picture is a sign of life where it is new; that can be said once the clock is known."""
        estimate = clock.at(now_us)
        if estimate is None or self._made_us is None:
            return
        offset_us, error_us = estimate
        age_us = now_us + offset_us - self._made_us
        self._made_us = None
        if -error_us - SLACK_US <= age_us < LIVES_US:
            self.sign(now_us - max(0, age_us))


# What a follower's core has for the leader: sent again and again until the leader has answered it.


LOG = logging.getLogger(__name__)

CLOSE_US = 5_000
TRIPS = 8
"""Claims of several halls are ordered by their press times. So one that waits for the clock of a leader that
is new here goes up once that is known so well, or after so many round trips; a press of the big button or a
pause, for which everybody waits, after the first."""


class Uplinks:
    """Each goes up with its time on the leader's clock, which somebody else learns."""

    def __init__(self, *, hall: str, clock: ClockEstimate, boot_us: Callable[[], int]) -> None:
        self.client: Client | None = None
        """The connection, while there is one to a leader."""
        self.to = ""
        """The run of the leader's links process."""
        self._hall = hall
        self._clock = clock
        self._boot_us = boot_us
        self._unanswered: dict[str, AnyUplink] = {}
        self._publishing: set[asyncio.Task[None]] = set()

    def put(self, uplink: AnyUplink) -> None:
        """The same key again is the same thing."""
        if uplink.key not in self._unanswered:
            self._unanswered[uplink.key] = uplink
            self._send(uplink)

    def answered(self, key: str) -> bool:
        """The leader has answered this one; whether it was waited for."""
        return self._unanswered.pop(key, None) is not None

    def send(self) -> None:
        """Everything that waits, as far as the leader's clock is known."""
        for uplink in self._unanswered.values():
            self._send(uplink)

    def clock_is_close(self) -> bool:
        """Whether claims need not wait for the leader's clock any more."""
        estimate = self._clock.at(self._boot_us())
        return estimate is not None and (estimate[1] <= CLOSE_US or self._clock.trips >= TRIPS)

    def _send(self, uplink: AnyUplink) -> None:
        estimate, client = self._clock.at(self._boot_us()), self.client
        if estimate is None or client is None:
            return
        if not isinstance(uplink, PressUplink | PauseUplink) and not self.clock_is_close():
            return
        offset_us, error_us = estimate
        at_us = max(0, uplink.at_us + offset_us)
        there = msgspec.structs.replace(uplink, at_us=at_us, error_us=uplink.error_us + error_us, to=self.to)
        name = topic(self._hall, str(uplink.__struct_config__.tag))
        task = asyncio.get_running_loop().create_task(_publish(client, name, msgspec.json.encode(there)))
        self._publishing.add(task)
        task.add_done_callback(self._publishing.discard)


async def _publish(client: Client, name: str, payload: bytes) -> None:
    try:
        await client.publish(name, payload, qos=1)
    except MqttError as problem:
        LOG.debug("it is sent again: %s", problem)


ASK_S = 1.0
FIRST_ASKS = 8
FIRST_ASK_S = 0.05
"""Of a leader that is new here the clock is asked so often in short turns."""
AGAIN_S = 2.0
"""What the leader has not answered is sent again so often."""
SENT = 32
"""Questions that may be under way."""

Heard = Picture | AskUplinkDone | None
"""A picture, an answer, or with None a sign of life."""


OWN = HealthView(level="ok", messages=[], items=[])
"""A hall shows its own health; what stands in the leader's is no part of the news."""


class ToCore:
    """What core is to hear next, in the order in which it came: at most one picture or sign of life, the
    newest in the place of the first, and one answer to each claim or press, so that nothing grows while core
    is away."""

    def __init__(self) -> None:
        self._waiting: dict[str, Heard] = {}
        self._some = asyncio.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, heard: Heard) -> None:
        name = heard.key if isinstance(heard, AskUplinkDone) else ""
        # A newer picture takes the place of the one that waits: an answer that came behind that one, such as
        # to a press, lets this hall's time run on, and must not do so before core knows of the pause. A sign
        # of life is in the picture that is to be told anyway.
        self._waiting[name] = heard or self._waiting.get(name)
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
    """Follows one leader at a time (`lease.followed`)."""

    def __init__(
        self,
        *,
        core: CoreEnd,
        news: HallNews,
        sender: Sender,
        reader: Reader,
        boot_us: Callable[[], int],
        copy: CopyKeeper,
        lease_key: str | None,
        keep: Callable[[LeaseClaim], None],
    ) -> None:
        """`keep` writes down whom this hall follows; on a thread. OSError."""
        self._core = core
        self._news = news
        self._sender = sender
        self._reader = reader
        self._boot_us = boot_us
        self._begun_us = boot_us()
        self._copy = copy
        self._keep = keep
        self._have: list[Have] | None = None
        """What the copy holds; None: nothing can be kept now."""
        self._parts: asyncio.Queue[list[CopyPart]] = asyncio.Queue()
        """What is to be kept next; one answer at a time."""
        self._leases: dict[str, tuple[LeaseClaim, int]] = {}
        """By controller."""
        self._halls: dict[str, Status] = {}
        """The others, by name, as the broker has them."""
        self._leader: LeaseClaim | None = None
        self._client: LinksClient | None = None
        self._group: asyncio.TaskGroup | None = None
        self._namesake = False
        """Another controller had this hall's name first."""
        self._other_us: int | None = None
        """Since when another one asks under this hall's name."""
        self._clock = ClockEstimate()
        self._clock_of = ""
        """The run of the leader whose clock it is."""
        self._uplinks = Uplinks(hall=news.status.hall, clock=self._clock, boot_us=boot_us)
        self._signs = SignsOfLife()
        self._asked = 0
        self._sent: deque[int] = deque(maxlen=SENT)
        """When it asked last."""
        self._to_core = ToCore()
        self._newest: Picture | None = None
        self._key = lease_key

    async def talk(self, client: LinksClient) -> None:
        """MqttError when the connection breaks."""
        client.heard, client.broke = self._heard, self._reader.broke
        self._sender.clear()
        self._leases.clear()
        self._client = client
        hall = self._news.status.hall
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                group.create_task(self._sender.send(client))
                group.create_task(self._keep_asking())
                group.create_task(self._keep_repeating())
                group.create_task(self._keep_copy())
                for name in ("answer", "result"):
                    await client.subscribe(topic("+", name, hall))
                await client.subscribe(topic(hall, "ask"))
                for name in ("lease", "status"):
                    await client.subscribe(f"{ROOT}/+/{name}", qos=1)
                if not self._namesake:
                    self._news.begin()
                if self._leader is not None:
                    self._follow(self._leader)
                self._say()
                await client.until_lost()
        finally:
            self._client = self._uplinks.client = self._group = None

    def lost(self, why: str) -> None:
        """The broker is not reached."""
        LOG.debug("no broker: %s", why)

    def relay(self, line: CoreLine) -> None:
        """Core's own picture: of it only the health goes out."""
        if line.shown:
            shown = msgspec.json.decode(line.shown, type=_Shown)
            if shown.health:
                self._news.health(bytes(shown.health))

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
            await until_next_try(RETRY_S)

    def _from_core(self, line: CoreLine) -> None:
        trouble = line.trouble()
        if trouble is not None:
            raise trouble
        if line.uplink and bytes(line.uplink) != b"null":
            self._uplinks.put(msgspec.json.decode(line.uplink, type=AnyUplink))

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

    async def _tell_picture(self, picture: Picture | None) -> None:
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
            picture=None if picture is None else msgspec.structs.replace(picture, health=OWN),
        )
        try:
            await self._core.client.ask(news)
        except Malformed as problem:  # as of numbers and texts that no request may have
            self._reader.refuse(topic(leader.hall, "picture"), problem.sentence)
            self._say()

    def _heard(self, message: MQTTMessage) -> None:
        now_us = self._boot_us()
        match self._reader.take(message):
            case hall, (Picture() | Beat()) as news:
                if self._leader is not None and hall == self._leader.hall and self._of_leader(news.session):
                    self._news_of_leader(news, now_us)
            case hall, (Status() | None) as status if message.topic == topic(hall, "status"):
                self._status(hall, status)
            case _, LeaseClaim() as claim:
                self._hear(believed(claim, self._key), now_us)
            case _, ClockQuestion() as asked:
                self._asked_too(asked, now_us)
            case _, ClockAnswer() as answer:
                self._answered(answer, now_us)
            case _, UplinkResult(run=self._clock_of) as result if self._uplinks.answered(result.key):
                self._to_core.put(
                    AskUplinkDone(key=result.key, accepted=result.accepted, reasons=result.reasons)
                )

    def _news_of_leader(self, news: Picture | Beat, now_us: int) -> None:
        """The whole hall waits for it."""
        if isinstance(news, Beat):
            self._signs.sign(now_us)
            if self._newest is not None:  # else what core shows may be older than this
                self._to_core.put(None)
        else:
            self._newest = news
            self._signs.picture(news.as_of_us)
            self._signs.compare(self._clock, now_us)
            self._to_core.put(news)

    def _of_leader(self, session: str) -> bool:
        """Two controllers may have one name: what counts is said by the core whose links process leads. Of a
        leader that is not heard the newest that the broker has kept is shown, as old."""
        return self._leader is None or session == self._leader.session or not self._clock_of

    def _status(self, hall: str, status: Status | None) -> None:
        own = self._news.status
        if status is None:
            self._halls.pop(hall, None)
        elif status.controller != own.controller and len(self._halls) < MOST_HALLS:
            self._halls[hall] = status
        if hall == own.hall and not self._namesake and (status is None or status.id != own.id):
            self._news.publish_status()  # it stands in the place of what this one has told
        if not self._clock_of:
            self._show_the_last()
        self._say()

    def _show_the_last(self) -> None:
        """While no leader is heard: the newest that is known of the one that led last."""
        leaders = [one for one in self._halls.values() if one.role == "leader"]
        last = max(leaders, key=lambda one: (one.state == "online", one.leads, one.term), default=None)
        if last is not None and (self._leader is None or self._leader.run != last.id):
            self._follow(_as_told(last))

    def _asked_too(self, asked: ClockQuestion, now_us: int) -> None:
        """Another controller has this hall's name: it had it first if it was there when this one began. Of
        two that began before there was a leader one has to go, too."""
        own = self._news.status
        if asked.controller == own.controller or self._namesake:
            return
        if self._other_us is None:
            self._other_us = now_us
        early, stays = (now_us - since_us < SILENT_S * 1e6 for since_us in (self._begun_us, self._other_us))
        first = asked.controller < own.controller
        if (early and (self._asked == 0 or first)) or (not stays and first):
            self._call_off()

    def _call_off(self) -> None:
        self._namesake = True
        self._news.hush()
        self._say()

    def _hear(self, claim: LeaseClaim, now_us: int) -> None:
        if claim.hall == self._news.status.hall and not self._namesake:
            self._call_off()
        self._leases[claim.controller] = claim, now_us
        self._leases = {name: one for name, one in self._leases.items() if now_us - one[1] < SILENT_S * 1e6}
        before, leader = self._leader, followed(self._leader, [one for one, _ in self._leases.values()])
        if leader is not None and leader != before:
            if before is None or (before.hall, self._clock_of) != (leader.hall, leader.run):
                self._follow(leader)
            self._leader = leader
        self._say()

    def _follow(self, leader: LeaseClaim) -> None:
        """Another leader, or the same one over a new connection: its picture is to come. The clock of another
        one, or of another run of its links process, is not known."""
        before, self._leader = self._leader, leader
        if leader.run != self._clock_of:
            self._clock.forget()
            self._clock_of = leader.run if leader.leads else ""
        self._uplinks.to = leader.run
        self._signs = SignsOfLife()
        self._asked = 0
        if self._newest is not None and self._newest.session != leader.session:
            self._newest = None
        self._news.tell(term=leader.term)
        if leader.leads and self._group is not None:
            self._group.create_task(self._keep_leader(leader))
        if self._group is not None and self._client is not None:
            self._group.create_task(self._listen_to(self._client, before, leader))

    async def _listen_to(self, client: LinksClient, before: LeaseClaim | None, leader: LeaseClaim) -> None:
        if before is not None and before.hall != leader.hall:
            for name in ("picture", "beat"):
                await client.unsubscribe(topic(before.hall, name))
        for name in ("picture", "beat"):
            await client.subscribe(topic(leader.hall, name))
        self._ask()
        self._uplinks.client = client
        self._uplinks.send()

    def _answered(self, answer: ClockAnswer, now_us: int) -> None:
        if answer.run != self._clock_of or answer.sent_us not in self._sent:
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
        own = self._news.status
        if not self._clock_of or self._namesake:
            return
        self._asked += 1
        self._sent.append(self._boot_us())
        have = None if self._asked <= FIRST_ASKS else self._have
        ask = ClockQuestion(sent_us=self._sent[-1], controller=own.controller, to=self._clock_of, have=have)
        self._sender.put(topic(own.hall, "ask"), msgspec.json.encode(ask))

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

    async def _keep_leader(self, leader: LeaseClaim) -> None:
        try:
            await self._copy.thread.do(partial(self._keep, leader), patience_s=math.inf)
        except OSError as error:
            LOG.warning("whom this hall follows is not kept here: %s", error)

    async def _keep_repeating(self) -> Never:
        while True:
            await asyncio.sleep(AGAIN_S)
            self._uplinks.send()
            self._say()

    def _say(self) -> None:
        own, leader = self._news.status, self._leader
        state: LinkState = "looking" if leader is None else "following"
        trouble = Sentence("link.same_name", hall=own.hall) if self._namesake else None
        known = None if leader is None else self._halls.get(leader.hall)
        halls = [] if known is None else [Hall(hall=known.hall, online=True, software=known.software)]
        self._core.say(
            AskLink(
                state=state,
                leader=None if leader is None else leader.hall,
                term=0 if leader is None else leader.term,
                halls=halls,
                trouble=None if trouble is None else view(trouble),
                unread=self._reader.unread(),
            )
        )


class _Shown(msgspec.Struct):
    health: msgspec.Raw = msgspec.Raw()
    """Empty in a change of other fields."""


def _as_told(status: Status) -> LeaseClaim:
    """A leader that is not heard, as the broker has kept it: nobody follows it, but its picture is shown."""
    return LeaseClaim(
        hall=status.hall,
        controller=status.controller,
        run=status.id,
        state="refused",
        progress="empty",
        term=max(1, status.term),
    )
