"""The path of a command, from received to answered.

The press of the big button takes another path, since it must not wait (`GameLoop.press`).
"""

import asyncio
import logging
from collections import deque
from typing import TypeVar

from pi_controller.core.game_loop.loop import GameLoop, Lines
from pi_controller.core.game_loop.opening import Arming, CannotArm
from pi_controller.core.game_loop.pending import (
    KEY_REUSED,
    Answer,
    CommandRefused,
    KeptAnswers,
    NotDone,
    PendingCommand,
    RemoteGame,
    SeenPicture,
)
from pi_controller.core.game_loop.picture import GameTime, NoSuchBoard
from pi_controller.core.runtime import Tasks, Timers
from pi_controller.defects import awaited_value_of
from pi_controller.game.commands import Claim, Command, Contribute, Start, Undo, Verdict
from pi_controller.game.game import Decision, Game
from pi_controller.protocol.commands import Arm, Identify
from pi_controller.sentence import Sentence

# Turns: commands are carried out one at a time, in order of arrival, each within a time limit.


PATIENCE_NS = 5_000_000_000
"""Longest time from receipt to the end of a command; after that it is refused and not carried out. Clients
wait longer than this."""

TOO_LATE = Sentence("answer.disk_kept_it_waiting", seconds=PATIENCE_NS // 1_000_000_000)

Value = TypeVar("Value")


class CommandLock:
    """A lock with an order: `take` waits for the turn, `end` passes it on. Called on the loop only."""

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self._taken = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def take(self, deadline_ns: int) -> None:
        """Wait for the turn. Raises NotDone if it has not come by this CLOCK_BOOTTIME."""
        if not self._taken:
            self._taken = True
            return
        turn: asyncio.Future[None] = self._timers.future()
        self._waiting.append(turn)
        await self.before(deadline_ns, turn)

    def next(self) -> asyncio.Future[None]:
        """The turn after the present one, ahead of everybody who waits already. No deadline."""
        turn: asyncio.Future[None] = self._timers.future()
        self._waiting.appendleft(turn)
        return turn

    def end(self) -> None:
        """Pass the turn to the next in line, if any."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._taken = False

    async def before(self, deadline_ns: int, future: asyncio.Future[Value]) -> Value:
        """The future's result. Raises NotDone if there is none by this CLOCK_BOOTTIME."""

        def give_up() -> None:
            if not future.done():
                future.set_exception(NotDone(TOO_LATE))

        alarm = self._timers.call_at(deadline_ns, give_up)
        try:
            return await future
        finally:
            alarm.cancel()


log = logging.getLogger(__name__)

ASKER_GONE = Sentence("answer.asker_gone")


class CommandQueue:
    """Carries out commands, one at a time in order of arrival. Called on the loop only.

    `answers` are those kept for this game's journal.
    """

    def __init__(
        self,
        *,
        loop: GameLoop,
        answers: KeptAnswers,
        arming: Arming,
        timers: Timers,
        tasks: Tasks,
    ) -> None:
        self.answers = answers
        self._loop = loop
        self._arming = arming
        self._timers = timers
        self._tasks = tasks
        self._turns = CommandLock(timers)

    def start(self, pending: PendingCommand) -> None:
        """Carry it out; nobody waits for the answer."""
        self._tasks.start(self.carry_out(pending))

    async def carry_out(self, pending: PendingCommand) -> Answer:
        """Wait for the turn, check, decide, show, write; returns the answer once it is on the disk. An
        exception inside, which is a defect of this program, is answered too."""
        answer = await awaited_value_of(self._carry_out(pending))
        if isinstance(answer, Exception):
            reason = self._loop.broke_off(answer, f"{pending.name} by {pending.source}")
            return Answer(accepted=False, seq=self._loop.seq, reasons=(reason,))
        return answer

    async def _carry_out(self, pending: PendingCommand) -> Answer:
        deadline_ns = self._timers.boot_ns() + PATIENCE_NS
        try:
            if (elsewhere := self._loop.elsewhere) is not None and not isinstance(pending.command, Identify):
                return await self._hand_over(pending, elsewhere)
            if not self._was_done(pending):
                await self._turns.take(deadline_ns)
                try:
                    if not self._was_done(pending):
                        await self._do(pending, deadline_ns)
                finally:
                    self._turns.end()
        except (CommandRefused, NotDone) as refusal:
            return Answer(accepted=False, seq=self._loop.seq, reasons=refusal.reasons)
        seq = self._loop.seq
        trouble = await self._loop.saves.on_disk()
        reasons = () if trouble is None else (Sentence("answer.done_but_not_saved", trouble=trouble),)
        return Answer(accepted=trouble is None, seq=seq, reasons=reasons, done=True)

    def refuse(self, pending: PendingCommand, sentence: Sentence) -> None:
        """Record a refusal for the command's key, replacing an earlier answer, without asking the game."""
        self._keep(pending, accepted=False, reasons=(sentence,))

    async def _hand_over(self, pending: PendingCommand, elsewhere: RemoteGame) -> Answer:
        """Hand the command to the core whose game this is. Its answer is kept while this core runs."""
        try:
            if self._was_done(pending):
                return Answer(accepted=True, seq=self._loop.seq, done=True)
            answer = await elsewhere.carry_out(pending)
        except CommandRefused as refusal:
            self._keep_here(pending, accepted=False, reasons=refusal.reasons)
            raise
        self._keep_here(pending, accepted=True)
        return answer

    def _keep_here(
        self, pending: PendingCommand, *, accepted: bool, reasons: tuple[Sentence, ...] = ()
    ) -> None:
        if pending.key is not None:
            self.answers.keep(pending.key, pending.kept(accepted=accepted, reasons=reasons))

    async def _do(self, pending: PendingCommand, deadline_ns: int) -> None:
        """Carry out the command; the caller holds the turn. Raises Refused or NotDone."""
        if pending.asker.gone:
            raise self._unwanted(pending)
        try:
            match pending.command:
                case Arm() as arm:
                    await self._arm(pending, arm, deadline_ns)
                case Identify(screen=screen, board=board):
                    self._loop.show_name(screen=screen, board=board)
                case command:
                    decision = self._decide(pending, command)
                    if isinstance(command, Start | Contribute):
                        # These commands begin only if the disk takes a line first. Decided again, since time
                        # has passed.
                        await self._note(pending, deadline_ns)
                        decision = self._decide(pending, command)
                    self._accept(pending, decision)
        except CommandRefused as refusal:
            self._keep(pending, accepted=False, reasons=refusal.reasons)
            raise

    def _decide(self, pending: PendingCommand, command: Command) -> Decision:
        """The decision of the rules, with the clock advanced to now. Raises Refused with the reasons."""
        if isinstance(command, Claim | Verdict | Undo):
            try:
                command = self._loop.boards.spelled(command)
            except NoSuchBoard as error:
                raise CommandRefused((error.sentence,)) from error
        decision = self._loop.decide(command, at_ns=pending.at_ns, source=pending.source)
        if pending.seen is not None:
            self._check_seen(pending, pending.seen)
        if isinstance(command, Contribute):
            self._arming.check_words(self._loop.game, decision.events)
        reasons = (*decision.reasons, *self._loop.reasons_against(command))
        if reasons:
            raise CommandRefused(reasons)
        return decision

    def _accept(self, pending: PendingCommand, decision: Decision) -> None:
        """Commit the decision: outputs, picture, lines for the journal."""
        seq, lines = self._loop.seq, [] if pending.key is None else self._remember(pending, accepted=True)
        try:
            if decision.events:
                if isinstance(pending.command, Contribute):
                    self._arming.heard(self._loop.game, decision.events)
                self._loop.commit(decision.events, lines, after=decision.game)
            elif lines:
                self._loop.changed(lines)
        finally:
            if self._loop.seq == seq:  # it broke off before anything was done: a repeat is not one
                self.answers.forget(pending.key)

    async def _note(self, pending: PendingCommand, deadline_ns: int) -> None:
        """Check that the disk takes a line before anything begins. Raises NotDone."""
        self._loop.note({"asked": pending.name, "source": pending.source})
        trouble = await self._turns.before(deadline_ns, self._loop.saves.on_disk())
        if trouble is not None:
            raise NotDone(Sentence("answer.nothing_done", trouble=trouble))
        if pending.asker.gone:
            raise self._unwanted(pending)

    async def _arm(self, pending: PendingCommand, arm: Arm, deadline_ns: int) -> None:
        """Replace a game that has not begun, or has ended, by a new one once the new game's journal is on the
        disk. An ended game is closed by this."""
        self._check_arm(pending, arm)
        await self._note(pending, deadline_ns)
        self._check_arm(pending, arm)
        try:
            game, time = self._arming.make(arm)
        except CannotArm as error:
            raise CommandRefused((error.sentence,)) from error
        self._loop.close()
        if (unwritten := self._loop.saves.unwritten) is not None:
            raise NotDone(Sentence("answer.nothing_done", trouble=unwritten))
        self._arming.open(game, time, tag=self._loop.seq + 1)
        self._loop.reserve_seq()  # only now: nobody waits for a game of which no line could be made
        trouble = await self._loop.saves.on_disk()
        if trouble is not None:
            self._tasks.start(self._swap_at_last(game, time, self._turns.next()))
            raise NotDone(Sentence("answer.armed_when_disk_answers", trouble=trouble))
        self._loop.swap(game, time)
        self._keep(pending, accepted=True)

    def _check_arm(self, pending: PendingCommand, arm: Arm) -> None:
        """Raises Refused."""
        if pending.seen is not None:
            self._check_seen(pending, pending.seen)
        self._arming.check(self._loop.game.state, arm)

    async def _swap_at_last(self, game: Game, time: GameTime, turn: asyncio.Future[None]) -> None:
        """Swap games when the new journal's first line is on the disk, however long that takes. It exists
        already, so commands wait until then."""
        await turn
        try:
            await self._loop.saves.on_disk_at_last()
            self._loop.swap(game, time)
        finally:
            self._turns.end()

    def _check_seen(self, pending: PendingCommand, seen: SeenPicture) -> None:
        """Raises Refused if something relevant has changed since the sender looked (`ChangeTracker`)."""
        against = self._loop.unseen.against(pending.name, seq=seen.seq, session=seen.session)
        if against is not None:
            raise CommandRefused((against,))

    def _unwanted(self, pending: PendingCommand) -> NotDone:
        log.info("%s by %s is not done: its asker has gone", pending.name, pending.source)
        return NotDone(ASKER_GONE)

    def _was_done(self, pending: PendingCommand) -> bool:
        """Whether a command with this key was carried out before. Raises Refused if it was refused then."""
        kept = None if pending.key is None else self.answers.get(pending.key)
        if kept is None:
            return False
        if kept.fingerprint != pending.fingerprint:
            raise NotDone(KEY_REUSED)
        if not kept.accepted:
            raise CommandRefused(kept.reasons)
        return True

    def _keep(self, pending: PendingCommand, *, accepted: bool, reasons: tuple[Sentence, ...] = ()) -> None:
        """Keep the answer and write it to the journal, so that a repeat gets the same answer after a
        restart."""
        lines = self._remember(pending, accepted=accepted, reasons=reasons)
        if lines:
            self._loop.changed(lines)

    def _remember(
        self, pending: PendingCommand, *, accepted: bool, reasons: tuple[Sentence, ...] = ()
    ) -> Lines:
        """Keep the answer for a repeat. Returns its journal line; none without a key."""
        if pending.key is None:
            return []
        kept = pending.kept(accepted=accepted, reasons=reasons)
        self.answers.keep(pending.key, kept)
        return [("answered", kept.data(pending.key))]
