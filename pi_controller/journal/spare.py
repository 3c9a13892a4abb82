"""From the second copy on a stick to the state folder of another controller: whole, or not at all.

A draft is made beside the games, tried, and then moved into place with one renaming. What was there and gives
way is set aside, never deleted.
"""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, islice, takewhile
from pathlib import Path

from pi_controller.journal.errors import JournalError, UnknownGame
from pi_controller.journal.export_files import games
from pi_controller.journal.files import read_regular
from pi_controller.journal.heartbeat import read_heartbeat
from pi_controller.journal.pairing import SEALED_NAME, read_key
from pi_controller.journal.private import hand_over, private_folder, sync_folder, write_private
from pi_controller.journal.record import Record, known
from pi_controller.journal.recovery import Recovered, recover
from pi_controller.journal.second_copy import HEARTBEAT_NAME
from pi_controller.journal.store import Store, segment_name

DRAFT_NAME = "restore.draft"
ASIDE_NAME = "set-aside"
DEEPEST_LOOK = 2
"""Folders below the one that was named in which a copy is looked for: the stick itself may be named."""


class CannotRestore(JournalError, RuntimeError):  # noqa: N818 - like the others of this package
    """The copy does not become a game here; nothing was changed. One sentence with the remedy."""


@dataclass(frozen=True, slots=True)
class Copied:
    """The newest game of a second copy in `folder`. `notes` are sentences about what it lacks."""

    folder: Path
    recovered: Recovered
    notes: tuple[str, ...]

    @property
    def game_id(self) -> str:
        return self.recovered.game_id


def read_copy(stick: Path, *, as_far_as_readable: bool = False) -> Copied:
    """The newest game on the stick. Changes nothing. CannotRestore, NewerJournal, OSError."""
    folder = _folder_with_games(stick)
    found = recover(folder)
    if found is None:
        raise CannotRestore(f"There is no game in {folder}: name the folder that journal.second_copy named.")
    if not found.records:
        raise CannotRestore(
            f"The copy of game {found.game_id} in {folder} has lost its first line, so nothing of it can be"
            " used: the first controller's memory card still has the game."
        )
    if found.lost and not as_far_as_readable:
        raise CannotRestore(
            f"The copy of game {found.game_id} is damaged: it is readable up to line {len(found.records)},"
            f" and {found.lost} later lines are not. Use the first controller's memory card, or give"
            " --as-far-as-readable to go on from there."
        )
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
                raise CannotRestore(
                    f"A newer game has been played here ({game.game_id}) than the one on the stick"
                    f" ({copied.game_id}): start this controller to go on with the newer one, or move"
                    f" {Store(state_dir).folder(game.game_id)} away."
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
        raise CannotRestore(
            f"The copy of game {copied.game_id} holds no seed, because the controllers were not paired when"
            " it was written: its rolls cannot go on here. The game can be read and exported"
            f" (`pi-controller journal export {copied.game_id} --state-dir {copied.folder} -o F`);"
            " to go on, put the first controller's memory card into this one, or arm a new game."
        )
    key = read_key(state_dir)
    if key is None:
        raise CannotRestore(
            f"The seed of game {copied.game_id} is sealed and this controller has no pairing key: bring the"
            " first controller's key here with `pi-controller pair import`."
        )
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
    moved = tuple(_set_aside(store, game_id) for game_id in aside)
    if draft.heartbeat_path.exists():
        draft.heartbeat_path.replace(store.heartbeat_path)
    draft.folder(copied.game_id).rename(store.folder(copied.game_id))
    sync_folder(store.games_dir)
    sync_folder(state_dir)
    drop_draft(state_dir)
    return moved


def _folder_with_games(stick: Path) -> Path:
    if not stick.is_dir():
        raise CannotRestore(f"The folder {stick} is not there: plug the stick in, and name where it appears.")
    level = [stick]
    for _ in range(DEEPEST_LOOK + 1):
        found = [folder for folder in level if (folder / "games").is_dir()]
        if len(found) == 1:
            return found[0]
        if found:
            raise CannotRestore(
                f"Several second copies lie below {stick} ({', '.join(map(str, found))}): name one of them."
            )
        level = [inner for folder in level for inner in _folders_in(folder)]
    raise CannotRestore(
        f"There is no second copy below {stick}: name the folder that journal.second_copy named."
    )


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
            f"This controller has game {copied.game_id} as far as the stick or further ({len(ours)} lines,"
            f" the stick {len(theirs)}): just start it."
        )
    if len(ours) > common and (_done_by_people(ours, common) or not _done_by_people(theirs, common)):
        raise CannotRestore(
            f"Game {copied.game_id} went on in two places after the copy was made, here and elsewhere: decide"
            f" which one counts, and move {Store(state_dir).folder(copied.game_id)} away to take the copy."
        )


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


def _set_aside(store: Store, game_id: str) -> Path:
    folder = store.state_dir / ASIDE_NAME
    private_folder(folder)
    names = (f"{game_id}-{number}" for number in count(1))
    target = next(folder / name for name in names if not (folder / name).exists())
    store.folder(game_id).rename(target)
    hand_over(target)
    sync_folder(folder)
    return target
