"""Which game a start goes on with: the newest one that anything tells of. When that one cannot go on, another
one stands in for it, so that the hall has a clock; to start that is for a person to decide.

The damaged game's files stay as they are. A line of the new game's journal names it; until that game begins,
each start tries the damaged one again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pi_controller.core.game_loop.recovery import CannotGoOn, Restored, restore
from pi_controller.game.commands import Start
from pi_controller.hal.roles import Clock
from pi_controller.journal.errors import JournalError, NoGame
from pi_controller.journal.heartbeat import read_heartbeat
from pi_controller.journal.reading import Progress
from pi_controller.journal.store import SEED_NAME, Store, newest_first
from pi_controller.journal.witnesses import known_ids, look_up, removed
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


@dataclass(frozen=True, slots=True)
class Found:
    """The game that goes on, and the one that it stands in for. Without the first a new game must be made.
    `passed_over` names folders among the games that hold none."""

    restored: Restored | None = None
    damaged: Damaged | None = None
    passed_over: tuple[Sentence, ...] = ()

    @property
    def confirmed(self) -> bool:
        """Somebody has started this game in the place of the other one, or there is no other one."""
        return self.damaged is None or (self.restored is not None and _begun(self.restored))


def find(
    store: Store, clock: Clock, *, second_copy: Path | None, progress: Progress = lambda _lines: None
) -> Found:
    """The newest game that anything tells of, whether its journal is there or not; never an older one in its
    place. `progress` as for `restore`."""
    bring_back = partial(
        _bring_back,
        store,
        second_copy=second_copy,
        boot_ns=clock.boot_ns(),
        boot_id=clock.boot_id,
        wall=clock.wall(),
        progress=progress,
    )
    gone = removed(store.state_dir)
    known = known_ids(store, second_copy)
    store.come_after(known | gone)
    passed_over: list[Sentence] = []
    for game_id in newest_first(known.union(store.game_ids()) - gone):
        try:
            restored = bring_back(game_id)
        except NoGame as junk:
            if game_id in known:
                return Found(None, _lost(store, game_id), tuple(passed_over))
            passed_over.append(junk.sentence)
            continue
        except CANNOT_GO_ON as error:
            return Found(None, Damaged(game_id, said_by(error)), tuple(passed_over))
        if restored is not None:
            return Found(*_or_its_original(restored, bring_back, store, gone), tuple(passed_over))
        if game_id in known or _was_on(store, game_id):
            return Found(None, _lost(store, game_id), tuple(passed_over))
    return Found(passed_over=tuple(passed_over))


def _bring_back(store: Store, game_id: str, **given: Any) -> Restored | None:
    """A game whose folder has gone gets one, for what a copy has of it. Raises CANNOT_GO_ON."""
    store.files.make_folder(store.folder(game_id))
    return restore(store.state_dir, store, game_id, **given)


def _was_on(store: Store, game_id: str) -> bool:
    """Whether a game of which there is a seed and no line was shown to anybody. The seed comes first, so that
    a fall in between leaves such a folder; but then the heartbeat goes on naming the game before."""
    if not (store.folder(game_id) / SEED_NAME).exists():
        return False
    try:
        beat = read_heartbeat(store.heartbeat_path)
    except OSError:
        return True
    return beat is None or beat.game_id == game_id


def _lost(store: Store, game_id: str) -> Damaged:
    folder = str(store.folder(game_id))
    found = Sentence("start.journal_lost", known=look_up(store, game_id).told)
    remedy = Sentence("start.bring_back_or_give_up", folder=folder, game=game_id)
    return Damaged(game_id, CannotGoOn(found, remedy).sentence)


def _or_its_original(
    restored: Restored, bring_back: Callable[[str], Restored | None], store: Store, gone: set[str]
) -> tuple[Restored, Damaged | None]:
    damaged = _stands_in_for(restored)
    if damaged is None or damaged.game_id in gone:
        return restored, None
    if _begun(restored):
        return restored, damaged
    try:
        original = bring_back(damaged.game_id)
    except CANNOT_GO_ON as error:
        return restored, Damaged(damaged.game_id, said_by(error))
    return (restored, _lost(store, damaged.game_id)) if original is None else (original, None)


def _begun(restored: Restored) -> bool:
    return any(isinstance(action.command, Start) for action in restored.game.actions)


def _stands_in_for(restored: Restored) -> Damaged | None:
    for record in restored.recovered.records:
        named = record.data.get("stands_in_for") if record.kind == "note" else None
        if named is not None:
            return Damaged(named["game"], as_told(named["why"]))
    return None
