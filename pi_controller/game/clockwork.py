"""The round clock: what happens by itself when time is up. Each deadline follows from the one before."""

from msgspec.structs import replace

from pi_controller.game import turns
from pi_controller.game.dice import Basis
from pi_controller.game.rule_sets import RuleSet
from pi_controller.game.state import (
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
from pi_controller.game.turn_order import Due


def due_ns(state: State) -> int | None:
    """When the clock turns by itself next, or None while it stands still."""
    match state.clock:
        case Running(deadline_ns=moment) | CountingDown(go_ns=moment):
            return moment
        case _:
            return None


def turn(state: State, basis: Basis) -> State:
    """The state just after its due moment: play goes on after the 3-2-1, or the next phase begins."""
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
    """Turn the clock as often as is due up to and including this moment."""
    while (moment := due_ns(state)) is not None and moment <= until_ns:
        state = turn(state, basis)
    return state


def next_phase(state: State, at_ns: int, basis: Basis) -> State:
    """End the phase at this moment (rule C6) and begin the next; a frozen or counting clock stays so."""
    if basis.rules.play == "turns":
        return turns.next_step(state, at_ns, basis)
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
