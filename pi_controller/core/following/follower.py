"""A whole controller that shows the game of another hall: lamps, tables, screens and voice go by the leader's
pictures and the leader's time; presses and claims go to the leader.

Two seconds without news its time stands still, and everybody here sees that. The big button stops the hall at
once, whether the leader is heard or not.
"""

import secrets

import msgspec

from pi_controller.core.following.leading import other_software, unread
from pi_controller.core.following.led import Led, shown, unled
from pi_controller.core.following.outbox import Answered, Outbox
from pi_controller.core.game_loop.boards import NoSuchBoard
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.pending import PANEL, Answer, NotDone, PendingCommand, Refused
from pi_controller.core.runtime.metrics import Numbers
from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.game.commands import Claim, Pause, Withdraw, WrongValue
from pi_controller.protocol.halls import (
    BETWEEN,
    AnyUplink,
    ClaimUplink,
    LinkState,
    LinkView,
    PauseUplink,
    PressUplink,
    WithdrawUplink,
)
from pi_controller.protocol.messages import AskFollow, AskLink, AskUplinkDone
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.sentences import sentence
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import PauseReason

SILENCE_NS = 2_000_000_000
"""So long after the last news time stands still here."""
ANSWER_NS = 5_000_000_000
"""A person waits no longer for the leader's answer; a table waits on."""
MOVED_US = 1_000
"""The leader's clock is known better by so much: shown anew."""
NS_PER_US = 1_000
STOPS = (PressUplink, PauseUplink)


class Follower:
    """What a game loop goes by while its game is elsewhere (`game_loop.pending.Elsewhere`). Called on the
    loop only."""

    def __init__(self, *, hall: str, loop: GameLoop, timers: Timers) -> None:
        self.outbox = Outbox(timers)
        self._hall = hall
        self._loop = loop
        self._timers = timers
        self._led: Led | None = None
        self._link = AskLink(state="looking")
        self._error_us: int | None = None
        """How far behind its leader this hall may be: its clock may be off by so much either way, and what is
        shown comes as much later, so that nothing is early."""
        self._heard_ns: int | None = None
        """When its core was last known to live."""
        self._lost_ns: int | None = None
        """Since when time stands still here because it is not."""
        self._taken_ns = 0
        """When the picture came that is shown."""
        self._stop_ns: int | None = None
        self._alarm: Alarm | None = None
        self._report()

    @property
    def plays(self) -> bool:
        """The leader's clock runs, as far as is known here, or is about to."""
        led = self._led
        return led is not None and (led.picture.running or led.picture.resume_in_ms is not None)

    def board(self, name: str) -> str:
        """What the leader calls this board."""
        return f"{self._hall}{BETWEEN}{name}"

    def hear(self, news: AskFollow) -> None:
        """News from the leader."""
        now_ns, picture = self._timers.boot_ns(), news.picture
        before, lived = self._led, self._lives
        if before is not None and before.leader != news.leader:
            self._heard_ns = None
        if news.heard_us is not None:
            self._heard_ns = max(self._heard_ns or 0, min(news.heard_us * NS_PER_US, now_ns))
        if self._heard_ns is not None:
            lost_ns = self._heard_ns + SILENCE_NS
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
        """The leader's core was heard just now."""
        return self._heard_ns is not None and self._lost_ns is None

    def _take(self, picture: Picture, news: AskFollow, now_ns: int) -> None:
        """The leader's newest picture. Of a leader that is not known to live nobody knows for how long its
        time ran on: it stands still, where it was heard living as of then, else as the picture has it."""
        frozen_us = now_ns // NS_PER_US - picture.as_of_us
        if news.offset_us is not None and self._heard_ns is not None:
            shift_us = min(news.error_us - news.offset_us, frozen_us)
            lost_ns = None if self._lives else self._heard_ns + SILENCE_NS
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
        """How the links process stands."""
        before, self._link = self._link, link
        if before != link:
            self._report()
            self._loop.changed()

    def over(self, own: Picture) -> Picture:
        """What this hall shows in place of its own game."""
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
        """The big button: this hall stands still at once, and the leader hears of it."""
        self._put(PressUplink(key=secrets.token_hex(8), at_us=at_ns // NS_PER_US, source="button"))

    async def carry_out(self, pending: PendingCommand) -> Answer:
        """Hand it to the leader. Raises Refused, and NotDone when a person has waited long enough."""
        try:
            answered = self._put(self._uplink(pending))
        except WrongValue as error:
            raise Refused((error.sentence,)) from error
        refused = await (answered if pending.asker is PANEL else self._soon(answered))
        if refused:
            raise Refused(refused)
        return Answer(accepted=True, seq=self._loop.seq, done=True)

    def done(self, told: AskUplinkDone) -> None:
        """The leader has answered."""
        self.outbox.done(told)
        self._loop.changed()

    def figures(self) -> Numbers:
        """For the metrics. What is not known yet is left out: a 0 would look like a good one."""
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
        """A press of the big button or a pause stops this hall until the leader has answered."""
        answered = self.outbox.put(uplink)
        if isinstance(uplink, STOPS):
            if self.plays and self._stop_ns is None:
                self._stop_ns = uplink.at_us * NS_PER_US
            answered.add_done_callback(self._answered)
        self._loop.changed()
        return answered

    async def _soon(self, answered: Answered) -> tuple[Sentence, ...]:
        """The leader's answer; it may come after this has raised NotDone."""
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
        """Raises Refused for what is not to be handed over, or names no board of this hall."""
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
            raise Refused((Sentence("link.no_leader_yet"),))
        raise Refused((Sentence("link.directed_elsewhere", hall=self._led.leader),))

    def _spelled(self, claim: Claim) -> Claim:
        """With its board as the roster spells it, without the hall before it."""
        own = msgspec.structs.replace(claim, board=(claim.board or "").removeprefix(self.board("")))
        try:
            spelled = self._loop.boards.spelled(own)
        except NoSuchBoard as error:
            raise Refused((error.sentence,)) from error
        return spelled if isinstance(spelled, Claim) else own

    def _answered(self, _: Answered) -> None:
        """The leader's own picture says now whether play is paused; another press may still be on its way."""
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
