"""Who may test the hardware: one at a time, only while no game runs, and no longer than somebody asks."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.picture import Obstacles
from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.probes import Purpose
from pi_controller.sentence import Sentence

LEASE_NS = 30_000_000_000
"""So long after the last sign of its holder a lease ends by itself."""
KEPT = 16
"""So many leases that are over can still be told why."""

NO_TEST = Sentence("test.none")
SILENT = Sentence("test.silent", seconds=LEASE_NS // 1_000_000_000)
HUNG_UP = Sentence("test.hung_up")
DONE = Sentence("test.ended")


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
    def doing(self) -> Sentence:
        """Who has the hardware, and for what."""
        match self.purpose:
            case "selftest":
                return Sentence("test.held_for_selftest", who=self.who)
            case "hardware_test":
                return Sentence("test.held_for_hardware_test", who=self.who)


class Watcher(Protocol):
    """Who is told of each lease."""

    def begun(self, holding: Holding) -> None: ...

    def ended(self, holding: Holding, why: Sentence, over: Sentence) -> None:
        """`over` is the whole sentence with the reason in it."""


class Lease:
    """Called on the loop only."""

    def __init__(self, *, loop: GameLoop, obstacles: Obstacles, timers: Timers) -> None:
        self.holding: Holding | None = None
        self._loop = loop
        self._obstacles = obstacles
        self._timers = timers
        self._watchers: list[Watcher] = []
        self._over: dict[str, Sentence] = {}

    def tell(self, watcher: Watcher) -> None:
        """Tell it of every lease from now on."""
        self._watchers.append(watcher)

    def obstacle(self) -> Sentence | None:
        """The sentence against a test while a game runs."""
        picture = self._loop.picture()
        still = not picture.paused and not picture.running
        if picture.phase in ("ready", "ended") and still:
            return None
        return Sentence("test.game_under_way", where=_where(picture))

    def begin(self, who: str, purpose: Purpose, *, take: bool) -> Holding | Sentence:
        """A new lease, or the sentence against it. `take`: also from its present holder."""
        obstacle = self.obstacle()
        if obstacle is not None:
            return obstacle
        if self.holding is not None:
            if not take:
                return Sentence("test.wait_or_take_over", doing=self.holding.doing)
            self.end(Sentence("test.taken_over", who=who))
        holding = self.holding = Holding(secrets.token_hex(16), who, purpose, self._timers.boot_ns())
        self._renew(holding)
        self._obstacles.test(Sentence("test.no_game_meanwhile", doing=holding.doing))
        told = False
        try:
            for watcher in self._watchers:
                watcher.begun(holding)
            told = True
        finally:
            if not told:  # who asked gets no token: nobody may have it
                self.end(DONE, holding.token)
        return holding

    def refusal(self, token: str | None) -> Sentence | None:
        """Why this token does not permit anything; None: it does, and the lease begins to run afresh."""
        holding = self.holding
        if holding is not None and token == holding.token:
            self.end_for_a_game()
            if self.holding is not None:
                self._renew(holding)
                return None
        return self._over.get(token or "", NO_TEST)

    def end(self, why: Sentence, token: str | None = None) -> None:
        """The present lease is over; with a token only when it is that one."""
        if self.holding is not None and token in (None, self.holding.token):
            self._end(self.holding, why, Sentence("test.over", why=why))

    def end_for_a_game(self) -> None:
        """Should a game run after all, it has the hardware for itself."""
        obstacle = self.obstacle()
        if self.holding is not None and obstacle is not None:
            self._end(self.holding, obstacle, Sentence("test.over_for_a_game", why=obstacle))

    def _end(self, holding: Holding, why: Sentence, over: Sentence) -> None:
        self.holding = None
        self._obstacles.test(None)
        if holding.alarm is not None:
            holding.alarm.cancel()
        self._over[holding.token] = over
        while len(self._over) > KEPT:
            del self._over[next(iter(self._over))]
        for watcher in self._watchers:
            watcher.ended(holding, why, over)

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


def _where(picture: Picture) -> Sentence:
    if picture.phase == "robber":
        return Sentence("game.in_robber_phase")
    if picture.phase == "collecting":
        return Sentence("game.in_collecting")
    if picture.phase == "ready":
        return Sentence("game.in_countdown")
    return Sentence("game.in_round", round=picture.round)
