"""Undo, redo and replace by one mechanism: a game is the fold of its actions, and a correction changes their
list."""

from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from pi_controller.game import clockwork
from pi_controller.game.actions import UNDOABLE, Actions
from pi_controller.game.claims import named
from pi_controller.game.commands import Pause, Press, Turn, Undo, Verdict
from pi_controller.game.dice import Basis, NotSeen, SeenDice
from pi_controller.game.events import Action, Corrected
from pi_controller.game.moves import MoveContext, MoveRefused
from pi_controller.game.phases import NotAllowed, perform
from pi_controller.game.state import CountingDown, Running, State
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import Phase

NOTHING_TO_UNDO = Sentence("undo.nothing")
BEFORE_THE_SEED = Sentence("undo.before_the_seed")
NOTHING_TO_REDO = Sentence("redo.nothing")
_WOULD_HAVE_RUN_OUT = Sentence("undo.would_have_run_out")

ROUNDS_BACK = 1
"""How many rounds that the hall has played a correction may take back."""


class Undone(msgspec.Struct, frozen=True):
    """An undo that redo can take back, with the name of the undone action."""

    event: Corrected
    said: Sentence


@dataclass(frozen=True, slots=True)
class Past:
    """The part of a game that corrections need."""

    actions: Actions
    undone: tuple[Undone, ...]
    state: State
    seen: SeenDice
    """How far the hall has seen the game, including what was undone since."""
    next_action: int
    published: int
    """Number of the first action after the seed was published, 0 before."""
    basis: Basis


class Correction(msgspec.Struct, frozen=True):
    """A correction: the event, the actions in force after it, and the state that they fold to."""

    event: Corrected
    actions: Actions
    state: State


def performed(state: State, action: Action, basis: Basis) -> State:
    """The state just after this action. Raises `MoveRefused` if it may not be done."""
    moment = MoveContext(action.id, action.at_ns, action.seen_ns, basis)
    return perform(clockwork.advance(state, action.seen_ns, basis), action.command, moment)


def undo_not_allowed(game: Past) -> NotAllowed | None:
    """Reasons against every undo."""
    try:
        _to_undo(game)
    except MoveRefused as refused:
        return NotAllowed((refused.sentence,))
    return None


def _to_undo(game: Past) -> int:
    """The place of the action that an undo takes back. Raises `MoveRefused` if there is none, or if it is
    before the seed was published: later actions could have been chosen knowing the rolls."""
    index = game.actions.last_undoable
    if index is None:
        raise MoveRefused(NOTHING_TO_UNDO)
    if game.actions[index].id < game.published:
        raise MoveRefused(BEFORE_THE_SEED)
    return index


def undo(game: Past, command: Undo, now_ns: int) -> Correction:
    """Take an action back as the command says, as if its replacement had been done at that moment.

    A game that was ended while its clock ran, or whose last round was, comes back paused at that moment; so
    does a turn whose button was pressed by mistake and whose time would be up by now.

    Raises `MoveRefused` if there is nothing to undo, if a later action needs it, or if the clock would have
    passed the end of a phase that the hall has not seen. Refusals and their reasons depend on no unseen roll.
    """
    instead = command.replace
    if instead is not None and not isinstance(instead, UNDOABLE):
        raise MoveRefused(Sentence("undo.not_in_its_place"))
    index = _to_undo(game) if command.claim is None else _verdict_on(game, command.claim)
    removed = game.actions[index]
    if isinstance(instead, Verdict) and _ended(game, index):
        instead = replace(instead, hold=True)
    if instead is None and (_ended_in_play(game, index) or _turn_is_over(game, index, now_ns)):
        instead = Pause()
    put = None
    if instead is not None:
        put = Action(game.next_action, instead, removed.at_ns, removed.seen_ns, removed.source)
    return _checked(game, Corrected("undone", index, removed, put, now_ns))


def _named(game: Past, claim_id: str) -> Sentence | str:
    record = game.state.claims.find(claim_id)
    return claim_id if record is None else named(record, game.basis.rules)


def _verdict_on(game: Past, claim: str) -> int:
    """The place of the last verdict on this claim."""
    for back, action in enumerate(reversed(game.actions), start=1):
        if isinstance(action.command, Verdict) and action.command.claim == claim:
            if action.id < game.published:
                raise MoveRefused(BEFORE_THE_SEED)
            return len(game.actions) - back
    raise MoveRefused(Sentence("undo.no_verdict", claim=_named(game, claim)))


def redo(game: Past, now_ns: int) -> Correction:
    """Do again, at its own moment, what the last undo took back; raises `MoveRefused` as `undo` does."""
    if not game.undone:
        raise MoveRefused(NOTHING_TO_REDO)
    last = game.undone[-1].event
    return _checked(game, Corrected("redone", last.index, last.put, last.removed, now_ns))


def corrected(actions: Actions, event: Corrected, basis: Basis) -> Correction:
    """The correction folded from its place on; raises `MoveRefused` where an action may not be done then."""
    state = _before(actions, event.index, basis)
    rest = actions.since(event.index + (event.removed is not None))
    changed = actions.first(event.index, state)
    for action in (*_put(event), *rest):
        state = performed(state, action, basis)
        changed = changed.with_one(action, state, basis.rules)
    return Correction(event, changed, clockwork.advance(state, event.at_ns, basis))


def _put(event: Corrected) -> tuple[Action, ...]:
    return () if event.put is None else (event.put,)


def _before(actions: Actions, index: int, basis: Basis) -> State:
    """The state after the first `index` actions."""
    state, between = actions.kept_before(index)
    for action in between:
        state = performed(state, action, basis)
    return state


def _ended(game: Past, index: int) -> bool:
    """Whether this action ended a game or its last round."""
    before, after = _around(game, index)
    return after.played and not before.played


def _ended_in_play(game: Past, index: int) -> bool:
    """Whether this action ended a game or its last round while the clock or a 3-2-1 was running."""
    before, _ = _around(game, index)
    return isinstance(before.clock, (Running, CountingDown)) and _ended(game, index)


def _turn_is_over(game: Past, index: int, now_ns: int) -> bool:
    """Whether this is the press of a turn's button, and the time that was left then is over by now."""
    before, after = _around(game, index)
    pressed = isinstance(game.actions[index].command, Press | Turn) and before.position != after.position
    return pressed and isinstance(before.clock, Running) and before.clock.deadline_ns <= now_ns


def _around(game: Past, index: int) -> tuple[State, State]:
    """The states just before this action and just after it."""
    action = game.actions[index]
    before = clockwork.advance(_before(game.actions, index, game.basis), action.seen_ns, game.basis)
    return before, performed(before, action, game.basis)


def _at_once(game: Past, event: Corrected, basis: Basis) -> State | None:
    """The state at the moment of the replacement, just after it; None without one."""
    if event.put is None:
        return None
    state = performed(_before(game.actions, event.index, basis), event.put, basis)
    return clockwork.advance(state, event.put.seen_ns, basis)


def _folded(game: Past, event: Corrected, basis: Basis) -> Correction:
    """Fold the correction, whose replacement was possible at its moment. Raises `MoveRefused`; if more than
    the verdict itself would be taken back, the sentence says what to do instead."""
    try:
        return corrected(game.actions, event, basis)
    except NotSeen:
        raise MoveRefused(_WOULD_HAVE_RUN_OUT) from None
    except MoveRefused as refused:
        put = None if event.put is None else event.put.command
        if not isinstance(put, Verdict) or event.index >= (game.actions.last_undoable or 0):
            raise
        claim = _named(game, put.claim)
        raise MoveRefused(Sentence("undo.play_went_on", claim=claim, why=refused.sentence)) from refused


def _ways_it_ended(state: State) -> set[Phase]:
    """Ways in which the game has ended: the last round, the game, or both."""
    return {state.phase, "collecting"} if state.ended_by == "ranking" else {state.phase}


def _checked(game: Past, event: Corrected) -> Correction:
    """The correction, checked against what the hall has seen. A replacement may begin one unseen phase, and
    only if that is in order whichever roll comes, so that a refusal reveals no roll."""
    try:
        return _in_order(game, event, replace(game.basis, seen=game.seen))
    except NotSeen as coming:
        for dice in game.basis.possible(coming.due):
            assumed = replace(game.seen, assumed=(coming.due, dice))
            _in_order(game, event, replace(game.basis, seen=assumed))
    return corrected(game.actions, event, game.basis)


def _in_order(game: Past, event: Corrected, basis: Basis) -> Correction:
    """Check the order of the correction. Raises `NotSeen` if the replacement begins a phase of which `basis`
    has no roll."""
    at_once = _at_once(game, event, basis)
    correction = _folded(game, event, basis)
    seen, ways = game.seen.furthest, _ways_it_ended(game.state)
    if at_once is not None:
        seen, ways = max(seen, at_once.position), ways | _ways_it_ended(at_once)
    after = correction.state
    unseen_end = after.played and after.phase not in ways
    if after.position > seen or unseen_end:
        raise MoveRefused(_WOULD_HAVE_RUN_OUT)
    if after.round < (now := game.state.round) - ROUNDS_BACK:
        if game.basis.rules.play == "turns":
            raise MoveRefused(Sentence("undo.too_far_back_in_turns", from_turn=now, to_turn=after.round))
        raise MoveRefused(Sentence("undo.too_far_back", from_round=now, to_round=after.round))
    return correction
