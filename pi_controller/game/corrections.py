"""Undo, redo and replace in one mechanism: a game is the fold of its actions, a correction changes those."""

from collections.abc import Callable
from dataclasses import dataclass

from pi_controller.game.commands import UNDOABLE, Command, Pause
from pi_controller.game.events import Action, Corrected
from pi_controller.game.moves import Refused
from pi_controller.game.state import Counting, Running, State

NOT_THE_DIRECTOR = ("table", "system")
"""Sources whose actions `undo` leaves alone."""

ROUNDS_BACK = 1
"""How many rounds that the hall has played a correction may take back."""


@dataclass(frozen=True, slots=True)
class ActionList:
    """What a correction needs to know of the game."""

    actions: tuple[Action, ...]
    undone: tuple[Corrected, ...]
    state: State
    furthest: tuple[int, int]
    next_action: int
    fold: Callable[[tuple[Action, ...], int], State]


def undo(game: ActionList, instead: Command | None, now_ns: int) -> Corrected:
    """Take the last director's action back, as if `instead` had been done at that moment.

    A game that was ended while its clock ran comes back paused at that moment. Raises `Refused` when there
    is nothing to undo, when a later action needs it, or when the clock would have run past the end of a
    phase that the hall has not seen.
    """
    if instead is not None and not isinstance(instead, UNDOABLE):
        raise Refused("Only something that can itself be undone can come in its place.")
    index = _last_undoable(game.actions)
    removed = game.actions[index]
    before = game.fold(game.actions[:index], removed.seen_ns)
    put = None
    if instead is not None:
        put = Action(game.next_action, instead, removed.at_ns, removed.seen_ns, removed.source)
    elif _ended_in_play(game, index, before):
        put = Action(game.next_action, Pause(), removed.at_ns, removed.seen_ns, removed.source)
    event = Corrected("undone", index, removed, put, now_ns)
    _check(game, event)
    return event


def redo(game: ActionList, now_ns: int) -> Corrected:
    """Do again, at its own moment, what the last undo took back; raises `Refused` as `undo` does."""
    if not game.undone:
        raise Refused("There is nothing to redo: redo comes right after an undo.")
    last = game.undone[-1]
    event = Corrected("redone", last.index, last.put, last.removed, now_ns)
    _check(game, event)
    return event


def corrected(actions: tuple[Action, ...], event: Corrected) -> tuple[Action, ...]:
    """The list of actions after the correction."""
    put = () if event.put is None else (event.put,)
    gone = 0 if event.removed is None else 1
    return (*actions[: event.index], *put, *actions[event.index + gone :])


def undoable(action: Action) -> bool:
    """Whether `undo` takes this action back: what the director does, not what tables and the system do."""
    return isinstance(action.command, UNDOABLE) and action.source not in NOT_THE_DIRECTOR


def _last_undoable(actions: tuple[Action, ...]) -> int:
    for index in reversed(range(len(actions))):
        if undoable(actions[index]):
            return index
    raise Refused("There is nothing to undo in this game.")


def _ended_in_play(game: ActionList, index: int, before: State) -> bool:
    """Whether this action ended a game whose clock was running or about to."""
    after = game.fold(game.actions[: index + 1], game.actions[index].seen_ns)
    return after.phase == "ended" != before.phase and isinstance(before.clock, (Running, Counting))


def _check(game: ActionList, event: Corrected) -> None:
    changed = corrected(game.actions, event)
    if event.put is not None:
        at_once = game.fold(changed[: event.index + 1], event.put.seen_ns)
        seen = max(game.furthest, at_once.position)
        ends = at_once.phase == "ended"
    else:
        seen, ends = game.furthest, False
    after = game.fold(changed, event.at_ns)
    unseen_end = after.phase == "ended" and not ends and game.state.phase != "ended"
    if after.position > seen or unseen_end:
        raise Refused(
            "With this correction the countdown would have run out by now, unseen by the hall: "
            "resume, add time or skip instead."
        )
    if after.round < game.state.round - ROUNDS_BACK:
        raise Refused(
            f"That would take the hall back from round {game.state.round} to round {after.round}, "
            "over rounds that it has played: only one round can be taken back."
        )
