"""When the newest game cannot go on, another one stands in for it, so that the hall has a clock.

The damaged game's folder stays as it is. A line of the new game's journal names it; until that game begins,
each start tries the damaged one again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pi_controller.core.game_loop.recovery import CannotGoOn, Restored, restore
from pi_controller.game.commands import Start
from pi_controller.hal.roles import Clock
from pi_controller.journal.errors import JournalError, UnknownGame
from pi_controller.journal.reading import Progress
from pi_controller.journal.store import Store
from pi_controller.language.words import words
from pi_controller.sentence import Sentence, as_told, said_by

ENDING = "stands-in"
"""Of the id of a game that stands in for another."""

CANNOT_GO_ON = (CannotGoOn, JournalError, OSError)
"""What a game that cannot be restored raises, with a sentence."""


@dataclass(frozen=True, slots=True)
class Damaged:
    """A game that could not go on, and the sentence that says why and what to do."""

    game_id: str
    why: Sentence

    def line(self) -> tuple[str, dict[str, object]]:
        """For the journal of the game that stands in for it; the reason in English, as in all journals."""
        return "note", {"stands_in_for": {"game": self.game_id, "why": words(self.why)}}

    def told(self) -> Sentence:
        """The standing sentence while another game is shown."""
        return Sentence("start.stands_in", game=self.game_id, why=self.why)


Found = tuple[Restored | None, Damaged | None]


def find(
    store: Store, clock: Clock, *, second_copy: Path | None, progress: Progress = lambda _lines: None
) -> Found:
    """The newest game that can go on, and the one that it stands in for. Without the first a new game must be
    made. `progress` as for `restore`."""
    bring_back = partial(
        restore,
        store.state_dir,
        store,
        second_copy=second_copy,
        boot_ns=clock.boot_ns(),
        boot_id=clock.boot_id,
        wall=clock.wall(),
        progress=progress,
    )
    for game_id in store.game_ids():
        try:
            restored = bring_back(game_id)
        except CANNOT_GO_ON as error:
            return None, Damaged(game_id, said_by(error))
        if restored is not None:
            return _or_its_original(restored, bring_back)
    return None, None


def _or_its_original(restored: Restored, bring_back: Callable[[str], Restored | None]) -> Found:
    damaged = _stands_in_for(restored)
    if damaged is None:
        return restored, None
    if any(isinstance(action.command, Start) for action in restored.game.actions):
        return restored, damaged
    try:
        original = bring_back(damaged.game_id)
    except UnknownGame:
        return restored, None
    except CANNOT_GO_ON as error:
        return restored, Damaged(damaged.game_id, said_by(error))
    return (restored, damaged) if original is None else (original, None)


def _stands_in_for(restored: Restored) -> Damaged | None:
    for record in restored.recovered.records:
        named = record.data.get("stands_in_for") if record.kind == "note" else None
        if named is not None:
            return Damaged(named["game"], as_told(named["why"]))
    return None
