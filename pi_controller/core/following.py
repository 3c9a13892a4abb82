"""Several halls: what a leader knows of the others, and how a follower shows the leader's game.

A follower is a whole controller: lamps, tables, screens and voice follow the leader's pictures and time;
presses and claims go to the leader. After two seconds without news its time stands still, and everybody sees
that. The big button stops this hall at once, whether the leader is heard or not.
"""

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from pi_controller.core.game_loop.commands import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.pending import PANEL, Answer, CommandRefused, NotDone, PendingCommand
from pi_controller.core.game_loop.picture import NoSuchBoard
from pi_controller.core.runtime import Alarm, Numbers, Timers
from pi_controller.core.tables.claims import PressTimes
from pi_controller.game.commands import Claim, Command, Pause, Press, Withdraw, WrongValue
from pi_controller.language.languages import ENGLISH
from pi_controller.language.words import language_in_turn, words
from pi_controller.protocol.messages import AskFollow, AskHallCommand, AskLink, AskSettle, AskUplinkDone
from pi_controller.protocol.picture import (
    BETWEEN,
    LEADS_NOT,
    AnyUplink,
    ClaimUplink,
    HallView,
    LinkState,
    LinkView,
    NotAllowedView,
    PauseUplink,
    Picture,
    PressUplink,
    Settlement,
    WithdrawUplink,
)
from pi_controller.protocol.question import encode
from pi_controller.protocol.sentences import sayable, sentence, view
from pi_controller.protocol.server import ClientConnection
from pi_controller.sentence import Sentence, listed
from pi_controller.software import known
from pi_controller.vocabulary import PauseReason

# Leader: the other halls and what comes from them.


SOURCE = "hall"
NS_PER_US = 1_000
EARLIEST_NS = 2_000_000_000
"""A press or pause that arrives later than this after its moment stops play on arrival: the other halls have
played on."""
FOLLOWER_SILENT_NS = 5_000_000_000
"""The links process, which reports once a second, counts as silent after this."""


class Leader:
    """Called on the loop only."""

    def __init__(
        self, *, hall: str, loop: GameLoop, commands: CommandQueue, times: PressTimes, timers: Timers
    ) -> None:
        self._hall = hall
        self._loop = loop
        self._commands = commands
        self._times = times
        self._timers = timers
        self._link = AskLink(state="no_broker")
        self._alarm: Alarm | None = None
        self._away_ms: dict[str, int] = {}
        """Since when (ms) halls are away."""
        self._settlement: Settlement | None = None
        self._know_own_claims()
        self._await_news()

    def tell(self, link: AskLink) -> Settlement | None:
        """Report of the links process: its state, the halls it hears, and decisions of people. Returns the
        settlement to be told, if any."""
        before, self._link = self._link, link
        self._await_news()
        if self._settlement is not None and link.settled == self._settlement.id:
            self._settlement = None
        if before != link:
            self._take(before, link)
        return self._settlement

    def _take(self, before: AskLink, link: AskLink) -> None:
        self._loop.boards.take_halls({hall.hall: tuple(hall.boards) for hall in link.halls})
        away = [hall.hall for hall in link.halls if not hall.online]
        now_ms = self._timers.boot_ns() // 1_000_000
        self._away_ms = {hall: self._away_ms.get(hall, now_ms) for hall in away}
        told = Sentence("link.halls_away", halls=listed(away)) if away else None
        self._loop.report("halls", "warning", told)
        others = other_software(link)
        self._loop.report("software", "warning", others)
        self._loop.report("unread", "warning", unread(link))
        trouble = None if link.trouble is None else sentence(link.trouble)
        if link.state == "leading":
            self._loop.obstacles.lead(None)
        if link.state not in LEADS_NOT:
            self._loop.report("link", "warning", trouble)
        elif before.state != link.state:
            self._stop_play(link)
        self._loop.changed()

    def _stop_play(self, link: AskLink) -> None:
        """Pause because another hall leads, or leads too, unless somebody has overridden that."""
        known = Sentence("link.does_not_lead_now") if link.trouble is None else sentence(link.trouble)
        self._loop.obstacles.lead(known)
        self._loop.fault("link", known)

    def settle(self, asked: AskSettle) -> Sentence | None:
        """A person's decision about who leads. Returns a sentence if it is not possible."""
        link = self._link
        if link.state not in LEADS_NOT:
            return Sentence("link.nothing_to_settle")
        leader = self._hall if asked.lead else link.leader
        if leader is not None and asked.hall != leader:
            return Sentence("link.type_the_leader", hall=leader)
        self._settlement = Settlement(id=secrets.token_hex(8), lead=asked.lead)
        return None

    def _know_own_claims(self) -> None:
        """Learn the claims of this hall that the former leader accepted, so that a table that repeats one
        makes no second claim."""
        answers, beginning = self._commands.answers, f"{SOURCE}/{self._hall}/"
        for key in answers.keys(beginning):
            kept = answers.get(key)
            if kept is not None:
                answers.keep(key.removeprefix(beginning), kept)

    async def hall_command(self, asked: AskHallCommand) -> Answer:
        """Submit a command of another hall; it waits in the same queue as this hall's. The same key gets the
        same answer."""
        uplink, now_ns = asked.uplink, self._timers.boot_ns()
        at_ns = uplink.at_us * NS_PER_US
        never: Sentence | None = None
        if isinstance(uplink, ClaimUplink):
            at_ns = self._times.standing(at_ns)
            never = self._times.never(at_ns)
        elif not isinstance(uplink, WithdrawUplink):
            at_ns = at_ns if 0 <= now_ns - at_ns <= EARLIEST_NS else now_ns
        pending = PendingCommand(
            name=str(uplink.__struct_config__.tag),
            body={"hall": asked.hall, "key": uplink.key, "source": uplink.source},
            command=_command(asked.hall, uplink),
            source=SOURCE,
            at_ns=min(at_ns, now_ns),
            key=_key(asked),
        )
        if never is not None and not self.decided(asked):
            self._commands.refuse(pending, never)
        return await self._commands.carry_out(pending)

    def decided(self, asked: AskHallCommand) -> bool:
        """Whether it was accepted or finally refused. What failed for a temporary reason, such as a silent
        disk, is to be sent again."""
        return self._commands.answers.get(_key(asked)) is not None

    def view(self) -> LinkView:
        """The link's part of the picture."""
        link = self._link
        return LinkView(
            role="leader",
            hall=self._hall,
            state=link.state,
            leader=link.leader,
            term=link.term,
            error_ms=None,
            heard_ms=None,
            stopped=False,
            halls=[
                HallView(
                    hall=one.hall,
                    online=one.online,
                    software=one.software.version,
                    source=one.software.source,
                    boards=len(one.boards),
                    away_ms=self._away_ms.get(one.hall),
                )
                for one in link.halls
            ],
            trouble=link.trouble,
        )

    def stop(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()

    def _await_news(self) -> None:
        self.stop()
        self._alarm = self._timers.call_at(self._timers.boot_ns() + FOLLOWER_SILENT_NS, self._silent)

    def _silent(self) -> None:
        lost: LinkState = "lost"
        self._alarm = None
        self._link = AskLink(state=lost, term=self._link.term, halls=self._link.halls)
        self._loop.report("link", "warning", Sentence("link.process_silent"))
        self._loop.changed()


def _key(asked: AskHallCommand) -> str:
    return f"{SOURCE}/{asked.hall}/{asked.uplink.key}"


def _command(hall: str, uplink: AnyUplink) -> Command:
    """The command for this core, with the board named with its hall."""
    match uplink:
        case ClaimUplink(board=board, press_error_ms=error_ms):
            apart_ms = -(-uplink.error_us // 1_000)
            return Claim(
                None if board is None else f"{hall}{BETWEEN}{board}",
                uplink.side,
                uplink.button,
                press_error_ms=error_ms if error_ms is None else error_ms + apart_ms,
            )
        case WithdrawUplink(claim=claim):
            return Withdraw(claim)
        case PauseUplink():
            return Pause()
    return Press()


def other_software(link: AskLink) -> Sentence | None:
    """A sentence about halls that run other software than this one, as far as known."""
    own = known()
    others = [
        one.hall
        for one in link.halls
        if one.online and one.software != own and one.software.source and own.source
    ]
    return Sentence("link.other_software", halls=listed(others)) if others else None


def unread(link: AskLink) -> Sentence | None:
    """A sentence about malformed messages from the broker."""
    if not link.unread:
        return None
    most = max(link.unread, key=lambda one: one.count)
    count = sum(one.count for one in link.unread)
    return Sentence("link.unread", topic=most.topic, times=count)


# The leader's picture as this hall shows it. Pure.


NS_PER_MS = 1_000_000
FORWARDED = frozenset({"claim", "withdraw", "pause"})
"""Commands that a follower hands to its leader; all others are given in the leader's hall."""


@dataclass(frozen=True, slots=True)
class Led:
    """A picture of the leader. `shift_us` is added to its clock to get this core's, including the clock's
    possible error, so that nothing here is early."""

    picture: Picture
    leader: str
    shift_us: int

    def left_us(self, now_ns: int) -> int:
        """Game time in µs left in the phase at this moment."""
        left = self.picture.remaining_us
        if not self.picture.running:
            return left
        passed_us = max(0, now_ns // NS_PER_US - self.picture.as_of_us - self.shift_us)
        return max(0, left - int(passed_us * self.picture.rate))


Still = tuple[int, PauseReason]
"""Since when (CLOCK_BOOTTIME) time stands still, and why."""


def shown(own: Picture, led: Led, *, link: LinkView, still: list[Still]) -> Picture:
    """The leader's game in a picture of this core. Time stands still from the first of `still` on."""
    theirs, shift_ms = led.picture, led.shift_us // 1_000
    tags = tuple(code.replace("_", "-") for code in own.languages)
    message = theirs.message
    if message is not None and message.until_ms is not None:
        message = replace(message, until_ms=message.until_ms + shift_ms)
    closes_at_ms = None if theirs.closes_at_ms is None else theirs.closes_at_ms + shift_ms
    as_of_us = theirs.as_of_us + led.shift_us
    as_here = replace(
        theirs,
        session=own.session,
        seq=own.seq,
        saved_seq=own.saved_seq,
        as_of_us=as_of_us,
        as_of_ms=as_of_us // 1_000,
        message=message,
        closes_at_ms=closes_at_ms,
        identify=own.identify,
        sound=own.sound,
        caption=own.caption,
        health=own.health,
        languages=own.languages,
        language=language_in_turn(theirs.phase, theirs.round, tags),
        allowed=_allowed(own, theirs.allowed, Sentence("link.directed_elsewhere", hall=led.leader), tags),
        link=link,
    )
    return _still(as_here, link, led, still) if still else as_here


def unled(own: Picture, *, link: LinkView) -> Picture:
    """The picture before the first news: commands for the leader are refused until there is one."""
    tags = tuple(code.replace("_", "-") for code in own.languages)
    return replace(own, link=link, allowed=_allowed(own, {}, Sentence("link.no_leader_yet"), tags))


def _still(picture: Picture, link: LinkView, led: Led, still: list[Still]) -> Picture:
    since_ns = min(at_ns for at_ns, _ in still)
    # Whoever presses the button must see that it was heard, even if time stood still before.
    why: PauseReason = "button" if "button" in [reason for _, reason in still] else "fault"
    left_us = led.left_us(since_ns)
    if not picture.running and picture.resume_in_ms is None:
        return picture
    return replace(
        picture,
        link=replace(link, frozen=True),
        paused=True,
        running=False,
        resume_in_ms=None,
        pause_reasons=[*picture.pause_reasons, why],
        as_of_us=since_ns // NS_PER_US,
        as_of_ms=since_ns // NS_PER_MS,
        remaining_us=left_us,
        remaining_ms=-(-left_us // 1_000),
    )


def _allowed(
    own: Picture, theirs: Mapping[str, NotAllowedView | None], why: Sentence, tags: tuple[str, ...]
) -> dict[str, NotAllowedView | None]:
    """For each command of this core: those handed over as the leader says, the others refused with this
    reason."""
    said = words(why, tags[0] if tags else ENGLISH)
    against = NotAllowedView(reasons=[said], keys=[view(why)], override=False)
    return {
        name: theirs.get(name) if name in FORWARDED else None if name == "identify" else against
        for name in own.allowed
    }


# Outbox: what a follower sends to its leader, kept until the leader has answered.


Answered = asyncio.Future[tuple[Sentence, ...]]
"""Resolves to the leader's reasons for refusal; empty: accepted."""


class LeaderRequests:
    """Called on the loop only. Each watcher gets everything, once per connection."""

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self._waiting: dict[str, tuple[AnyUplink, Answered]] = {}
        self._watchers: set[ClientConnection] = set()

    def __len__(self) -> int:
        return len(self._waiting)

    def holds(self, *kinds: type[AnyUplink]) -> bool:
        """Whether something of these kinds is unanswered."""
        return any(isinstance(uplink, kinds) for uplink, _ in self._waiting.values())

    @property
    def waiting(self) -> int:
        """Number of unanswered presses and claims."""
        return len(self._waiting)

    def put(self, uplink: AnyUplink) -> Answered:
        """Send this to the leader. Resolves to its reasons for refusal; empty: accepted. A repeated key is
        the same item."""
        known = self._waiting.get(uplink.key)
        if known is not None:
            return known[1]
        answered = self._timers.future()
        self._waiting[uplink.key] = (uplink, answered)
        line = encode({"uplink": uplink})
        for client in self._watchers:
            client.send(line)
        return answered

    def watch(self, client: ClientConnection) -> None:
        """Send this client everything that waits, and what comes later."""
        self._watchers.add(client)
        client.on_close.append(lambda: self._watchers.discard(client))
        for uplink, _ in self._waiting.values():
            client.send(encode({"uplink": uplink}))

    def done(self, told: AskUplinkDone) -> None:
        """Take the leader's answer; ignored if nobody waits for it."""
        _, answered = self._waiting.pop(told.key, (None, None))
        if answered is not None and not answered.done():
            refusal = sayable(told.reasons) or (Sentence("link.refused"),)
            answered.set_result(() if told.accepted else refusal)


LEADER_SILENT_NS = 2_000_000_000
"""Time after the last news at which time stands still here."""
ANSWER_NS = 5_000_000_000
"""Longest wait of a person for the leader's answer; a table waits on."""
MOVED_US = 1_000
"""Show the picture anew if the leader's clock estimate has moved by this much."""
STOPS = (PressUplink, PauseUplink)


class Follower:
    """The leader's game, in place of the loop's own (`Elsewhere`). Called on the loop only."""

    def __init__(self, *, hall: str, loop: GameLoop, timers: Timers) -> None:
        self.outbox = LeaderRequests(timers)
        self._hall = hall
        self._loop = loop
        self._timers = timers
        self._led: Led | None = None
        self._link = AskLink(state="looking")
        self._error_us: int | None = None
        """How far this hall may be behind its leader: the possible error of the clock, by which everything is
        shown later so that nothing is early."""
        self._heard_ns: int | None = None
        """When the leader's core was last known to be alive."""
        self._lost_ns: int | None = None
        """Since when time stands still here for lack of news."""
        self._taken_ns = 0
        """When the shown picture arrived."""
        self._stop_ns: int | None = None
        self._alarm: Alarm | None = None
        self._report()

    @property
    def plays(self) -> bool:
        """True if the leader's clock or 3-2-1 runs, as far as is known here."""
        led = self._led
        return led is not None and (led.picture.running or led.picture.resume_in_ms is not None)

    def board(self, name: str) -> str:
        """The leader's name of this board."""
        return f"{self._hall}{BETWEEN}{name}"

    def hear(self, news: AskFollow) -> None:
        """Take news from the leader."""
        now_ns, picture = self._timers.boot_ns(), news.picture
        before, lived = self._led, self._lives
        if before is not None and before.leader != news.leader:
            self._heard_ns = None
        if news.heard_us is not None:
            self._heard_ns = max(self._heard_ns or 0, min(news.heard_us * NS_PER_US, now_ns))
        if self._heard_ns is not None:
            lost_ns = self._heard_ns + LEADER_SILENT_NS
            self._lost_ns = lost_ns if lost_ns <= now_ns else None
            self._await_news(lost_ns)
        if picture is not None:
            self._take(picture, news, now_ns)
        elif before is not None and news.offset_us is not None and self._lives:
            shift_us = news.error_us - news.offset_us
            if abs(before.shift_us - shift_us) > MOVED_US:
                latest_us = self._taken_ns // NS_PER_US - before.picture.as_of_us
                self._led = Led(before.picture, news.leader, min(shift_us, latest_us))
        self._error_us = None if news.offset_us is None else 2 * news.error_us
        if lived != self._lives or self._led is not before:
            self._report()
            self._loop.changed()

    @property
    def _lives(self) -> bool:
        """The leader's core has given a sign of life."""
        return self._heard_ns is not None and self._lost_ns is None

    def _take(self, picture: Picture, news: AskFollow, now_ns: int) -> None:
        """Take the leader's newest picture. If the leader is not known to be alive, nobody knows how long its
        time ran on: it stands still where the leader was last known to be alive, otherwise at the picture's
        own moment."""
        frozen_us = now_ns // NS_PER_US - picture.as_of_us
        if news.offset_us is not None and self._heard_ns is not None:
            shift_us = min(news.error_us - news.offset_us, frozen_us)
            lost_ns = None if self._lives else self._heard_ns + LEADER_SILENT_NS
        elif self._lives or (self._led is not None and self._led.picture.as_of_us == picture.as_of_us):
            return
        else:
            shift_us, lost_ns = frozen_us, now_ns
        self._led, self._lost_ns, self._taken_ns = Led(picture, news.leader, shift_us), lost_ns, now_ns

    def _await_news(self, lost_ns: int) -> None:
        self.stop()
        if self._lost_ns is None:
            self._alarm = self._timers.call_at(lost_ns, self._silent)

    def tell(self, link: AskLink) -> None:
        """Take a report of the links process."""
        before, self._link = self._link, link
        if before != link:
            self._report()
            self._loop.changed()

    def over(self, own: Picture) -> Picture:
        """The picture to show in place of the own game."""
        link = self._view()
        if self._led is None:
            return unled(own, link=link)
        moments: tuple[tuple[int | None, PauseReason], ...] = (
            (self._stop_ns, "button"),
            (self._lost_ns, "fault"),
        )
        still = [(at_ns, why) for at_ns, why in moments if at_ns is not None]
        return shown(own, self._led, link=link, still=still)

    def press(self, at_ns: int) -> None:
        """The big button: stop this hall at once and tell the leader."""
        self._put(PressUplink(key=secrets.token_hex(8), at_us=at_ns // NS_PER_US, source="button"))

    async def carry_out(self, pending: PendingCommand) -> Answer:
        """Hand a command to the leader. Raises Refused, or NotDone after ANSWER_NS."""
        try:
            answered = self._put(self._uplink(pending))
        except WrongValue as error:
            raise CommandRefused((error.sentence,)) from error
        refused = await (answered if pending.asker is PANEL else self._soon(answered))
        if refused:
            raise CommandRefused(refused)
        return Answer(accepted=True, seq=self._loop.seq, done=True)

    def done(self, told: AskUplinkDone) -> None:
        """Take an answer of the leader."""
        self.outbox.done(told)
        self._loop.changed()

    def figures(self) -> Numbers:
        """Figures for the metrics. Unknown ones are left out: a 0 would look like a good value."""
        numbers: Numbers = {"link_unanswered": len(self.outbox)}
        if self._error_us is not None:
            numbers["link_clock_error_seconds"] = self._error_us / 1e6
        if self._heard_ns is not None:
            numbers["link_heard_age_seconds"] = (self._timers.boot_ns() - self._heard_ns) / 1e9
        return numbers

    def stop(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()

    def _put(self, uplink: AnyUplink) -> Answered:
        """Send to the leader. A press or pause stops this hall until the leader has answered."""
        answered = self.outbox.put(uplink)
        if isinstance(uplink, STOPS):
            if self.plays and self._stop_ns is None:
                self._stop_ns = uplink.at_us * NS_PER_US
            answered.add_done_callback(self._answered)
        self._loop.changed()
        return answered

    async def _soon(self, answered: Answered) -> tuple[Sentence, ...]:
        """The leader's answer. Raises NotDone after ANSWER_NS; the answer may still come later."""
        waiting: Answered = self._timers.future()

        def give_up() -> None:
            if not waiting.done():
                waiting.set_exception(NotDone(Sentence("link.on_its_way")))

        def tell(answered: Answered) -> None:
            if not waiting.done():
                waiting.set_result(answered.result())

        answered.add_done_callback(tell)
        alarm = self._timers.call_at(self._timers.boot_ns() + ANSWER_NS, give_up)
        try:
            return await waiting
        finally:
            alarm.cancel()

    def _uplink(self, pending: PendingCommand) -> AnyUplink:
        """The message for the leader. Raises Refused for commands that are not handed over, and for unknown
        boards."""
        key, at_us, source = (
            pending.key or secrets.token_hex(8),
            pending.at_ns // NS_PER_US,
            pending.source,
        )
        match pending.command:
            case Claim() as claim:
                here = claim if claim.board is None else self._spelled(claim)
                return ClaimUplink(
                    key=key,
                    at_us=at_us,
                    source=source,
                    board=here.board,
                    side=here.side,
                    button=here.button,
                    press_error_ms=here.press_error_ms,
                )
            case Withdraw(claim=claim_id):
                return WithdrawUplink(key=key, at_us=at_us, source=source, claim=claim_id)
            case Pause():
                return PauseUplink(key=key, at_us=at_us, source=source)
        if self._led is None:
            raise CommandRefused((Sentence("link.no_leader_yet"),))
        raise CommandRefused((Sentence("link.directed_elsewhere", hall=self._led.leader),))

    def _spelled(self, claim: Claim) -> Claim:
        """The claim with its board as the roster spells it, without the hall's name."""
        own = msgspec.structs.replace(claim, board=(claim.board or "").removeprefix(self.board("")))
        try:
            spelled = self._loop.boards.spelled(own)
        except NoSuchBoard as error:
            raise CommandRefused((error.sentence,)) from error
        return spelled if isinstance(spelled, Claim) else own

    def _answered(self, _: Answered) -> None:
        """After an answer the leader's picture says whether play is paused, unless another press is still
        unanswered."""
        if not self.outbox.holds(*STOPS):
            self._stop_ns = None
        self._loop.changed()

    def _silent(self) -> None:
        self._lost_ns = self._timers.boot_ns()
        self._report()
        self._loop.changed()

    def _report(self) -> None:
        trouble = None if self._link.trouble is None else sentence(self._link.trouble)
        self._loop.report("link", "warning", trouble)
        self._loop.report("software", "warning", other_software(self._link))
        self._loop.report("unread", "warning", unread(self._link))
        lost = None
        if self._lost_ns is not None:
            lost = Sentence("link.lost", hall=self._leader or "?")
        elif self._heard_ns is None:
            lost = Sentence("link.no_leader_yet")
        self._loop.report("leader", "fault", lost)

    @property
    def _leader(self) -> str | None:
        return self._link.leader if self._led is None else self._led.leader

    def _view(self) -> LinkView:
        state: LinkState = self._link.state
        if state == "following" and not self._lives:
            state = "looking" if self._led is None else "lost"
        return LinkView(
            role="follower",
            hall=self._hall,
            state=state,
            leader=self._leader,
            term=self._link.term,
            error_ms=None if self._error_us is None else self._error_us / 1_000,
            heard_ms=None if self._heard_ns is None else self._heard_ns // 1_000_000,
            stopped=self._stop_ns is not None,
            halls=[],
            lost_ms=None if self._lost_ns is None else (self._heard_ns or self._lost_ns) // 1_000_000,
            waiting=self.outbox.waiting,
            trouble=self._link.trouble,
        )
