"""The actions in force, in order, each with its name, and with states kept along the way so that no fold
starts at the beginning."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec.structs import replace

from pi_controller.game import clockwork
from pi_controller.game.claims import ClaimRecord, named
from pi_controller.game.commands import (
    PREPARED_LINES,
    PREPARED_TIMERS,
    AddTime,
    Claim,
    ClaimsMode,
    Contribute,
    Cover,
    CoverKind,
    End,
    LastRounds,
    Pause,
    Press,
    Resume,
    Say,
    SetClaims,
    SetSchedule,
    Skip,
    Start,
    Timer,
    Turn,
    Undo,
    Verdict,
    Withdraw,
)
from pi_controller.game.dice import Basis, NotSeen, SeenDice
from pi_controller.game.events import Action, Corrected
from pi_controller.game.moves import MoveContext, MoveRefused
from pi_controller.game.phases import NotAllowed, perform
from pi_controller.game.rule_sets import Play, RuleSet
from pi_controller.game.state import CountingDown, Running, State
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import HoldReason, Phase

KEPT_EVERY = 32
"""Actions between two kept states, and so the most that are done again to reach a place. More would make a
late undo slower, fewer would need more memory. Before each of the newest actions, which are undone most
often, every state is kept."""


UNDOABLE = (
    Start,
    Pause,
    Press,
    Turn,
    Resume,
    Skip,
    AddTime,
    SetSchedule,
    SetClaims,
    Claim,
    Withdraw,
    Verdict,
    LastRounds,
    End,
)
"""Commands that `undo` takes back if the director gave them."""

NOT_THE_DIRECTOR = ("table", "seat", "system")
"""Sources whose actions `undo` leaves alone."""


def undoable(action: Action) -> bool:
    """Whether `undo` takes this action back: those of the director, not of tables, phones and the system; a
    seat's turn whoever pressed."""
    ours = isinstance(action.command, Turn) or action.source not in NOT_THE_DIRECTOR
    return isinstance(action.command, UNDOABLE) and ours


PAUSED: Mapping[HoldReason, Sentence] = {
    "director": Sentence("action.paused"),
    "fault": Sentence("action.paused_by_fault"),
    "recovery": Sentence("action.paused_by_restart"),
}
PRESSED: Mapping[Play, Sentence] = {
    "rounds": Sentence("action.pressed"),
    "turns": Sentence("action.turned"),
}
CLAIMS: Mapping[ClaimsMode, Sentence] = {
    "ask": Sentence("action.claims_ask"),
    "pause": Sentence("action.claims_pause"),
}
COVERED: Mapping[CoverKind, Sentence] = {
    "none": Sentence("action.uncovered"),
    "black": Sentence("action.covered_black"),
    "test": Sentence("action.covered_test"),
}


def _said_of_start(command: Start) -> Sentence:
    if not command.override:
        return Sentence("action.started")
    if command.reason is None:
        return Sentence("action.started_in_spite")
    return Sentence("action.started_because", reason=command.reason)


def _said_of_turn(command: Turn, rules: RuleSet) -> Sentence:
    if command.seat is None:
        return Sentence("action.turned")
    return Sentence("action.seat_turned", seat=rules.side_name(command.seat))


def _said_of_time(command: AddTime) -> Sentence:
    if command.ms < 0:
        return Sentence("action.time_taken", seconds=-command.ms / 1000)
    return Sentence("action.time_added", seconds=command.ms / 1000)


def _said_of_claim(command: Claim, rules: RuleSet) -> Sentence:
    side = None if command.side is None else rules.side_name(command.side)
    if side is None:
        return Sentence("action.claimed_by_button")
    if command.board is None:
        return Sentence("action.seat_claimed", seat=side)
    return Sentence("action.claimed", board=command.board, side=side)


def _closed(command: Verdict | Withdraw, after: State) -> ClaimRecord:
    """The claim that was just judged or withdrawn."""
    claim = after.claims.find(command.claim)
    if claim is None:
        raise ValueError(f"{command.claim} was closed and is not among the claims")
    return claim


def _said_of_withdrawal(claim: ClaimRecord) -> Sentence:
    if claim.board is None:
        return Sentence("action.withdrawn")
    return Sentence("action.board_withdrawn", board=claim.board)


def _said_of_verdict(claim: ClaimRecord) -> Sentence:
    """The sentence for what the claim has become."""
    confirmed, board, points = claim.status == "confirmed", claim.board, claim.points
    if board is None:
        return Sentence("action.confirmed") if confirmed else Sentence("action.rejected")
    if points is None and confirmed:
        return Sentence("action.board_confirmed", board=board)
    if points is None:
        return Sentence("action.board_rejected", board=board)
    if confirmed:
        return Sentence("action.board_confirmed_points", board=board, count=points)
    return Sentence("action.board_rejected_points", board=board, count=points)


def _said_of_line(command: Say) -> Sentence:
    if command.line is not None:
        return Sentence("action.said", text=PREPARED_LINES[command.line])
    return Sentence("action.said", text=command.text) if command.text else Sentence("action.unsaid")


def _said_of_timer(command: Timer) -> Sentence:
    if command.stop:
        return Sentence("action.timer_stopped")
    if command.prepared is not None:
        return Sentence("action.timer", label=PREPARED_TIMERS[command.prepared])
    return (
        Sentence("action.timer", label=command.label) if command.label else Sentence("action.timer_unnamed")
    )


SAID: Mapping[type, Callable[[Any, State, RuleSet], Sentence]] = {
    Contribute: lambda did, _after, _rules: Sentence("action.word", text=did.text),
    Start: lambda did, _after, _rules: _said_of_start(did),
    Pause: lambda did, _after, _rules: PAUSED[did.reason],
    Press: lambda _did, _after, rules: PRESSED[rules.play],
    Turn: lambda did, _after, rules: _said_of_turn(did, rules),
    Resume: lambda _did, _after, _rules: Sentence("action.resumed"),
    Skip: lambda _did, _after, _rules: Sentence("action.skipped"),
    AddTime: lambda did, _after, _rules: _said_of_time(did),
    SetSchedule: lambda _did, _after, _rules: Sentence("action.schedule_changed"),
    SetClaims: lambda did, _after, _rules: CLAIMS[did.mode],
    Claim: lambda did, _after, rules: _said_of_claim(did, rules),
    Withdraw: lambda did, after, _rules: _said_of_withdrawal(_closed(did, after)),
    Verdict: lambda did, after, _rules: _said_of_verdict(_closed(did, after)),
    LastRounds: lambda did, _after, _rules: Sentence("action.last_rounds", count=did.count),
    End: lambda _did, _after, _rules: Sentence("action.ended"),
    Say: lambda did, _after, _rules: _said_of_line(did),
    Cover: lambda did, _after, _rules: COVERED[did.kind],
    Timer: lambda did, _after, _rules: _said_of_timer(did),
}
"""The name of each kind of action, from the command and the state just after it."""


class Stretch(msgspec.Struct, frozen=True):
    """Consecutive actions with their names. `before` is the state before the first of them, `later` the
    states before the following ones, as far as kept."""

    before: State
    actions: tuple[Action, ...] = ()
    said: tuple[Sentence, ...] = ()
    later: tuple[State, ...] = ()

    def with_one(self, action: Action, said: Sentence, before: State) -> "Stretch":
        """The stretch with this action appended."""
        if not self.actions:
            return Stretch(before, (action,), (said,))
        complete = len(self.later) == len(self.actions) - 1
        later = (*self.later, before) if complete else self.later
        return Stretch(self.before, (*self.actions, action), (*self.said, said), later)

    def first(self, count: int) -> "Stretch":
        """The first `count` actions only."""
        later = self.later[: max(0, count - 1)]
        return Stretch(self.before, self.actions[:count], self.said[:count], later)

    def kept_before(self, place: int) -> tuple[State, tuple[Action, ...]]:
        """The last state kept before this place, and the actions that lie between."""
        known = min(place, len(self.later))
        return self.later[known - 1] if known else self.before, self.actions[known:place]


class Actions(msgspec.Struct, frozen=True):
    """An immutable list; appending costs the same at any length.

    `full` are stretches of exactly KEPT_EVERY actions, `newest` is the growing one. `last` is the state just
    after the last action. `last_undoable` is the place of the last action that `undo` takes back, None
    without one. A kept state is never later than its place: what a redo restores between two actions happened
    before the next phase change.
    """

    full: tuple[Stretch, ...]
    newest: Stretch
    last: State
    last_undoable: int | None = None

    @classmethod
    def none(cls, state: State) -> "Actions":
        """No actions yet, in this state."""
        return cls((), Stretch(state), state)

    def __len__(self) -> int:
        return len(self.full) * KEPT_EVERY + len(self.newest.actions)

    def __getitem__(self, index: int) -> Action:
        """The action at this place, from 0. Raises IndexError behind the last."""
        stretch, place = self._find(index)
        return stretch.actions[place]

    def __iter__(self) -> Iterator[Action]:
        return self.since(0)

    def __reversed__(self) -> Iterator[Action]:
        yield from reversed(self.newest.actions)
        for stretch in reversed(self.full):
            yield from reversed(stretch.actions)

    def said(self, index: int) -> Sentence:
        """The name of the action at this place, as given when it was done."""
        stretch, place = self._find(index)
        return stretch.said[place]

    def since(self, index: int) -> Iterator[Action]:
        """The actions from this place on."""
        stretch, place = self._find(index)
        yield from stretch.actions[place:]
        if stretch is not self.newest:
            for later in (*self.full[index // KEPT_EVERY + 1 :], self.newest):
                yield from later.actions

    def with_one(self, action: Action, after: State, rules: RuleSet) -> "Actions":
        """The list with this action appended; `after` is the state just after it."""
        said = SAID[type(action.command)](action.command, after, rules)
        newest = self.newest
        undo = len(self) if undoable(action) else self.last_undoable
        if len(newest.actions) < KEPT_EVERY:
            return Actions(self.full, newest.with_one(action, said, self.last), after, undo)
        full = (*self.full, Stretch(newest.before, newest.actions, newest.said))
        return Actions(full, Stretch(self.last, (action,), (said,)), after, undo)

    def first(self, count: int, last: State) -> "Actions":
        """The first `count` actions only, which lead to state `last`."""
        stretch, left = self._find(count)
        undo = self.last_undoable
        while undo is not None and undo >= count:
            undo = next((place for place in range(undo - 1, -1, -1) if undoable(self[place])), None)
        return Actions(self.full[: count // KEPT_EVERY], stretch.first(left), last, undo)

    def kept_before(self, index: int) -> tuple[State, tuple[Action, ...]]:
        """The last state kept before this place, and the actions that lie between."""
        if index == len(self):
            return self.last, ()
        stretch, place = self._find(index)
        return stretch.kept_before(place)

    def _find(self, index: int) -> tuple[Stretch, int]:
        """The stretch that contains this place or ends right before it, and the place within it."""
        number = min(index // KEPT_EVERY, len(self.full))
        stretch = self.full[number] if number < len(self.full) else self.newest
        return stretch, index - number * KEPT_EVERY


# Undo, redo and replace by one mechanism: a game is the fold of its actions, and a correction changes
# their list.

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
