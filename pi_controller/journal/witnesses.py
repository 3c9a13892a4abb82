"""Which games were on, by all that tells of them besides their journals: heartbeats, seeds, the copies for
everybody and the second copy. And the games that were removed on purpose, which nobody misses.

A witness that cannot be read tells nothing, and the others are heard.
"""

import errno
import logging
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import reduce
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from pi_controller.journal.errors import DamagedLine, FileUnusable, NewerJournal
from pi_controller.journal.files import open_regular, read_regular, size_of, sync_folder
from pi_controller.journal.heartbeat import Heartbeat, read_heartbeat
from pi_controller.journal.record import Record, decode
from pi_controller.journal.store import (
    SEED_NAME,
    Store,
    armed_at,
    hand_over,
    is_game_id,
    newest_first,
    private_folder,
    segments,
    write_private,
)
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.sentence import Sentence

# The folder with copies of the games as its readers see it, and what a summary of a game says: no journal, no
# seed and no core is needed.


@dataclass(frozen=True, slots=True)
class GameSummary:
    """One game of the list; `closed`: its seed is published; `seal`: the number of its seal in its evening.
    `rounds` and `winners` are those of the last events seen, 0 and empty without any; `problem` is a sentence
    when the journal's beginning cannot be read."""

    game_id: str
    armed_at: str = ""
    rule_set: str = ""
    ended: bool = False
    closed: bool = False
    rounds: int = 0
    winners: tuple[Any, ...] = ()
    seal: int | None = None
    problem: str | None = None


def following(summary: GameSummary, record: Record) -> GameSummary:
    """The summary when this is the next line of its journal."""
    if record.seq == 0:
        rule_set = record.data.get("rule_set", "")
        name = str(rule_set.get("name", "") if isinstance(rule_set, dict) else rule_set)
        seal = record.data.get("seal")
        number = seal.get("number") if isinstance(seal, dict) else None
        number = number if isinstance(number, int) else None
        return replace(summary, armed_at=record.wall, rule_set=name, seal=number)
    if record.kind == "ended":
        summary = replace(summary, ended=True, winners=tuple(record.data.get("winners") or ()))
    elif record.kind == "seed":
        summary = replace(summary, closed=True)
    elif record.kind in ("turned", "corrected"):
        summary = replace(summary, ended=False, winners=())
    if isinstance(record.data.get("round"), int):
        summary = replace(summary, rounds=record.data["round"])
    return summary


def summary_of(records: Sequence[Record]) -> GameSummary:
    """Of a game with these lines, from the first one on."""
    return reduce(following, records, GameSummary(str(records[0].data.get("game_id", ""))))


PIECE = 256 * 1024


class JournalExtent(Struct, frozen=True):
    """What GAME.json says: the first `bytes` of GAME.jsonl are `lines` whole lines, the last with the hash
    `head`. `complete`: none will follow. `boot_id` tells whether the machine has been off since."""

    summary: GameSummary
    lines: int = 0
    bytes: int = 0
    head: str = ""
    boot_id: str = ""
    complete: bool = False


msgspec.json.Decoder(JournalExtent)  # made known before there are threads: docs/decisions/0072


def lines_path(folder: Path, game_id: str) -> Path:
    return folder / f"{game_id}.jsonl"


def about_path(folder: Path, game_id: str) -> Path:
    return folder / f"{game_id}.json"


def read_about(folder: Path, game_id: str) -> JournalExtent | None:
    """None when there is none, or none that a power cut has left whole. Raises OSError."""
    try:
        return msgspec.json.decode(read_regular(about_path(folder, game_id)), type=JournalExtent)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def read_games(folder: Path) -> list[GameSummary]:
    """All games of the folder, newest first. Raises OSError."""
    names = [path.stem for path in folder.glob("*.json")] if folder.is_dir() else []
    found = [read_about(folder, name) for name in sorted(names, reverse=True)]
    return [about.summary for about in found if about is not None]


def read_export(folder: Path, game_id: str) -> Iterator[bytes] | None:
    """The game's lines in pieces, as many as there were at this moment; None when there is no such copy.

    Raises OSError, also between the pieces, among others when the file is shorter than is told of it.
    """
    about = read_about(folder, game_id) if is_game_id(game_id) else None
    if about is None or not about.bytes:
        return None
    return _pieces(lines_path(folder, game_id), about.bytes)


def _pieces(path: Path, size: int) -> Iterator[bytes]:
    with open_regular(path) as file:
        left = size
        while left:
            piece = file.read(min(PIECE, left))
            if not piece:
                raise FileUnusable(errno.EIO, Sentence("journal.file_is_shorter", file=path.name))
            left -= len(piece)
            yield piece


log = logging.getLogger(__name__)

REMOVED_NAME = "removed"
"""Of the state folder: one game id a line."""
ASIDE_NAME = "set-aside"
"""Folder of the state folder for games that gave way."""

TAIL_BYTES = 64 * 1024
"""Read from the end of the last segment: some 150 lines, far more than an end and what follows it."""
LONGEST_LINE = 1 << 20

NONE: tuple[str, ...] = ()

ReadT = TypeVar("ReadT")


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a game besides its journal. So many `lines` of it were on a disk at `seen_s`, seconds
    of the wall clock; 0 where that is not known. `closed`: it was over, and its seed is published."""

    game_id: str
    lines: int = 0
    seen_s: float = 0.0
    closed: bool = False

    @property
    def told(self) -> Sentence:
        """Game, time and lines."""
        seen = datetime.fromtimestamp(self.seen_s, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
        return Sentence("journal.known_game", game=self.game_id, seen=seen, count=self.lines)


def known_ids(store: Store, second_copy: Path | None = None) -> set[str]:
    """The games that heartbeats, copies for everybody and this second copy name, but those that were
    removed. A seed is none of them: it is written before anything of its game is shown."""
    found = {beat.game_id for beat in _beats(store)}
    for folder in (store.exports_dir, *(() if second_copy is None else (second_copy / "games",))):
        found.update(Path(name).stem for name in _heard(_names, folder, silent=NONE))
    return {game_id for game_id in found if is_game_id(game_id)} - removed(store.state_dir)


def look_up(store: Store, game_id: str) -> Known:
    """What this controller itself knows of the game."""
    beat = _heard(beat_of, store, game_id, silent=None)
    about = _heard(read_about, store.exports_dir, game_id, silent=None)
    folder = store.folder(game_id)
    paths = (
        *(() if beat is None else (store.heartbeat_path,)),
        about_path(store.exports_dir, game_id),
        lines_path(store.exports_dir, game_id),
        folder / SEED_NAME,
        folder,
    )
    saved = 0 if beat is None or beat.sight is None else beat.sight.saved
    return Known(
        game_id,
        lines=max(saved, 0 if about is None else about.lines),
        seen_s=max(_heard(_time_of, path, silent=0.0) for path in paths),
        closed=about is not None and about.summary.closed,
    )


def games(state_dir: Path, second_copy: Path | None = None) -> list[GameSummary]:
    """All games, newest first; also those of which only something else than their journal tells. Changes
    nothing; raises OSError when the folder of the games cannot be read."""
    store = Store(state_dir)
    known = known_ids(store, second_copy)
    ids = newest_first(known.union(store.game_ids()) - removed(state_dir))
    found = (_listed(store, game_id, known) for game_id in ids)
    return [summary for summary in found if summary is not None]


def missed(store: Store, second_copy: Path | None, *, but: Iterable[str]) -> list[Known]:
    """The games besides these, newest first, of which something tells and no line is here. Not those that
    were over and closed: they have all that they were for."""
    found = []
    for game_id in newest_first(known_ids(store, second_copy).difference(but)):
        summary = _listed(store, game_id, {game_id})
        known = look_up(store, game_id)
        over = known.closed or (second_copy is not None and _closed_in(second_copy, game_id))
        if not over and summary is not None and not summary.armed_at:
            found.append(known)
    return found


def _closed_in(second_copy: Path, game_id: str) -> bool:
    summary = _listed(Store(second_copy), game_id, ())
    return summary is not None and summary.closed


def _listed(store: Store, game_id: str, known: Iterable[str]) -> GameSummary | None:
    """None for a folder without a line of which nothing tells."""
    try:
        folder = store.folder(game_id)
        files = [path for _, path in segments(folder) if size_of(path)] if folder.is_dir() else []
        if files:
            return _summary(game_id, files)
        told = game_id in known or (folder / SEED_NAME).exists()
    except OSError as error:
        return GameSummary(game_id, problem=words(Sentence("journal.first_line_unread", why=why(error))))
    lost = words(Sentence("journal.game_lost", known=look_up(store, game_id).told))
    return GameSummary(game_id, problem=lost) if told else None


def keep_beat(store: Store, game_id: str) -> None:
    """Before this game's heartbeats: the last one of another game stays, in that game's folder. OSError."""
    beat = _heard(read_heartbeat, store.heartbeat_path, silent=None)
    if beat is None or not is_game_id(beat.game_id) or beat.game_id in removed(store.state_dir):
        return
    if beat.game_id != game_id:
        private_folder(store.folder(beat.game_id))
        write_private(store.beat_path(beat.game_id), read_regular(store.heartbeat_path))


def beat_of(store: Store, game_id: str) -> Heartbeat | None:
    """The game's last heartbeat. OSError when there may be one that cannot be read."""
    newest = newest_beat(store, game_id)
    return None if newest is None else newest[0]


def newest_beat(store: Store, game_id: str) -> tuple[Heartbeat, Path] | None:
    """As `beat_of`, with the file that it stands in."""
    paths = (store.heartbeat_path, store.beat_path(game_id))
    beats = [(beat, path) for path in paths if (beat := read_heartbeat(path)) is not None]
    own = [found for found in beats if found[0].game_id == game_id]
    return max(own, key=lambda found: found[0].game_ns, default=None)


def removed(state_dir: Path) -> set[str]:
    """The games that somebody, or their age, has removed."""
    path = state_dir / REMOVED_NAME
    content = _heard(read_regular, path, silent=b"") if path.exists() else b""
    return set(content.decode("ascii", "replace").split())


def give_up(store: Store, game_id: str) -> Path | None:
    """Nobody will miss this game from now on. Where its folder lies now, if it had one. OSError."""
    _keep_removed(store, removed(store.state_dir) | {game_id})
    return set_aside(store, game_id) if store.folder(game_id).exists() else None


def bring_back(store: Store, game_id: str) -> None:
    """This game is to be missed again, if it was removed. OSError."""
    gone = removed(store.state_dir)
    if game_id in gone:
        _keep_removed(store, gone - {game_id})


def set_aside(store: Store, game_id: str) -> Path:
    """Move the game's folder away from the games. Where it lies now. OSError."""
    folder = store.state_dir / ASIDE_NAME
    private_folder(folder)
    names = (f"{game_id}-{number}" for number in count(1))
    target = next(folder / name for name in names if not (folder / name).exists())
    store.folder(game_id).rename(target)
    hand_over(target)
    sync_folder(folder)
    return target


def forget(store: Store, *, keep_days: int, wall: str, second_copy: Path | None) -> list[str]:
    """Remove the games that were armed longer than so many days before `wall` (ISO 8601), with their seeds
    and copies, but never the newest; their ids. No line of a game that stays is changed, so that its chain
    can be checked as before. 0 days: none. Raises OSError."""
    if keep_days == 0:
        return []
    oldest = datetime.fromisoformat(wall).replace(tzinfo=None) - timedelta(days=keep_days)
    gone = [game for game in store.game_ids()[1:] if (armed := armed_at(game)) is not None and armed < oldest]
    if gone:
        _keep_removed(store, removed(store.state_dir).union(gone))
    for game in gone:
        for folder in (store.games_dir, *(() if second_copy is None else (second_copy / "games",))):
            if (folder / game).is_dir():
                shutil.rmtree(folder / game)
                sync_folder(folder)
        for name in (f"{game}.json", f"{game}.jsonl"):
            (store.exports_dir / name).unlink(missing_ok=True)
    return gone


def _summary(game_id: str, files: list[Path]) -> GameSummary:
    first, problem = _first(files[0])
    later = [record for record in _tail(files[-1]) if record.seq > 0]
    known = GameSummary(game_id, problem=problem)
    return reduce(following, later if first is None else [first, *later], known)


def _first(path: Path) -> tuple[Record | None, str | None]:
    with open_regular(path) as file:
        line = file.readline(LONGEST_LINE)
    try:
        return decode(line), None
    except DamagedLine as damage:
        return None, words(Sentence("journal.first_line_damaged", file=path.name, why=damage.sentence))
    except NewerJournal as newer:
        return None, str(newer)


def _tail(path: Path) -> list[Record]:
    """The intact lines at the end of this file; damaged ones are recovery's business, not that of a list."""
    with open_regular(path) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - TAIL_BYTES))
        lines = file.read().split(b"\n")
    records = []
    for line in lines:
        try:
            records.append(decode(line + b"\n"))
        except (DamagedLine, NewerJournal):
            continue
    return records


def _keep_removed(store: Store, game_ids: set[str]) -> None:
    content = "".join(f"{game_id}\n" for game_id in sorted(game_ids))
    write_private(store.state_dir / REMOVED_NAME, content.encode("ascii"))


def _beats(store: Store) -> Iterator[Heartbeat]:
    """That of the state folder, and those of games that another one has followed."""
    kept = [
        store.beat_path(name) for name in _heard(_names, store.games_dir, silent=NONE) if is_game_id(name)
    ]
    for path in (store.heartbeat_path, *kept):
        beat = _heard(read_heartbeat, path, silent=None) if path.is_file() else None
        if beat is not None:
            yield beat


def _names(folder: Path) -> tuple[str, ...]:
    return tuple(path.name for path in folder.iterdir()) if folder.is_dir() else ()


def _time_of(path: Path) -> float:
    return path.stat().st_mtime if path.exists() else 0.0


def _heard(read: Callable[..., ReadT], *args: object, silent: ReadT) -> ReadT:
    """What is read, or this where it cannot be."""
    try:
        return read(*args)
    except OSError as error:
        log.warning("what may tell of a game cannot be read: %s", error)
        return silent
