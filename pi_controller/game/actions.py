"""The actions in force, in order, with states kept along the way, so that no fold begins at the beginning."""

from collections.abc import Iterator
from dataclasses import dataclass

from pi_controller.game.events import Action
from pi_controller.game.state import State

KEPT_EVERY = 32
"""So many actions lie between two kept states: at most so many are done again to reach any place. More would
make each undo longer, fewer would keep more memory (a state is some 300 bytes)."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Actions that follow each other, and the state in which the first of them was done."""

    before: State
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class Actions:
    """A list that never changes; adding to it costs the same however long it is.

    `full` are stretches of exactly KEPT_EVERY actions, `newest` is the one that still grows.
    """

    full: tuple[Stretch, ...]
    newest: Stretch

    @classmethod
    def none(cls, state: State) -> "Actions":
        """Before the first action, in this state."""
        return cls((), Stretch(state))

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

    def with_one(self, action: Action, before: State) -> "Actions":
        """This action behind the last one; `before` is the state in which it is done."""
        newest = self.newest
        if not newest.actions:
            return Actions(self.full, Stretch(before, (action,)))
        if len(newest.actions) < KEPT_EVERY:
            return Actions(self.full, Stretch(newest.before, (*newest.actions, action)))
        return Actions((*self.full, newest), Stretch(before, (action,)))

    def first(self, count: int) -> "Actions":
        """Only the first so many."""
        stretch, left = self._find(count)
        return Actions(self.full[: count // KEPT_EVERY], Stretch(stretch.before, stretch.actions[:left]))

    def kept_before(self, index: int) -> Stretch:
        """The last state kept before this place, and the actions that lie between."""
        stretch, place = self._find(index)
        return Stretch(stretch.before, stretch.actions[:place])

    def _find(self, index: int) -> tuple[Stretch, int]:
        """The stretch that this place lies in, or lies right behind, and the place within it."""
        number = min(index // KEPT_EVERY, len(self.full))
        stretch = self.full[number] if number < len(self.full) else self.newest
        return stretch, index - number * KEPT_EVERY
