"""The tables under a test: presses become news and do nothing to the game."""

from collections.abc import Callable

from pi_controller.bus.values import (
    BusEvent,
    ButtonHeard,
    ClaimHeard,
    ClaimOutcome,
    NodeClaim,
    WithdrawalHeard,
)
from pi_controller.core.runtime.timers import Timers
from pi_controller.core.tables.roster import RosterKeeper
from pi_controller.protocol.probes import TablePress
from pi_controller.vocabulary import Side

NS_PER_US = 1_000
MOST_KNOWN = 4096


class TableTap:
    """Implements `core.tables.Tap`; takes claims between `begin` and `end`, and for ever those that it took
    once, however often they are told again."""

    def __init__(
        self,
        *,
        keeper: RosterKeeper,
        timers: Timers,
        pressed: Callable[[TablePress], None],
    ) -> None:
        self._keeper = keeper
        self._timers = timers
        self._pressed = pressed
        self._since_ns: int | None = None
        self._maintains = False
        self._taken: dict[NodeClaim, ClaimOutcome] = {}
        self._withdrawn: dict[tuple[str, Side], ClaimOutcome] = {}

    @property
    def maintains(self) -> bool:
        return self._maintains

    def begin(self, *, maintains: bool) -> None:
        """`maintains`: tables show that they are worked on, and may write down what they keep."""
        self._since_ns = self._timers.boot_ns()
        self._maintains = maintains

    def end(self) -> None:
        """The claims of this test are taken back for their players."""
        self._since_ns, self._maintains = None, False
        self._withdrawn = {(claim.uid, claim.side): outcome for claim, outcome in self._taken.items()}

    @property
    def outcomes(self) -> tuple[ClaimOutcome, ...]:
        return tuple(self._withdrawn.values())

    def takes(self, event: BusEvent) -> bool:
        if isinstance(event, ButtonHeard):
            if self._since_ns is not None:
                at_ms = self._timers.boot_ns() / 1e6
                self._tell(event.uid, event, at_ms=at_ms, acknowledged_ms=None)
            return False
        if isinstance(event, ClaimHeard):
            return self._takes_claim(event)
        return isinstance(event, WithdrawalHeard) and event.claim in self._taken

    def _takes_claim(self, event: ClaimHeard) -> bool:
        if event.claim in self._taken:
            return True
        if self._since_ns is None or event.at_us * NS_PER_US < self._since_ns:
            return False
        self._taken[event.claim] = ClaimOutcome(claim=event.claim, at_us=event.at_us, status="withdrawn")
        while len(self._taken) > MOST_KNOWN:
            del self._taken[next(iter(self._taken))]
        at_ms, now_ms = event.at_us / 1e3, self._timers.boot_ns() / 1e6
        self._tell(event.claim.uid, event.claim, at_ms=at_ms, acknowledged_ms=now_ms)
        return True

    def _tell(
        self, uid: str, press: ButtonHeard | NodeClaim, *, at_ms: float, acknowledged_ms: float | None
    ) -> None:
        board = self._keeper.roster.board_of(uid)
        self._pressed(
            TablePress(
                uid=uid,
                board=None if board is None else board.name,
                side=press.side,
                at_ms=at_ms,
                acknowledged_ms=acknowledged_ms,
            )
        )
