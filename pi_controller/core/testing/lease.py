"""Who may test the hardware: one at a time, only while no game runs, and no longer than somebody asks."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from pi_controller.core.timers import Alarm, Timers
from pi_controller.protocol.probes import Purpose

LEASE_NS = 30_000_000_000
"""So long after the last sign of its holder a lease ends by itself."""
KEPT = 16
"""So many leases that are over can still be told why."""

NO_TEST = "There is no such test: begin one first."
SILENT = "nothing was heard of it for 30 s"
HUNG_UP = "its program hung up"
DONE = "it was ended"
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


class Lease:
    """Called on the loop only. `obstacle` gives the sentence while a game runs; `begun` and `ended` are
    called at each change, `ended` with the lease and why."""

    def __init__(
        self,
        *,
        timers: Timers,
        obstacle: Callable[[], str | None],
        begun: Callable[[Holding], None],
        ended: Callable[[Holding, str], None],
    ) -> None:
        self.holding: Holding | None = None
        self._timers = timers
        self._obstacle = obstacle
        self._begun = begun
        self._ended = ended
        self._over: dict[str, str] = {}

    def begin(self, who: str, purpose: Purpose, *, take: bool) -> Holding | str:
        """A new lease, or the sentence against it. `take`: also from its present holder."""
        obstacle = self._obstacle()
        if obstacle is not None:
            return obstacle
        if self.holding is not None:
            if not take:
                return f"{self.holding.doing}: wait until that is over, or take it over."
            self.end(f"{who} has taken the hardware over")
        holding = self.holding = Holding(secrets.token_hex(16), who, purpose, self._timers.boot_ns())
        self._renew(holding)
        self._begun(holding)
        return holding

    def refusal(self, token: str | None) -> str | None:
        """Why this token does not permit anything; None: it does, and the lease begins to run afresh."""
        holding = self.holding
        if holding is not None and token == holding.token:
            obstacle = self._obstacle()
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
        if holding.alarm is not None:
            holding.alarm.cancel()
        self._over[holding.token] = why.rstrip(".")
        while len(self._over) > KEPT:
            del self._over[next(iter(self._over))]
        self._ended(holding, why)

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
