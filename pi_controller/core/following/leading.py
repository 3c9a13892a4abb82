"""A leader's further halls: what they have for its game, and which there are."""

import secrets

from pi_controller.core.game_loop.command_queue import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.pending import Answer, PendingCommand
from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.core.tables.press_times import PressTimes
from pi_controller.game.commands import Claim, Command, Pause, Press, Withdraw
from pi_controller.protocol.halls import (
    BETWEEN,
    LEADS_NOT,
    AnyUplink,
    ClaimUplink,
    HallView,
    LinkState,
    LinkView,
    PauseUplink,
    Settlement,
    WithdrawUplink,
)
from pi_controller.protocol.messages import AskHallCommand, AskLink, AskSettle
from pi_controller.protocol.sentences import sentence
from pi_controller.sentence import Sentence
from pi_controller.software import known

SOURCE = "hall"
NS_PER_US = 1_000
EARLIEST_NS = 2_000_000_000
"""A press of the big button or a pause that comes later than this stops play when it comes: all other halls
have played on."""
SILENCE_NS = 5_000_000_000
"""The links process tells once a second how it stands."""


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
        """Since when halls are away."""
        self._settlement: Settlement | None = None
        self._know_own_claims()
        self._await_news()

    def tell(self, link: AskLink) -> Settlement | None:
        """How the links process stands, and which halls it has heard of; what a person has decided."""
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
        told = Sentence("link.halls_away", halls=", ".join(away)) if away else None
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
        """Another one leads, or does too: no clock runs here beside its own, unless somebody insists."""
        known = Sentence("link.does_not_lead_now") if link.trouble is None else sentence(link.trouble)
        self._loop.obstacles.lead(known)
        self._loop.fault("link", known)

    def settle(self, asked: AskSettle) -> Sentence | None:
        """A person decides; why not, where that cannot be."""
        link = self._link
        if link.state not in LEADS_NOT:
            return Sentence("link.nothing_to_settle")
        leader = self._hall if asked.lead else link.leader
        if leader is not None and asked.hall != leader:
            return Sentence("link.type_the_leader", hall=leader)
        self._settlement = Settlement(id=secrets.token_hex(8), lead=asked.lead)
        return None

    def _know_own_claims(self) -> None:
        """What the leader before this one took from this hall is known here by its own key: a table that
        tells it again makes no second claim."""
        answers, beginning = self._commands.answers, f"{SOURCE}/{self._hall}/"
        for key in answers.keys(beginning):
            kept = answers.get(key)
            if kept is not None:
                answers.keep(key.removeprefix(beginning), kept)

    async def hall_command(self, asked: AskHallCommand) -> Answer:
        """The same answer for the same key. It stands in the same queue as what comes from this hall."""
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
        """Whether it was accepted or refused for good. What was not done for a reason that passes, such as a
        disk that does not answer, is to be asked again."""
        return self._commands.answers.get(_key(asked)) is not None

    def view(self) -> LinkView:
        """For the picture."""
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
        self._alarm = self._timers.call_at(self._timers.boot_ns() + SILENCE_NS, self._silent)

    def _silent(self) -> None:
        lost: LinkState = "lost"
        self._alarm = None
        self._link = AskLink(state=lost, term=self._link.term, halls=self._link.halls)
        self._loop.report("link", "warning", Sentence("link.process_silent"))
        self._loop.changed()


def _key(asked: AskHallCommand) -> str:
    return f"{SOURCE}/{asked.hall}/{asked.uplink.key}"


def _command(hall: str, uplink: AnyUplink) -> Command:
    """Here, with the board as it is called in that hall."""
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
    """Which of the other halls run other software than this one, as far as both are known."""
    own = known()
    others = [
        one.hall
        for one in link.halls
        if one.online and one.software != own and one.software.source and own.source
    ]
    return Sentence("link.other_software", halls=", ".join(others)) if others else None


def unread(link: AskLink) -> Sentence | None:
    """What has come over the broker and was not what it should be."""
    if not link.unread:
        return None
    most = max(link.unread, key=lambda one: one.count)
    count = sum(one.count for one in link.unread)
    return Sentence("link.unread", topic=most.topic, times=count)
