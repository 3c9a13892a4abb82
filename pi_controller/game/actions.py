"""The actions in force, in order, with states kept along the way, so that no fold begins at the beginning."""

from collections.abc import Iterator

import msgspec

from pi_controller.game.commands import (
    AddTime,
    Claim,
    End,
    LastRounds,
    Pause,
    Press,
    Resume,
    SetClaims,
    SetSchedule,
    Skip,
    Start,
    Turn,
    Verdict,
    Withdraw,
)
from pi_controller.game.events import Action
from pi_controller.game.state import State

KEPT_EVERY = 32
"""So many actions lie between two kept states: at most so many are done again to reach any place. More would
make a late undo longer, fewer would keep more memory. Before each of the newest actions, which are what is
mostly undone, every state is kept."""


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
"""What `undo` takes back when the director did it."""

NOT_THE_DIRECTOR = ("table", "seat", "system")
"""Sources whose actions `undo` leaves alone."""


def undoable(action: Action) -> bool:
    """Whether `undo` takes this action back: what the director does, not tables, phones and the system; of a
    seat's turn whoever pressed."""
    ours = isinstance(action.command, Turn) or action.source not in NOT_THE_DIRECTOR
    return isinstance(action.command, UNDOABLE) and ours


class Stretch(msgspec.Struct, frozen=True):
    """Actions that follow each other. `before` is the state that those before the first of them lead to,
    `later` the states before the next ones, as far as they are kept."""

    before: State
    actions: tuple[Action, ...] = ()
    later: tuple[State, ...] = ()

    def with_one(self, action: Action, before: State) -> "Stretch":
        """This action behind the others."""
        if not self.actions:
            return Stretch(before, (action,))
        complete = len(self.later) == len(self.actions) - 1
        return Stretch(
            self.before, (*self.actions, action), (*self.later, before) if complete else self.later
        )

    def first(self, count: int) -> "Stretch":
        """Only the first so many."""
        return Stretch(self.before, self.actions[:count], self.later[: max(0, count - 1)])

    def kept_before(self, place: int) -> tuple[State, tuple[Action, ...]]:
        """The last state kept before this place, and the actions that lie between."""
        known = min(place, len(self.later))
        return self.later[known - 1] if known else self.before, self.actions[known:place]


class Actions(msgspec.Struct, frozen=True):
    """A list that never changes; adding to it costs the same however long it is.

    `full` are stretches of exactly KEPT_EVERY actions, `newest` is the one that still grows. `last` is the
    state just after the last action; `last_undoable` is the place of the last one that `undo` takes back,
    None without one. A kept state is never that of a later moment: what a redo brings back between two
    actions happened before the clock turned.
    """

    full: tuple[Stretch, ...]
    newest: Stretch
    last: State
    last_undoable: int | None = None

    @classmethod
    def none(cls, state: State) -> "Actions":
        """Before the first action, in this state."""
        return cls((), Stretch(state), state)

    def __len__(self) -> int:
        return len(self.full) * KEPT_EVERY + len(self.newest.actions)

    def __getitem__(self, index: int) -> Action:
        """The action at this place, counted from 0; IndexError behind the last."""
        stretch, place = self._find(index)
        return stretch.actions[place]

    def __iter__(self) -> Iterator[Action]:
        return self.since(0)

    def __reversed__(self) -> Iterator[Action]:
        yield from reversed(self.newest.actions)
        for stretch in reversed(self.full):
            yield from reversed(stretch.actions)

    def since(self, index: int) -> Iterator[Action]:
        """The actions from this place on."""
        stretch, place = self._find(index)
        yield from stretch.actions[place:]
        if stretch is not self.newest:
            for later in (*self.full[index // KEPT_EVERY + 1 :], self.newest):
                yield from later.actions

    def with_one(self, action: Action, after: State) -> "Actions":
        """This action behind the last one; `after` is the state just after it."""
        newest = self.newest
        undo = len(self) if undoable(action) else self.last_undoable
        if len(newest.actions) < KEPT_EVERY:
            return Actions(self.full, newest.with_one(action, self.last), after, undo)
        full = (*self.full, Stretch(newest.before, newest.actions))
        return Actions(full, Stretch(self.last, (action,)), after, undo)

    def first(self, count: int, last: State) -> "Actions":
        """Only the first so many, which lead to `last`."""
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
        """The stretch that this place lies in, or lies right behind, and the place within it."""
        number = min(index // KEPT_EVERY, len(self.full))
        stretch = self.full[number] if number < len(self.full) else self.newest
        return stretch, index - number * KEPT_EVERY
