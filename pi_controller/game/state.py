"""The hall's state: one frozen value. Times are nanoseconds of game time."""

from typing import Literal, get_args

import msgspec
from msgspec.structs import replace

from pi_controller.game.claims import NO_CLAIMS, ClaimRecord, Claims, TimedPress
from pi_controller.game.commands import ClaimsMode, CoverKind, PreparedLine, PreparedTimer, Step
from pi_controller.game.rule_sets import UNTIMED_NS, DecidedBy
from pi_controller.game.turn_order import Seat
from pi_controller.vocabulary import PauseReason, Phase, RolledPhase, RollKind, SeatPhase, Target

EndedBy = Literal["verdict", "director", "last_round", "ranking"]
"""`ranking`: by the director, while sheets were collected. `last_round`: of rule sets that collect none."""

SEAT_PHASES: tuple[SeatPhase, ...] = get_args(SeatPhase)
IN_PLAY = (*get_args(RolledPhase), *SEAT_PHASES)

HISTORY_LENGTH = 12
SPANS_KEPT = 8
"""Past phases kept for late claims, which arrive within seconds."""


class Idle(msgspec.Struct, frozen=True):
    """No countdown: before the start and after the end."""


class Running(msgspec.Struct, frozen=True):
    """The countdown runs. No press freezes a time before `since_ns`, when this stretch of play began."""

    since_ns: int
    deadline_ns: int


class Frozen(msgspec.Struct, frozen=True):
    """Paused at `at_ns` with exactly this much left; play goes on when all reasons are cleared."""

    at_ns: int
    remaining_ns: int
    reasons: tuple[PauseReason, ...]


class CountingDown(msgspec.Struct, frozen=True):
    """The visible 3-2-1: play goes on at `go_ns` with what was left."""

    go_ns: int
    remaining_ns: int


ClockState = Idle | Running | Frozen | CountingDown


class Shown(msgspec.Struct, frozen=True):
    """A roll that the hall has seen. `due_round` and `draw` name it in the derivation of the dice."""

    phase: RollKind
    round: int
    due_round: int
    draw: int
    side: Seat | None
    dice: tuple[int, int]
    robber_target: Target | None = None
    robber_dice: tuple[int, int] | None = None
    at_ns: int | None = None
    """Of a turn, which may begin before its roll: when it was rolled."""

    @property
    def position(self) -> tuple[int, int]:
        """Grows with every roll of a game."""
        return self.due_round, self.draw


class Span(msgspec.Struct, frozen=True):
    """A past phase, for presses and claims read after the next one began."""

    began_ns: int
    ended_ns: int
    round: int
    side: Seat | None


class DirectorMessage(msgspec.Struct, frozen=True):
    """The director's line on all screens; None means until dismissed. `text` is empty where it is a prepared
    `line`."""

    text: str
    until_ns: int | None
    line: PreparedLine | None = None
    tables: bool = True
    """On the tables' displays too."""


class FreeTimer(msgspec.Struct, frozen=True):
    """A countdown of its own while that of a phase does not run. `label` is empty where it is `prepared`."""

    label: str
    deadline_ns: int
    prepared: PreparedTimer | None = None


class State(msgspec.Struct, frozen=True):
    """The result of folding all actions."""

    due_side: Seat | None
    """Whose turn is next; None until the lot for the first seat is drawn, at the start."""
    schedule: tuple[Step, ...]
    claims_mode: ClaimsMode = "ask"
    phase: Phase = "ready"
    round: int = 0
    clock: ClockState = Idle()
    began_ns: int = 0
    duration_ns: int = 0
    roll: Shown | None = None
    next_draw: int = 0
    before: tuple[Span, ...] = ()
    """The phases before this one without a gap, newest first."""
    history: tuple[Shown, ...] = ()
    last_round: int | None = None
    claims: Claims = NO_CLAIMS
    presses: tuple[TimedPress, ...] = ()
    """Presses of the big button while a claim was open, in the order in which they were read."""
    winners: tuple[str, ...] = ()
    decided_by: DecidedBy | None = None
    ended_by: EndedBy | None = None
    word: str | None = None
    message: DirectorMessage | None = None
    timer: FreeTimer | None = None
    gained: tuple[tuple[Seat, int], ...] = ()
    """By how many ns the rounds of each seat were lengthened in all; only seats with a difference."""
    cover: CoverKind = "none"
    acting: Seat | None = None
    """Whose founding or turn it is; None while all others may build."""
    placed: int = 0
    """Number of foundings so far."""

    @property
    def side(self) -> Seat | None:
        """The active side or seat; None in robber phases and outside rounds and turns."""
        if self.phase in SEAT_PHASES:
            return self.acting
        return self.roll.side if self.roll and self.phase == "round" else None

    @property
    def to_roll(self) -> bool:
        """The dice of this turn are still to be rolled."""
        return self.phase == "turn" and (self.roll is None or self.roll.round < self.round)

    @property
    def building(self) -> bool:
        """All others may build: nobody acts."""
        return self.phase == "turn" and self.acting is None

    @property
    def step_began_ns(self) -> int:
        """Since when a press of the acting seat's button has its present effect: since the turn began, was
        rolled for, or resumed after a pause."""
        rolled = self.shown_roll
        running = self.clock.since_ns if isinstance(self.clock, Running) else self.began_ns
        return max(running, (rolled and rolled.at_ns) or running)

    @property
    def shown_roll(self) -> Shown | None:
        """The roll of the phase that is on."""
        rolled = self.in_play and self.phase != "founding" and not self.to_roll
        return self.roll if rolled else None

    @property
    def untimed(self) -> bool:
        """The phase has no time limit."""
        return self.duration_ns >= UNTIMED_NS

    @property
    def in_play(self) -> bool:
        """A round, a robber phase, a founding or a turn is on, running or not."""
        return self.phase in IN_PLAY

    @property
    def played(self) -> bool:
        """No round comes any more, unless something is undone."""
        return self.phase in ("collecting", "ended")

    @property
    def compared(self) -> tuple[ClaimRecord, ...]:
        """The confirmed claims that are compared for the victory, in press order: those of the first round
        that has one, or all if no verdict has ended the game."""
        return self.compared_by_verdict if self.ended_by == "verdict" else self.claims.confirmed

    @property
    def compared_by_verdict(self) -> tuple[ClaimRecord, ...]:
        """The confirmed claims of the first round that has one."""
        confirmed = self.claims.confirmed
        first_round = min((claim.round for claim in confirmed), default=0)
        return tuple([claim for claim in confirmed if claim.round == first_round])

    @property
    def position(self) -> tuple[int, int]:
        """Progress as (round due, draw); (0, 0) before the first roll. In games of turns (turn, step),
        including foundings."""
        if self.phase == "founding":
            return 0, self.placed + 1
        if self.to_roll:
            return self.round, 0
        if self.roll is None or self.roll.at_ns is None:
            return self.roll.position if self.roll else (0, 0)
        return self.roll.round, 2 if self.building else 1

    def remaining_ns(self, now_ns: int) -> int:
        """Time left in the phase at this moment, never negative."""
        match self.clock:
            case Running(deadline_ns=deadline):
                return max(0, deadline - now_ns)
            case Frozen(remaining_ns=remaining) | CountingDown(remaining_ns=remaining):
                return remaining
            case Idle():
                return 0


def begin(state: State, at_ns: int, phase: Phase, *, duration_ns: int) -> State:
    """The next phase begins at this moment; a frozen or counting clock stays so."""
    clock: ClockState
    match state.clock:
        case Frozen(reasons=reasons):
            clock = Frozen(at_ns, duration_ns, reasons)
        case CountingDown(go_ns=go) if go > at_ns:
            clock = CountingDown(go, duration_ns)
        case _:
            clock = Running(at_ns, at_ns + duration_ns)
    return replace(
        state,
        phase=phase,
        clock=clock,
        began_ns=at_ns,
        duration_ns=duration_ns,
        before=spans(state, at_ns) if state.in_play else (),
        timer=state.timer if isinstance(clock, Frozen) else None,
    )


def with_roll(state: State, shown: Shown) -> State:
    """The hall has seen this roll."""
    return replace(state, roll=shown, history=(shown, *state.history)[:HISTORY_LENGTH])


def end_game(state: State, at_ns: int, ended_by: EndedBy) -> State:
    """The game is over at this moment; the last roll and the round number stay on show."""
    before = spans(state, at_ns)
    return replace(state, phase="ended", clock=Idle(), began_ns=at_ns, before=before, ended_by=ended_by)


def spans(state: State, at_ns: int) -> tuple[Span, ...]:
    """The phases that are over when the present one ends at this moment."""
    return (Span(state.began_ns, at_ns, state.round, state.side), *state.before)[:SPANS_KEPT]
