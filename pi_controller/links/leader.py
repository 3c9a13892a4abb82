"""The leader: says that it leads, publishes the picture, tells followers the time, takes their presses and
claims to core."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Never

import msgspec
from paho.mqtt.client import MQTTMessage

from pi_controller.links.broker import LinksClient, Sender
from pi_controller.links.copies import CopyReader
from pi_controller.links.core_end import NO_ANSWER, CoreEnd, HallNews
from pi_controller.links.lease import ASKS_S, Candidate, LeaseClaim, Progress, believed, prove
from pi_controller.links.payloads import (
    MOST_HALLS,
    ROOT,
    ClockAnswer,
    ClockQuestion,
    CopyPart,
    Reader,
    Status,
    UplinkResult,
    topic,
)
from pi_controller.protocol.changes import NewestPicture
from pi_controller.protocol.messages import AskHallCommand, AskKeepTerm, AskLink, LinkAnswer
from pi_controller.protocol.picture import (
    AnyUplink,
    ClaimUplink,
    Hall,
    LinkState,
    PauseUplink,
    PressUplink,
    Settlement,
    WithdrawUplink,
)
from pi_controller.protocol.question import CoreLine
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import Phase

LOG = logging.getLogger(__name__)

CLAIM_S = 1.0
SILENT_S = 4.0
"""A follower asks the time once a second: one that has not for so long is away, whatever the broker says. A
broker with persistence, or one beyond a bridge, goes on saying `online`."""
UNHEARD_S = ASKS_S + 2
"""Who does not hear itself by then is not let through by the broker."""
MOST_TASKS = 256
"""Questions and claims under way; what comes beyond them is asked again."""
PROGRESS: dict[Phase, Progress] = {"ready": "empty", "ended": "between"}
"""In all other phases a game is played."""
STATES: dict[str, LinkState] = {
    "asking": "looking",
    "leading": "leading",
    "refused": "refused",
    "divided": "divided",
}


class LeaderLink:
    """Publishes the picture while it leads (`lease.Candidate`)."""

    def __init__(
        self,
        *,
        core: CoreEnd,
        news: HallNews,
        sender: Sender,
        reader: Reader,
        boot_us: Callable[[], int],
        copy: CopyReader,
        own: LinkAnswer,
    ) -> None:
        """`own` is what core has said of this controller."""
        self._core = core
        self._news = news
        self._sender = sender
        self._reader = reader
        self._boot_us = boot_us
        self._copy = copy
        claim = LeaseClaim(
            hall=news.status.hall,
            controller=own.controller,
            run=news.status.id,
            state="asking",
            progress="empty",
            term=own.term,
            over=own.over,
        )
        self._candidate = Candidate(claim)
        self._key = own.lease_key
        core.answered = self._answered
        self._speaks = False
        """The picture goes out over this connection."""
        self._known: dict[str, Status] = {}
        """The other halls, by name, as they told of themselves last."""
        self._heard_s: dict[str, float] = {}
        """When each hall said something last."""
        self._since_s: float | None = None
        """Since when it speaks over this connection."""
        self._echo = False
        """It has heard itself over this connection."""
        self._picture = NewestPicture()
        """Core's own."""
        self._progress: Progress | None = None
        """None: core has not told its game yet."""
        self._told_us: int | None = None
        """When core told something last."""
        self._settled: str | None = None
        self._settling: str | None = None
        self._unkept: Sentence | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def talk(self, client: LinksClient) -> None:
        """MqttError when the connection breaks."""
        client.heard, client.broke = self._heard, self._reader.broke
        self.lost("")
        self._sender.clear()
        self._known.clear()
        self._candidate.connected()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._sender.send(client))
            await client.subscribe(f"{ROOT}/+/status", qos=1)
            for name in ("lease", "ask", "pause", "press", "claim", "withdraw"):
                await client.subscribe(f"{ROOT}/+/{name}", qos=1 if name != "ask" else 0)
            self._since_s = self._now_s()
            group.create_task(self._keep_claiming())
            await client.until_lost()

    def lost(self, why: str) -> None:
        """The broker is not reached."""
        LOG.debug("no broker: %s", why)
        self._speaks, self._since_s, self._echo = False, None, False

    def relay(self, line: CoreLine) -> None:
        """Core has told a picture or a beat."""
        self._told_us = self._boot_us()
        if line.shown:
            self._show(self._picture.take(line))
        if line.beat and self._speaks:
            self._put("beat", bytes(line.beat))

    def _answered(self, answer: LinkAnswer) -> None:
        if answer.settle is not None and answer.settle.id not in (self._settled, self._settling):
            self._settling = answer.settle.id
            self._start(self._settle(answer.settle))

    async def _settle(self, settlement: Settlement) -> None:
        """A person has decided: the term is on the disk before anybody hears of it."""
        try:
            if settlement.lead:
                decided = self._candidate.decided(self._now_s())
                await self._core.client.ask(AskKeepTerm(term=decided.term, over=list(decided.over)))
                self._candidate.lead(decided)
            else:
                self._candidate.give_way()
            self._settled, self._unkept = settlement.id, None
            self._decide()
        except NO_ANSWER as problem:
            self._unkept = problem.sentence
            self._tell_core()
        finally:
            self._settling = None

    def _now_s(self) -> float:
        return self._boot_us() / 1e6

    def _show(self, new: dict[str, msgspec.Raw]) -> None:
        """These fields of core's picture are new."""
        if "phase" in new:
            phase = msgspec.json.decode(new["phase"], type=Phase)
            session = msgspec.json.decode(self._picture.fields["session"], type=str)
            progress: Progress = PROGRESS.get(phase, "playing")
            if progress != self._progress or session != self._candidate.own.session:
                self._progress = progress
                self._candidate.own = msgspec.structs.replace(self._candidate.own, session=session)
                self._decide()  # followers hear whose picture it is before they have it
        if self._speaks:
            self._tell_picture()
        if "health" in new:
            self._news.health(bytes(new["health"]))

    def _tell_picture(self) -> None:
        """Whole, to other programs as to the halls: a broker keeps one message of a topic, and whoever comes
        has to find the picture in it."""
        self._put("picture", self._picture.encoded(), retain=True)

    async def _keep_claiming(self) -> Never:
        while True:
            self._decide()
            await asyncio.sleep(CLAIM_S)

    def _decide(self) -> None:
        """Say how it stands, begin or cease to speak as the leader, and tell core."""
        if self._progress is None:
            return
        if self._since_s is not None:
            claim = self._candidate.tick(self._now_s(), self._progress)
            self._put("lease", msgspec.json.encode(prove(claim, self._key)))
            if claim.leads and not self._speaks:
                self._begin()
            elif not claim.leads:
                self._speaks = False
            same_name = claim.state == "refused" and self._rival_hall() == claim.hall
            if same_name:
                self._news.hush()
            else:
                self._news.tell(leads=claim.leads, term=claim.term)
        self._tell_core()

    def _rival_hall(self) -> str | None:
        before = self._candidate.before
        return None if before is None else before.hall

    def _begin(self) -> None:
        self._speaks = True
        self._news.begin()
        if self._picture.fields:
            self._tell_picture()

    def _tell_core(self) -> None:
        own, before = self._candidate.own, self._candidate.before
        state, trouble = STATES[own.state], self._unkept
        if trouble is None and before is not None:
            trouble = _why(own, before)
        elif trouble is None and self._unheard:
            state, trouble = "refused", Sentence("link.not_let_lead", hall=own.hall)
        halls = [
            Hall(hall=one.hall, online=self._online(one), software=one.software, boards=one.boards)
            for one in self._known.values()
            if one.hall != own.hall
        ]
        self._core.say(
            AskLink(
                state=state if self._since_s is not None else "no_broker",
                leader=own.hall if own.state == "leading" else self._rival_hall(),
                term=own.term,
                halls=halls,
                trouble=None if trouble is None else view(trouble),
                unread=self._reader.unread(),
                settled=self._settled,
            )
        )

    @property
    def _unheard(self) -> bool:
        """It says that it asks or leads, and the broker has never handed that on over this connection."""
        return not self._echo and self._since_s is not None and self._now_s() - self._since_s >= UNHEARD_S

    def _online(self, one: Status) -> bool:
        """A second leader that gives way says nothing more; a follower goes on asking."""
        silent_s = self._now_s() - self._heard_s.get(one.hall, 0.0)
        return one.state == "online" and (one.role != "follower" or silent_s < SILENT_S)

    def _heard(self, message: MQTTMessage) -> None:
        received_us, own = self._boot_us(), self._candidate.own
        match self._reader.take(message):
            case hall, (Status() | None) as status:
                self._status(hall, status)
            case _, LeaseClaim(run=own.run):
                self._echo = True
            case _, LeaseClaim() as claim:
                self._candidate.hear(believed(claim, self._key), self._now_s())
                if self._candidate.own.state != own.state:
                    self._decide()
            case hall, (
                ClockQuestion() | PressUplink() | PauseUplink() | ClaimUplink() | WithdrawUplink()
            ) as asked:
                if hall in self._known:
                    self._heard_s[hall] = received_us / 1e6
                if not self._speaks or asked.to != own.run:
                    return
                if isinstance(asked, ClockQuestion):
                    self._start(self._answer(hall, asked, received_us))
                else:
                    self._start(self._to_core(hall, asked))

    def _status(self, hall: str, status: Status | None) -> None:
        own = self._news.status
        if status is None:
            self._known.pop(hall, None)
            self._heard_s.pop(hall, None)
        elif status.controller != own.controller:
            for name in [one.hall for one in self._known.values() if one.controller == status.controller]:
                del self._known[name]  # it has been given another name
            if len(self._known) < MOST_HALLS:
                self._known[hall] = status
                self._heard_s[hall] = self._now_s()
        if hall == own.hall and self._speaks and (status is None or status.id != own.id):
            self._news.publish_status()  # it stands in the place of what this one has told
        self._tell_core()

    def _start(self, coroutine: Coroutine[None, None, None]) -> None:
        if len(self._tasks) >= MOST_TASKS:
            coroutine.close()
            return
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, hall: str, asked: ClockQuestion, received_us: int) -> None:
        """Soon, whether the second copy can be read or not: the follower's clock and pause depend on it."""
        parts = await self._parts(hall, asked)
        answer = ClockAnswer(
            sent_us=asked.sent_us,
            received_us=received_us,
            answered_us=self._boot_us(),
            run=self._candidate.own.run,
            core_us=self._told_us,
            parts=parts,
        )
        self._put("answer", msgspec.json.encode(answer), to=hall)

    async def _parts(self, hall: str, asked: ClockQuestion) -> list[CopyPart]:
        try:
            have = {one.file: one.size for one in asked.have or ()}
            return [] if asked.have is None else await self._copy.parts_soon(hall, have)
        except OSError as error:
            LOG.warning("the second copy cannot be read: %s", error)
            return []

    async def _to_core(self, hall: str, uplink: AnyUplink) -> None:
        """Its answer goes back; without one the follower sends it again."""
        try:
            answer = await self._core.client.ask(AskHallCommand(hall=hall, uplink=uplink))
        except NO_ANSWER as problem:
            LOG.warning(
                "%s %s of %s has not reached core: %s", type(uplink).__name__, uplink.key, hall, problem
            )
            return
        result = UplinkResult(
            key=uplink.key,
            run=self._candidate.own.run,
            accepted=answer.accepted or answer.done,
            reasons=answer.reason_keys,
        )
        self._put("result", msgspec.json.encode(result), to=hall, key=uplink.key)

    def _put(self, name: str, payload: bytes, *, to: str = "", retain: bool = False, key: str = "") -> None:
        self._sender.put(topic(self._news.status.hall, name, to), payload, retain=retain, key=key)


def _why(own: LeaseClaim, before: LeaseClaim) -> Sentence:
    """Why this controller does not lead, or not alone, and what to do."""
    if own.state == "divided":
        return Sentence("link.divided", hall=before.hall)
    if before.hall == own.hall:
        return Sentence("link.same_name", hall=own.hall)
    return Sentence("link.another_leads", hall=before.hall, term=before.term)
