"""From the second copy on a stick to the state folder of another controller: whole, or not at all.

A draft is made beside the games, tried, and then moved into place with one renaming. What was there and gives
way is set aside, never deleted.
"""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path

from pi_controller.journal.errors import JournalError, UnknownGame
from pi_controller.journal.files import read_regular
from pi_controller.journal.heartbeat import read_heartbeat
from pi_controller.journal.pairing import SEALED_NAME, read_key
from pi_controller.journal.private import private_folder, sync_folder, write_private
from pi_controller.journal.record import Record, known
from pi_controller.journal.recovery import Recovered, recover
from pi_controller.journal.second_copy import HEARTBEAT_NAME
from pi_controller.journal.store import Store, segment_name
from pi_controller.journal.witnesses import games, set_aside
from pi_controller.sentence import Sentence

DRAFT_NAME = "restore.draft"
DEEPEST_LOOK = 2
"""Folders below the one that was named in which a copy is looked for: the stick itself may be named."""


class CannotRestore(JournalError, RuntimeError):  # noqa: N818 - like the others of this package
    """The copy does not become a game here; nothing was changed. One sentence with the remedy."""


@dataclass(frozen=True, slots=True)
class Copied:
    """The newest game of a second copy in `folder`. `notes` say what it lacks."""

    folder: Path
    recovered: Recovered
    notes: tuple[Sentence, ...]

    @property
    def game_id(self) -> str:
        return self.recovered.game_id


def read_copy(stick: Path, *, as_far_as_readable: bool = False) -> Copied:
    """The newest game on the stick. Changes nothing. CannotRestore, NewerJournal, OSError."""
    folder = _folder_with_games(stick)
    found = recover(folder)
    if found is None:
        raise CannotRestore(Sentence("restore.no_game", folder=str(folder)))
    if not found.records:
        raise CannotRestore(Sentence("restore.first_line_lost", game=found.game_id, folder=str(folder)))
    if found.lost and not as_far_as_readable:
        readable, lost = len(found.records), found.lost
        raise CannotRestore(Sentence("restore.damaged", game=found.game_id, readable=readable, lost=lost))
    return Copied(folder, found, tuple(damage.sentence for damage in found.cut))


def check_own(state_dir: Path, copied: Copied) -> tuple[str, ...]:
    """The games here that have to give way: one that is the same but not as far, and newer ones never begun.

    CannotRestore when a game here is further than the copy.
    """
    aside = []
    for game in games(state_dir):
        if game.game_id == copied.game_id:
            _check_same(state_dir, copied)
            aside.append(game.game_id)
        elif game.game_id > copied.game_id:
            if game.rounds or game.ended or game.problem:
                folder = str(Store(state_dir).folder(game.game_id))
                raise CannotRestore(
                    Sentence("restore.newer_here", newer=game.game_id, game=copied.game_id, folder=folder)
                )
            aside.append(game.game_id)
    return tuple(aside)


def seed_for(state_dir: Path, copied: Copied) -> bytes:
    """The game's seed: this controller's own, or the copy's, opened with the pairing key.

    CannotRestore, PairingFault, OSError.
    """
    try:
        return Store(state_dir).read_seed(copied.game_id)
    except (UnknownGame, FileNotFoundError):
        path = copied.folder / "games" / copied.game_id / SEALED_NAME
    if not path.exists():
        raise CannotRestore(Sentence("restore.without_seed", game=copied.game_id, folder=str(copied.folder)))
    key = read_key(state_dir)
    if key is None:
        raise CannotRestore(Sentence("restore.without_key", game=copied.game_id))
    return key.open(copied.game_id, read_regular(path))


def make_draft(state_dir: Path, copied: Copied, seed: bytes) -> Path:
    """A state folder of its own inside this one, with this game alone; an older draft is thrown away."""
    draft = state_dir / DRAFT_NAME
    drop_draft(state_dir)
    store = Store(draft)
    private_folder(draft)
    private_folder(store.games_dir)
    folder = store.folder(copied.game_id)
    private_folder(folder)
    write_private(folder / "seed", seed.hex().encode("ascii") + b"\n")
    lines = b"".join(copied.recovered.records.lines)
    write_private(folder / segment_name(1), lines)
    beat = copied.folder / HEARTBEAT_NAME
    found = read_heartbeat(beat)
    if found is not None and found.game_id == copied.game_id:
        write_private(store.heartbeat_path, read_regular(beat))
    return draft


def drop_draft(state_dir: Path) -> None:
    """Raises OSError."""
    draft = state_dir / DRAFT_NAME
    if draft.exists():
        shutil.rmtree(draft)


def take_over(state_dir: Path, copied: Copied, aside: tuple[str, ...]) -> tuple[Path, ...]:
    """Put the draft's game in place; where the games went that gave way. Raises OSError.

    A crash in between leaves games set aside and the draft: restoring once more ends it.
    """
    store, draft = Store(state_dir), Store(state_dir / DRAFT_NAME)
    private_folder(store.games_dir)
    moved = tuple(set_aside(store, game_id) for game_id in aside)
    if draft.heartbeat_path.exists():
        draft.heartbeat_path.replace(store.heartbeat_path)
    draft.folder(copied.game_id).rename(store.folder(copied.game_id))
    sync_folder(store.games_dir)
    sync_folder(state_dir)
    drop_draft(state_dir)
    return moved


def _folder_with_games(stick: Path) -> Path:
    if not stick.is_dir():
        raise CannotRestore(Sentence("restore.no_stick", folder=str(stick)))
    level = [stick]
    for _ in range(DEEPEST_LOOK + 1):
        found = [folder for folder in level if (folder / "games").is_dir()]
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(map(str, found))
            raise CannotRestore(Sentence("restore.several_copies", folder=str(stick), copies=names))
        level = [inner for folder in level for inner in _folders_in(folder)]
    raise CannotRestore(Sentence("restore.no_copy", folder=str(stick)))


def _folders_in(folder: Path) -> list[Path]:
    """Those that may be looked into; a stick's `lost+found` may not."""
    may_look = [path for path in sorted(folder.iterdir()) if os.access(path, os.R_OK | os.X_OK)]
    return [path for path in may_look if path.is_dir()]


def _check_same(state_dir: Path, copied: Copied) -> None:
    """What a restart alone has written here gives way: it could not know what the copy has."""
    own = recover(state_dir, copied.game_id)
    ours = own.records.lines if own is not None else ()
    theirs = copied.recovered.records.lines
    common = _common(ours, theirs)
    if len(theirs) == common:
        raise CannotRestore(
            Sentence("restore.as_far_here", game=copied.game_id, lines=len(ours), copied=len(theirs))
        )
    if len(ours) > common and (_done_by_people(ours, common) or not _done_by_people(theirs, common)):
        folder = str(Store(state_dir).folder(copied.game_id))
        raise CannotRestore(Sentence("restore.went_on_twice", game=copied.game_id, folder=folder))


def _common(ours: Sequence[bytes], theirs: Sequence[bytes]) -> int:
    """How many lines both have from the first on."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False))
    return sum(1 for _ in same)


def _done_by_people(lines: Sequence[bytes], since: int) -> bool:
    """Whether there is more behind the first lines than the notes and the pause that a restart writes."""
    return any(not _of_a_restart(known(line)) for line in islice(lines, since, None))


def _of_a_restart(record: Record) -> bool:
    if record.kind in ("turned", "went_on"):
        return True
    if record.kind == "note":
        return "recovery" in record.data
    return record.kind == "did" and record.data.get("action", {}).get("source") == "system"
