"""The actions in force, in order, each with its name, and with states kept along the way so that no fold
starts at the beginning."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from pi_controller.game.claims import ClaimRecord
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
    Verdict,
    Withdraw,
)
from pi_controller.game.events import Action
from pi_controller.game.rule_sets import Play, RuleSet
from pi_controller.game.state import State
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import HoldReason

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
