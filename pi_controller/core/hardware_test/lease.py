"""Who may test the hardware: one at a time, only while no game runs, and no longer than somebody asks."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.obstacles import Obstacles
from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.game.state import State, Still
from pi_controller.protocol.probes import Purpose

LEASE_NS = 30_000_000_000
"""So long after the last sign of its holder a lease ends by itself."""
KEPT = 16
"""So many leases that are over can still be told why."""

NO_TEST = "There is no such test: begin one first."
SILENT = "nothing was heard of it for 30 s"
HUNG_UP = "its program hung up"
DONE = "it was ended"
GAME_RUNS = (
    "A game is under way ({what}): the hardware can be tested before a game's start and after its end."
)
LOCKED = "{doing}: no game can run meanwhile; end the test on the technician's page, or take it over there."
WORDS: dict[Purpose, str] = {"selftest": "a self-test", "hardware_test": "a hardware test"}


@dataclass(slots=True)
class Holding:
    """A lease that somebody has. While `busy` probes are under way it does not run out."""

    token: str
    who: str
    purpose: Purpose
    began_ns: int
    busy: int = 0
    alarm: Alarm | None = field(default=None, repr=False)

    @property
    def doing(self) -> str:
        """Such as `Ada has the hardware for a self-test`."""
        return f"{self.who} has the hardware for {WORDS[self.purpose]}"


class Watcher(Protocol):
    """Who is told of each lease."""

    def begun(self, holding: Holding) -> None: ...

    def ended(self, holding: Holding, why: str) -> None: ...


class Lease:
    """Called on the loop only."""

    def __init__(self, *, loop: GameLoop, obstacles: Obstacles, timers: Timers) -> None:
        self.holding: Holding | None = None
        self._loop = loop
        self._obstacles = obstacles
        self._timers = timers
        self._watchers: list[Watcher] = []
        self._over: dict[str, str] = {}

    def tell(self, watcher: Watcher) -> None:
        """Tell it of every lease from now on."""
        self._watchers.append(watcher)

    def obstacle(self) -> str | None:
        """The sentence against a test while a game runs."""
        state = self._loop.game.state
        if state.phase in ("ready", "ended") and isinstance(state.clock, Still):
            return None
        return GAME_RUNS.format(what=_what(state))

    def begin(self, who: str, purpose: Purpose, *, take: bool) -> Holding | str:
        """A new lease, or the sentence against it. `take`: also from its present holder."""
        obstacle = self.obstacle()
        if obstacle is not None:
            return obstacle
        if self.holding is not None:
            if not take:
                return f"{self.holding.doing}: wait until that is over, or take it over."
            self.end(f"{who} has taken the hardware over")
        holding = self.holding = Holding(secrets.token_hex(16), who, purpose, self._timers.boot_ns())
        self._renew(holding)
        self._obstacles.test(LOCKED.format(doing=holding.doing))
        for watcher in self._watchers:
            watcher.begun(holding)
        return holding

    def refusal(self, token: str | None) -> str | None:
        """Why this token does not permit anything; None: it does, and the lease begins to run afresh."""
        holding = self.holding
        if holding is not None and token == holding.token:
            obstacle = self.obstacle()
            if obstacle is None:
                self._renew(holding)
                return None
            self.end(obstacle)
        why = self._over.get(token or "")
        return NO_TEST if why is None else f"The test is over: {why}."

    def end(self, why: str, token: str | None = None) -> None:
        """The present lease is over; with a token only when it is that one."""
        holding = self.holding
        if holding is None or token not in (None, holding.token):
            return
        self.holding = None
        self._obstacles.test(None)
        if holding.alarm is not None:
            holding.alarm.cancel()
        self._over[holding.token] = why.rstrip(".")
        while len(self._over) > KEPT:
            del self._over[next(iter(self._over))]
        for watcher in self._watchers:
            watcher.ended(holding, why)

    def busy(self, holding: Holding) -> Callable[[], None]:
        """A probe of this lease is under way until the returned function is called."""
        holding.busy += 1

        def done() -> None:
            holding.busy -= 1
            if self.holding is holding:
                self._renew(holding)

        return done

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


def _what(state: State) -> str:
    if state.phase == "robber":
        return "robber phase"
    return f"round {state.round}" if state.in_play else "the countdown"
