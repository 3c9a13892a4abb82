"""A whole controller that shows the game of another hall: lamps, tables, screens and voice go by the leader's
pictures and the leader's time; presses and claims go to the leader.

Two seconds without news its time stands still, and everybody here sees that. The big button stops the hall at
once, whether the leader is heard or not.
"""

import secrets
from functools import partial

import msgspec

from pi_controller.core.following.led import Led, shown
from pi_controller.core.following.outbox import Answered, Outbox
from pi_controller.core.game_loop.boards import NoSuchBoard
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.pending import PANEL, Answer, NotDone, PendingCommand, Refused
from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.game.commands import Claim, Pause, Withdraw
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.halls import BETWEEN, LinkState, LinkView, Uplink
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
        self._heard_ns: int | None = None
        self._lost_ns: int | None = None
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
        """News from the leader. Malformed, and nothing was heard, where its picture is not understood."""
        now_ns = self._timers.boot_ns()
        shift_us = news.error_us - news.offset_us
        before, was_lost = self._led, self._lost_ns is not None or self._heard_ns is None
        if news.picture is not None:
            picture = _read(news.picture)
            self._led = Led(picture, news.leader, min(shift_us, now_ns // NS_PER_US - picture.as_of_us))
        elif before is not None and abs(before.shift_us - shift_us) > MOVED_US:
            latest_us = (self._heard_ns or now_ns) // NS_PER_US - before.picture.as_of_us
            self._led = Led(before.picture, news.leader, min(shift_us, latest_us))
        self._error_us = news.error_us
        self._heard_ns = now_ns
        self._lost_ns = None
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = self._timers.call_at(now_ns + SILENCE_NS, self._silent)
        if was_lost:
            self._report()
        if was_lost or self._led is not before:
            self._loop.changed()

    def tell(self, link: AskLink) -> None:
        """How the links process stands."""
        before, self._link = self._link, link
        if (before.state, before.leader, before.trouble) != (link.state, link.leader, link.trouble):
            self._report()
            self._loop.changed()

    def over(self, own: Picture) -> Picture:
        """What this hall shows in place of its own game."""
        link = self._view()
        if self._led is None:
            return msgspec.structs.replace(own, link=link)
        moments: tuple[tuple[int | None, PauseReason], ...] = (
            (self._stop_ns, "button"),
            (self._lost_ns, "fault"),
        )
        still = [(at_ns, why) for at_ns, why in moments if at_ns is not None]
        return shown(own, self._led, link=link, still=min(still, default=None))

    def press(self, at_ns: int) -> None:
        """The big button: this hall stands still at once, and the leader hears of it."""
        if self.plays and self._stop_ns is None:
            self._stop_ns = at_ns
        uplink = Uplink(key=secrets.token_hex(8), do="press", at_us=at_ns // NS_PER_US)
        self.outbox.put(uplink).add_done_callback(self._answered)
        self._loop.changed()

    async def carry_out(self, pending: PendingCommand) -> Answer:
        """Hand it to the leader. Raises Refused, and NotDone when a person has waited long enough."""
        answered = self.outbox.put(self._uplink(pending))
        refused = await (answered if pending.asker is PANEL else self._soon(answered))
        if refused:
            raise Refused(refused)
        return Answer(accepted=True, seq=self._loop.seq, done=True)

    def done(self, told: AskUplinkDone) -> None:
        """The leader has answered."""
        self.outbox.done(told)

    def stop(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()

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

    def _uplink(self, pending: PendingCommand) -> Uplink:
        """Raises Refused for what is not to be handed over, or names no board of this hall."""
        make = partial(Uplink, key=pending.key or secrets.token_hex(8), at_us=pending.at_ns // NS_PER_US)
        match pending.command:
            case Claim(board=str()) as claim:
                here = self._spelled(claim)
                return make(
                    do="claim",
                    board=here.board,
                    side=here.side,
                    button=here.button,
                    press_error_ms=here.press_error_ms,
                )
            case Withdraw(claim=claim_id):
                return make(do="withdraw", claim=claim_id)
            case Pause() | Claim():
                return make(do="press")
        leader = self._link.leader or "?"
        raise Refused((Sentence("link.directed_elsewhere", hall=leader),))

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
        if not self.outbox.holds("press"):
            self._stop_ns = None
        self._loop.changed()

    def _silent(self) -> None:
        self._lost_ns = self._timers.boot_ns()
        self._report()
        self._loop.changed()

    def _report(self) -> None:
        trouble = None if self._link.trouble is None else sentence(self._link.trouble)
        self._loop.report("link", "warning", trouble)
        lost = None
        if self._heard_ns is None:
            lost = Sentence("link.no_leader_yet")
        elif self._lost_ns is not None:
            lost = Sentence("link.lost", hall=self._leader or "?")
        self._loop.report("leader", "fault", lost)

    @property
    def _leader(self) -> str | None:
        return self._link.leader if self._led is None else self._led.leader

    def _view(self) -> LinkView:
        state: LinkState = self._link.state
        if self._lost_ns is not None and state == "following":
            state = "lost"
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
        )


def _read(picture: object) -> Picture:
    """As a newer or older release wrote it: what this one does not know is left out."""
    try:
        return msgspec.convert({"link": None} | picture if isinstance(picture, dict) else picture, Picture)
    except msgspec.ValidationError as error:
        raise Malformed(Sentence("link.picture_not_understood", why=str(error))) from error
