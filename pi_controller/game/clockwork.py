"""The round clock: what happens by itself when time is up. Each deadline follows from the one before."""

import msgspec
from msgspec.structs import replace

from pi_controller.game.dice import DiceBook
from pi_controller.game.rule_sets import RuleSet
from pi_controller.game.state import (
    HISTORY_LENGTH,
    SPANS_KEPT,
    ClockState,
    CountingDown,
    EndedBy,
    Frozen,
    Idle,
    Running,
    Shown,
    Span,
    State,
)
from pi_controller.game.turn_order import Due


class Basis(msgspec.Struct, frozen=True):
    """What a game runs by from its first moment to its last."""

    rules: RuleSet
    dice: DiceBook


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
    due = Due(state.round + 1, state.next_draw, state.due_side)
    if state.last_round is not None and state.in_play and due.round > state.last_round:
        return _after_last_round(state, at_ns, basis.rules)
    dice, rules = basis.dice.with_word(state.word), basis.rules
    roll = dice.round_roll(due.round, due.draw)
    coming = rules.order.next_phase(due, roll.dice, roll.draw)
    target = dice.robber_target(due.round, roll.draw) if coming.phase == "robber" else None
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
    begun = _begin(state, at_ns, shown, rules.phase_ns(coming.phase, coming.round, state.schedule))
    after = coming.after
    return replace(begun, round=coming.round, next_draw=after.draw, due_side=after.seat)


def _begin(state: State, at_ns: int, shown: Shown, duration_ns: int) -> State:
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
        phase=shown.phase,
        clock=clock,
        began_ns=at_ns,
        duration_ns=duration_ns,
        roll=shown,
        before=_spans(state, at_ns) if state.in_play else (),
        history=(shown, *state.history)[:HISTORY_LENGTH],
        timer=state.timer if isinstance(clock, Frozen) else None,
    )


def _after_last_round(state: State, at_ns: int, rules: RuleSet) -> State:
    """Sheets are collected from this moment on (rule C20); nothing is due until somebody ends the game."""
    if not rules.collects_sheets:
        return end_game(state, at_ns, "last_round")
    before = _spans(state, at_ns)
    return replace(state, phase="collecting", clock=Idle(), began_ns=at_ns, before=before, presses=())


def end_game(state: State, at_ns: int, ended_by: EndedBy) -> State:
    """The game is over at this moment; the last roll and the round number stay on show."""
    before = _spans(state, at_ns)
    return replace(state, phase="ended", clock=Idle(), began_ns=at_ns, before=before, ended_by=ended_by)


def _spans(state: State, at_ns: int) -> tuple[Span, ...]:
    """The phases that are over when the present one ends at this moment."""
    return (Span(state.began_ns, at_ns, state.round, state.side), *state.before)[:SPANS_KEPT]
