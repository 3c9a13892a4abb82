"""The last actions of a game in sentences, and what undoing and redoing them would leave. Pure."""

import msgspec

from pi_controller.game.actions import undoable
from pi_controller.game.commands import Redo, Undo
from pi_controller.game.events import Action
from pi_controller.game.game import Game, foresee
from pi_controller.sentence import Sentence

SHOWN = 24
"""So many actions are told."""
FORESEEN = 6
"""So many successive undos are worked out beforehand; each folds the game anew."""


class Outcome(msgspec.Struct, frozen=True):
    """What undoing or redoing would come to: the game after it, the sentences that refuse it, or `unseen`: a
    roll that the hall has not seen."""

    game: Game | None
    against: tuple[Sentence, ...] = ()
    unseen: bool = False


class PastAction(msgspec.Struct, frozen=True):
    """One action as it is told. `steps`: the undo that takes it back is so many undos away, None where none
    does, or it lies too deep to be foreseen; `outcome` is what is left then."""

    id: int
    at_ns: int
    source: str
    said: Sentence
    steps: int | None = None
    outcome: Outcome | None = None


class Timeline(msgspec.Struct, frozen=True):
    """The newest actions in force, and those that were undone in the order in which redo brings them back;
    with `steps` and `outcome` of that redo."""

    done: tuple[PastAction, ...]
    undone: tuple[PastAction, ...]


def timeline(game: Game, now_ns: int) -> Timeline:
    """Newest first."""
    done, left, steps = [], Outcome(game), 0
    for action, place in zip(reversed(game.actions), _places(game), strict=False):
        said = game.actions.said(place)
        if undoable(action) and left.game is not None and steps < FORESEEN:
            steps += 1
            left = outcome(left.game, Undo(), now_ns)
            done.append(_told(action, said, steps, left))
        else:
            done.append(_told(action, said))
    undone, back = [], Outcome(game)
    for steps, one in enumerate(reversed(game.undone[-FORESEEN:]), start=1):
        if back.game is None:
            break
        back = outcome(back.game, Redo(), now_ns)
        if one.event.removed is not None:
            undone.append(_told(one.event.removed, one.said, steps, back))
    return Timeline(tuple(done), tuple(undone))


def outcome(game: Game, correction: Undo | Redo, now_ns: int) -> Outcome:
    """What this would come to now; nothing is done."""
    decision = foresee(game, correction, at_ns=now_ns, now_ns=now_ns, source="web")
    return Outcome(decision.game, decision.reasons, decision.unseen)


def _places(game: Game) -> range:
    """Of the actions that are told, the last one first."""
    return range(len(game.actions) - 1, max(-1, len(game.actions) - 1 - SHOWN), -1)


def _told(
    action: Action, said: Sentence, steps: int | None = None, left: Outcome | None = None
) -> PastAction:
    return PastAction(action.id, action.at_ns, action.source, said, steps, left)
