"""A leader's further halls: what they have for its game, and which there are."""

from pi_controller.core.game_loop.command_queue import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.pending import Answer, PendingCommand
from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.core.tables.press_times import PressTimes
from pi_controller.game.commands import Claim, Press, Withdraw
from pi_controller.protocol.halls import BETWEEN, HallView, LinkState, LinkView, Uplink
from pi_controller.protocol.messages import AskHallCommand, AskLink
from pi_controller.protocol.sentences import sentence
from pi_controller.sentence import Sentence

SOURCE = "hall"
NS_PER_US = 1_000
EARLIEST_NS = 2_000_000_000
"""A press of the big button that comes later than this stops play when it comes: all other halls have played
on."""
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
        self._know_own_claims()
        self._await_news()

    def tell(self, link: AskLink) -> None:
        """How the links process stands, and which halls it has heard of."""
        before, self._link = self._link, link
        self._await_news()
        if (before.state, before.term, before.halls, before.trouble) == (
            link.state,
            link.term,
            link.halls,
            link.trouble,
        ):
            return
        self._loop.boards.take_halls({hall.hall: tuple(hall.boards) for hall in link.halls})
        away = [hall.hall for hall in link.halls if not hall.online]
        now_ms = self._timers.boot_ns() // 1_000_000
        self._away_ms = {hall: self._away_ms.get(hall, now_ms) for hall in away}
        told = Sentence("link.halls_away", halls=", ".join(away)) if away else None
        self._loop.report("halls", "warning", told)
        self._loop.report("link", "warning", None if link.trouble is None else sentence(link.trouble))
        self._loop.changed()

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
        command: Claim | Press | Withdraw
        if uplink.do == "claim":
            at_ns = self._times.standing(at_ns)
            never = self._times.never(at_ns)
            command = _claim(asked.hall, uplink)
        elif uplink.do == "withdraw":
            command = Withdraw(uplink.claim or "")
        else:
            command = Press()
            at_ns = at_ns if 0 <= now_ns - at_ns <= EARLIEST_NS else now_ns
        pending = PendingCommand(
            name=uplink.do,
            body={"hall": asked.hall, "key": uplink.key},
            command=command,
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
                    software=one.software,
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


def _claim(hall: str, uplink: Uplink) -> Claim:
    """At the board of that hall."""
    return Claim(
        f"{hall}{BETWEEN}{uplink.board}",
        uplink.side,
        uplink.button,
        press_error_ms=uplink.press_error_ms,
    )
