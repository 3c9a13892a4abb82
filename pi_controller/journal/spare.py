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
from pi_controller.journal.export_files import GameSummary, about_path, lines_path
from pi_controller.journal.files import read_lines, read_regular
from pi_controller.journal.pairing import SEALED_NAME, read_key
from pi_controller.journal.private import private_folder, sync_folder, write_private
from pi_controller.journal.record import Record, known
from pi_controller.journal.recovery import Recovered, recover
from pi_controller.journal.store import Store, segment_name, segments
from pi_controller.journal.witnesses import bring_back, games, give_up, known_ids, newest_beat, set_aside
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence, as_told

DRAFT_NAME = "restore.draft"
DEEPEST_LOOK = 2
"""Folders below the one that was named in which a copy is looked for: the stick itself may be named."""


class CannotRestore(JournalError, RuntimeError):  # noqa: N818 - like the others of this package
    """The copy does not become a game here; nothing was changed. One sentence with the remedy."""


@dataclass(frozen=True, slots=True)
class Copied:
    """One game of a second copy in `folder`. `notes` say what it lacks."""

    folder: Path
    recovered: Recovered
    notes: tuple[Sentence, ...]

    @property
    def game_id(self) -> str:
        return self.recovered.game_id


@dataclass(frozen=True, slots=True)
class Listed:
    """A game that a second copy holds, or tells of. `unfinished`: it was on when the copy ended."""

    summary: GameSummary
    unfinished: bool

    @property
    def told(self) -> Sentence:
        """A line of the list."""
        game = self.summary
        if game.problem is not None:
            return Sentence("restore.listed_problem", game=game.game_id, why=as_told(game.problem))
        armed, played = game.armed_at, game.rounds
        if self.unfinished:
            return Sentence("restore.listed_unfinished", game=game.game_id, armed=armed, round=played)
        return Sentence("restore.listed_over", game=game.game_id, armed=armed, round=played)


def list_copy(stick: Path) -> tuple[Path, list[Listed]]:
    """The folder of the copy, and its games, newest first. Changes nothing. CannotRestore, OSError."""
    folder = _folder_with_games(stick)
    found = games(folder)
    begun = [game.game_id for game in found if not game.ended and (game.problem or _begun(folder, game))]
    on = begun or [game.game_id for game in found[:1] if not game.ended]
    return folder, [Listed(game, game.game_id in on) for game in found]


def read_copy(stick: Path, game_id: str | None = None, *, as_far_as_readable: bool = False) -> Copied:
    """This game of the stick, without an id the unfinished one; where all are over, the newest. Changes
    nothing. CannotRestore, NewerJournal, OSError."""
    folder, listed = list_copy(stick)
    if not listed:
        raise CannotRestore(Sentence("restore.no_game", folder=str(folder)))
    game_id = _chosen(folder, listed, game_id)
    found = recover(folder, game_id) if Store(folder).folder(game_id).is_dir() else None
    if found is None or not found.records:
        raise CannotRestore(Sentence("restore.first_line_lost", game=game_id, folder=str(folder)))
    if found.lost and not as_far_as_readable:
        readable, lost = len(found.records), found.lost
        raise CannotRestore(Sentence("restore.damaged", game=found.game_id, readable=readable, lost=lost))
    return Copied(folder, found, tuple(damage.sentence for damage in found.cut))


def _chosen(folder: Path, listed: list[Listed], game_id: str | None) -> str:
    """CannotRestore with the list where it is not clear which one."""
    ids = [game.summary.game_id for game in listed]
    lines = Sentence("list.sentences", sentences=tuple(game.told for game in listed))
    if game_id is not None:
        if game_id not in ids:
            raise CannotRestore(
                Sentence("restore.not_this_game", game=repr(game_id), folder=str(folder), games=lines)
            )
        return game_id
    on = [game.summary.game_id for game in listed if game.unfinished]
    if len(on) > 1:
        raise CannotRestore(Sentence("restore.several_games", folder=str(folder), games=lines))
    return on[0] if on else ids[0]


STARTED = (b'"name":"start"', b'"kind":"turned"', b'"kind":"acts"')


def _begun(folder: Path, game: GameSummary) -> bool:
    """Whether somebody has started it. What cannot be read may have been."""
    paths = [path for _, path in segments(Store(folder).folder(game.game_id))]
    try:
        return any(mark in line for path in paths for line in read_lines(path)[0] for mark in STARTED)
    except OSError:
        return True


def check_own(state_dir: Path, copied: Copied) -> tuple[str, ...]:
    """The games here that have to give way: one that is the same but not as far, or cannot go on here, and
    newer ones never begun.

    CannotRestore when a game here is further than the copy.
    """
    store = Store(state_dir)
    aside, witnessed = [], known_ids(store)
    for game in games(state_dir):
        folder = store.folder(game.game_id)
        if game.game_id == copied.game_id:
            if folder.is_dir():
                _check_same(store, copied)
                aside.append(game.game_id)
        elif game.game_id > copied.game_id:
            missing = game.problem and (game.game_id in witnessed or segments(folder))
            if game.rounds or game.ended or missing:
                raise CannotRestore(
                    Sentence(
                        "restore.newer_here", newer=game.game_id, game=copied.game_id, folder=str(folder)
                    )
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
    return draft


def bring_beat(draft: Path, copied: Copied) -> Sentence | None:
    """The game's last heartbeat into the draft. Why there is none where it cannot be read: that costs the
    time since the last saved line alone. OSError of the draft."""
    theirs, own = Store(copied.folder), Store(draft)
    try:
        newest = newest_beat(theirs, copied.game_id)
        content = b"" if newest is None else read_regular(newest[1])
    except OSError as error:
        file = str(error.filename or theirs.heartbeat_path)
        return Sentence("start.heartbeat_unread", file=file, why=why(error))
    if content:
        write_private(own.heartbeat_path, content)
    return None


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
    bring_back(store, copied.game_id)
    for path_of in (about_path, lines_path):  # of what was here; they are made anew
        path_of(store.exports_dir, copied.game_id).unlink(missing_ok=True)
    moved = tuple((set_aside if game_id == copied.game_id else give_up)(store, game_id) for game_id in aside)
    if draft.heartbeat_path.exists():
        draft.heartbeat_path.replace(store.heartbeat_path)
    draft.folder(copied.game_id).rename(store.folder(copied.game_id))
    sync_folder(store.games_dir)
    sync_folder(state_dir)
    drop_draft(state_dir)
    return tuple(path for path in moved if path is not None)


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


def _check_same(store: Store, copied: Copied) -> None:
    """What a restart alone has written here gives way: it could not know what the copy has. So does a game
    whose seed is not here any more: it cannot go on."""
    try:
        store.read_seed(copied.game_id)
    except (OSError, JournalError):
        return
    own = recover(store.state_dir, copied.game_id)
    ours = own.records.lines if own is not None else ()
    theirs = copied.recovered.records.lines
    common = _common(ours, theirs)
    if len(theirs) == common:
        raise CannotRestore(
            Sentence("restore.as_far_here", game=copied.game_id, lines=len(ours), copied=len(theirs))
        )
    if len(ours) > common and (_done_by_people(ours, common) or not _done_by_people(theirs, common)):
        folder = str(store.folder(copied.game_id))
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
