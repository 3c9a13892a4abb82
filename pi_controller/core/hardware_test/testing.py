"""A test of the hardware: who may test and for how long, and the answer to all that may be asked of it."""

import secrets
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from inspect import isawaitable
from typing import Literal

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.hardware_test.news import TableTap
from pi_controller.core.hardware_test.parts import ACTS, Parts, keep_report
from pi_controller.core.runtime import Alarm, Tasks, Timers
from pi_controller.defects import awaited_value_of, value_of
from pi_controller.language.words import words
from pi_controller.protocol.messages import (
    AskProbe,
    AskTestBegin,
    AskTestEnd,
    AskTestKeep,
    AskWatchTest,
    DoneAnswer,
    LeaseAnswer,
    ProbeAnswer,
    encode_error,
)
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.probes import FREE, KeepReportProbe, Purpose
from pi_controller.protocol.question import encode
from pi_controller.protocol.sentences import view
from pi_controller.protocol.server import ClientConnection, Later
from pi_controller.sentence import SaidError, Sentence

LEASE_NS = 30_000_000_000
"""So long after the last sign of its holder a lease ends by itself."""
KEPT = 16
"""So many leases that are over can still be told why."""
PART = "test"

NO_TEST = Sentence("test.none")
SILENT = Sentence("test.silent", seconds=LEASE_NS // 1_000_000_000)
HUNG_UP = Sentence("test.hung_up")
DONE = Sentence("test.ended")
CONTROLLER_ENDS = Sentence("test.controller_ends")

IN_PHASES = {
    "robber": Sentence("game.in_robber_phase"),
    "collecting": Sentence("game.in_collecting"),
    "ready": Sentence("game.in_countdown"),
}

HeldFor = Purpose | Literal["firmware"]
"""The last one is core's own."""
TestRequest = AskTestBegin | AskTestKeep | AskTestEnd | AskProbe | AskWatchTest


@dataclass(slots=True)
class Holding:
    """A lease that somebody has. While `busy` probes are under way it does not run out."""

    token: str
    who: str
    purpose: HeldFor
    over: Callable[[Sentence], None] | None = None
    """Is called when it ends, with the sentence for who has it."""
    busy: int = 0
    alarm: Alarm | None = field(default=None, repr=False)

    @property
    def doing(self) -> Sentence:
        """Who has the hardware, and for what."""
        match self.purpose:
            case "selftest":
                return Sentence("test.held_for_selftest", who=self.who)
            case "hardware_test":
                return Sentence("test.held_for_hardware_test", who=self.who)
            case "firmware":
                return Sentence("test.held_for_firmware", who=self.who)


class Testing:
    """One test at a time, under a lease, only while no game runs, and no longer than somebody asks. Called on
    the loop only."""

    def __init__(
        self, *, loop: GameLoop, timers: Timers, tasks: Tasks, table_tap: TableTap, parts: Parts
    ) -> None:
        self.holding: Holding | None = None
        self.parts = parts
        self._loop = loop
        self._timers = timers
        self._tasks = tasks
        self._table_tap = table_tap
        self._game: Sentence | None = None
        """The game that began beside the present lease, which therefore ends."""
        self._over: dict[str, Sentence] = {}
        """Why the newest leases ended, by their tokens."""

    def answer(self, client: ClientConnection, request: TestRequest) -> None:
        """A probe is done at once, as far as it waits for nothing, and answered when it has come to
        something."""
        if isinstance(request, AskTestBegin):
            self._begin(client, request)
            return
        free = isinstance(request, AskProbe) and isinstance(request.probe, FREE)
        refusal = None if free else self.refusal(request.lease)
        if refusal is not None:
            client.send(encode_error(request.id, refusal, request.language))
        elif isinstance(request, AskProbe):
            later, holding = client.begin(request), None if free else self.holding
            if holding is not None:
                holding.busy += 1
            act: Callable[[], object]
            if isinstance(request.probe, KeepReportProbe):
                act = partial(keep_report, self.parts, request.probe, client)
            else:
                act = partial(ACTS[type(request.probe)], self.parts, request.probe)
            found = value_of(act)
            give = partial(self._give, request, later, holding)
            if isawaitable(found):
                self._tasks.start(_give_later(give, found))
            else:
                give(found)
        elif isinstance(request, AskWatchTest):
            self.parts.watchers.add(client)
        else:
            if isinstance(request, AskTestEnd):
                self.end(DONE)
            client.send(encode(DoneAnswer(id=request.id)))

    def stop(self) -> None:
        """The controller ends, and with it the test; before the journal is closed, which notes it."""
        self.end(CONTROLLER_ENDS)

    def shown(self, picture: Picture) -> None:
        """The newest picture: should a game run after all, it has the hardware for itself as soon as all have
        this picture."""
        if self.holding is not None and self._game is None:
            self._game = game_under_way(picture)
            if self._game is not None:
                self._timers.call_at(self._timers.boot_ns(), self._end_for_a_game)

    # Answers to probes.

    def _give(self, request: AskProbe, later: Later, holding: Holding | None, found: object) -> None:
        """Answer with this result, or with the sentence of this error: what breaks off is answered too.
        `holding`: the lease that the probe came under; None: it needs none."""
        line = (
            found
            if isinstance(found, Exception)
            else value_of(lambda: encode(ProbeAnswer(id=request.id, result=found)))
        )
        if isinstance(line, SaidError):
            line = encode_error(request.id, line.sentence, request.language)
        elif isinstance(line, Exception):
            said = self._loop.broke_off(line, type(request.probe).__name__)
            line = encode_error(request.id, said, request.language)
        if holding is not None:
            holding.busy -= 1
            if self.holding is holding:
                self._renew(holding)
        later.send(line)

    # The lease.

    def _begin(self, client: ClientConnection, request: AskTestBegin) -> None:
        """Answer with a new lease, or with the sentence against it."""
        found = self.hold(request.who, request.purpose, take=request.take)
        if isinstance(found, Sentence):
            told = words(found, request.language)
            answer = LeaseAnswer(id=request.id, accepted=False, reasons=[told], reason_keys=[view(found)])
        else:
            client.on_close.append(partial(self.end, HUNG_UP, found.token))
            answer = LeaseAnswer(id=request.id, accepted=True, lease=found.token)
        client.send(encode(answer))

    def hold(
        self,
        who: str,
        purpose: HeldFor,
        *,
        take: bool = False,
        over: Callable[[Sentence], None] | None = None,
    ) -> Holding | Sentence:
        """A new lease, or the sentence against it. `take`: also from somebody else who has it. With `over` it
        does not run out."""
        if (playing := game_under_way(self._loop.picture())) is not None:
            return playing
        if self.holding is not None and not take:
            return Sentence("test.wait_or_take_over", doing=self.holding.doing)
        self.end(Sentence("test.taken_over", who=who))
        holding = self.holding = Holding(
            secrets.token_hex(16), who, purpose, over, busy=int(over is not None)
        )
        with ExitStack() as nobody_has_the_token:
            nobody_has_the_token.callback(self.end, DONE)
            self._open(holding)
            nobody_has_the_token.pop_all()
        return holding

    def refusal(self, token: str | None) -> Sentence | None:
        """Why this token does not permit anything; None: it does, and the lease begins to run afresh."""
        holding = self.holding
        if holding is not None and token == holding.token:
            self._end_for_a_game()
            if self.holding is not None:
                self._renew(holding)
                return None
        return self._over.get(token or "", NO_TEST)

    def end(self, why: Sentence, token: str | None = None) -> None:
        """The present lease is over; with a token only when it is that one."""
        if self.holding is not None and token in (None, self.holding.token):
            self._close(self.holding, why, Sentence("test.over", why=why))

    def _end_for_a_game(self) -> None:
        if self.holding is not None and self._game is not None:
            self._close(self.holding, self._game, Sentence("test.over_for_a_game", why=self._game))

    def _open(self, holding: Holding) -> None:
        self._game = None
        self._renew(holding)
        self._loop.obstacles.test(Sentence("test.no_game_meanwhile", doing=holding.doing))
        self.parts.tap.begin()
        self._table_tap.begin(maintains=holding.purpose != "selftest")
        self.parts.watchers.begin()
        self._loop.note({"test": "begun", "who": holding.who, "purpose": holding.purpose})
        self._loop.report(PART, "warning", Sentence("test.no_start_before", doing=holding.doing))

    def _close(self, holding: Holding, why: Sentence, over: Sentence) -> None:
        """`over` is the whole sentence with the reason in it."""
        self.holding = None
        self._loop.obstacles.test(None)
        if holding.alarm is not None:
            holding.alarm.cancel()
        self._over[holding.token] = over
        while len(self._over) > KEPT:
            del self._over[next(iter(self._over))]
        self.parts.tap.end()
        self._table_tap.end()
        self.parts.end_test()
        self.parts.watchers.end(over)
        self._loop.note({"test": "ended", "who": holding.who, "why": words(why)})
        self._loop.report(PART, "warning", None)
        if holding.over is not None:
            holding.over(over)

    def _renew(self, holding: Holding) -> None:
        if holding.alarm is not None:
            holding.alarm.cancel()
        due_ns = self._timers.boot_ns() + LEASE_NS
        holding.alarm = self._timers.call_at(due_ns, lambda: self._run_out(holding))

    def _run_out(self, holding: Holding) -> None:
        if holding.busy:
            self._renew(holding)
        else:
            self.end(SILENT, holding.token)


async def _give_later(give: Callable[[object], None], work: Awaitable[object]) -> None:
    give(await awaited_value_of(work))


def game_under_way(picture: Picture) -> Sentence | None:
    """The sentence against a test while a game runs."""
    still = not picture.paused and not picture.running
    if picture.phase in ("ready", "ended") and still:
        return None
    where = IN_PHASES.get(picture.phase) or Sentence("game.in_round", round=picture.round)
    return Sentence("test.game_under_way", where=where)
