"""The clock: what happens by itself when time is up. Each deadline follows from the one before."""

from msgspec.structs import replace

from pi_controller.game.dice import Basis
from pi_controller.game.rule_sets import NS_PER_MS, NS_PER_S, RuleSet
from pi_controller.game.state import (
    SEAT_PHASES,
    CountingDown,
    Idle,
    Running,
    Shown,
    State,
    begin,
    end_game,
    spans,
    with_roll,
)
from pi_controller.game.turn_order import Due, Seat

# Turns of the classic game at one table: founding, then turns that the acting seat's button rolls for and
# ends.


AFTER_LATE_ROLL_NS = 30 * NS_PER_S
"""If a seat's time is up before it has rolled, the clock rolls for it, since the result counts for everybody,
and the seat may still act for this long."""
BUILDERS = 5
"""Number of seats from which all others may build after a turn (extension for 5 and 6 players)."""


def next_step(state: State, at_ns: int, basis: Basis) -> State:
    """The next step when the acting seat's button is pressed or its time is up: the next founding, the roll
    of the turn, the others' building, or the next turn."""
    if state.phase not in SEAT_PHASES:
        return _founding(state, at_ns, 0, basis)
    if state.phase == "founding":
        return _founding(state, at_ns, state.placed + 1, basis)
    if state.to_roll:
        return _rolled(state, at_ns, basis)
    builds = basis.rules.building_ms > 0 and len(basis.rules.seats) >= BUILDERS
    if builds and state.acting is not None:
        begun = begin(state, at_ns, "turn", duration_ns=basis.rules.building_ms * NS_PER_MS)
        return replace(begun, acting=None)
    return _turn(state, at_ns, basis)


def founder(seats: tuple[Seat, ...], placed: int) -> Seat | None:
    """Who founds after `placed` foundings; `seats` in the order of the first turn: 1…n, then n…1 (rule K5).
    None after all have."""
    return (*seats, *reversed(seats), None)[placed]


def opening_rolls(basis: Basis, state: State) -> list[list[tuple[Seat, tuple[int, int]]]]:
    """Rolls for the first turn, while the table founds; empty if it was not rolled for."""
    return basis.opening_rolls(state.word) if state.phase == "founding" else []


def _in_order(state: State, basis: Basis) -> tuple[Seat, ...]:
    """The seats in order, starting with the one that begins."""
    seats = basis.rules.seats
    at = seats.index(basis.first_seat(state.word))
    return (*seats[at:], *seats[:at])


def _founding(state: State, at_ns: int, placed: int, basis: Basis) -> State:
    seats = _in_order(state, basis)
    acting = founder(seats, placed)
    if acting is None:
        return _turn(state, at_ns, basis)
    begun = begin(state, at_ns, "founding", duration_ns=basis.rules.phase_ns("founding", 0, state.schedule))
    return replace(begun, acting=acting, placed=placed, due_side=founder(seats, placed + 1) or seats[0])


def _turn(state: State, at_ns: int, basis: Basis) -> State:
    number, seats = state.round + 1, _in_order(state, basis)
    acting, after = (seats[(turn - 1) % len(seats)] for turn in (number, number + 1))
    begun = begin(state, at_ns, "turn", duration_ns=basis.rules.phase_ns("turn", number, state.schedule))
    return replace(begun, round=number, acting=acting, due_side=after)


def _rolled(state: State, at_ns: int, basis: Basis) -> State:
    roll = basis.roll(state.word, state.round, 0)
    shown = Shown("turn", state.round, state.round, roll.draw, state.acting, roll.dice, at_ns=at_ns)
    rolled = with_roll(state, shown)
    if not isinstance(state.clock, Running) or state.remaining_ns(at_ns) > 0:
        return rolled
    clock = Running(at_ns, at_ns + AFTER_LATE_ROLL_NS)
    return replace(rolled, clock=clock, duration_ns=state.duration_ns + AFTER_LATE_ROLL_NS)


def due_ns(state: State) -> int | None:
    """When the next phase begins by itself; None while the clock stands still."""
    match state.clock:
        case Running(deadline_ns=moment) | CountingDown(go_ns=moment):
            return moment
        case _:
            return None


def turn(state: State, basis: Basis) -> State:
    """The state just after its due moment: play resumes after the 3-2-1, or the next phase begins."""
    match state.clock:
        case CountingDown(go_ns=go, remaining_ns=remaining) if state.in_play:
            return replace(state, clock=Running(go, go + remaining))
        case CountingDown(go_ns=go):
            return next_phase(state, go, basis)
        case Running(deadline_ns=deadline):
            return next_phase(state, deadline, basis)
        case _:
            raise ValueError("the clock stands still: nothing is due")


def advance(state: State, until_ns: int, basis: Basis) -> State:
    """Carry out all phase changes due up to and including this moment."""
    while (moment := due_ns(state)) is not None and moment <= until_ns:
        state = turn(state, basis)
    return state


def next_phase(state: State, at_ns: int, basis: Basis) -> State:
    """End the phase at this moment (rule C6) and begin the next; a frozen or counting clock stays so."""
    if basis.rules.play == "turns":
        return next_step(state, at_ns, basis)
    if state.due_side is None:
        raise ValueError("who begins has not been drawn: the game has not started")
    due = Due(state.round + 1, state.next_draw, state.due_side)
    if state.last_round is not None and state.in_play and due.round > state.last_round:
        return _after_last_round(state, at_ns, basis.rules)
    rules = basis.rules
    roll = basis.roll(state.word, due.round, due.draw)
    coming = rules.order.next_phase(due, roll.dice, roll.draw)
    target = basis.robber_target(state.word, due.round, roll.draw) if coming.phase == "robber" else None
    shown = Shown(
        coming.phase,
        coming.round,
        due.round,
        roll.draw,
        coming.seat,
        roll.dice,
        target.target if target else None,
        target.dice if target else None,
    )
    duration_ns = rules.phase_ns(coming.phase, coming.round, state.schedule)
    begun = begin(state, at_ns, coming.phase, duration_ns=duration_ns)
    after = coming.after
    return replace(with_roll(begun, shown), round=coming.round, next_draw=after.draw, due_side=after.seat)


def _after_last_round(state: State, at_ns: int, rules: RuleSet) -> State:
    """Sheets are collected from this moment on (rule C20); nothing is due until somebody ends the game."""
    if not rules.collects_sheets:
        return end_game(state, at_ns, "last_round")
    before = spans(state, at_ns)
    return replace(state, phase="collecting", clock=Idle(), began_ns=at_ns, before=before, presses=())
