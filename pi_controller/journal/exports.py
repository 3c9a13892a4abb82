"""Copies of the games for whoever may ask: STATE/exports/GAME.jsonl and beside it GAME.json about it.

A line stands in a copy only when it is on the disk in the journal, and so does what it tells: a seed that the
picture still withholds is in no copy. One thread writes them, after the lines that have come and never the
whole file again, so that a reader costs the game nothing. They lag behind by LAG_S and the time of writing.
"""

import errno
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from pi_controller.journal.errors import (
    ExportRefused,
    FileUnusable,
    JournalError,
    NoFolder,
    NoGame,
    Part,
    Trouble,
    UnknownGame,
)
from pi_controller.journal.files import DiskFiles, write_all
from pi_controller.journal.record import decode, encode
from pi_controller.journal.recovery import Recovered, recover
from pi_controller.journal.store import Store
from pi_controller.journal.witnesses import (
    GameSummary,
    JournalExtent,
    about_path,
    following,
    lines_path,
    read_about,
    removed,
)
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence


def export_lines(state_dir: Path, game_id: str, *, second_copy: Path | None = None) -> Iterator[bytes]:
    """The game's good lines. Changes nothing. UnknownGame when there are none; NewerJournal; OSError."""
    nothing = UnknownGame(Sentence("journal.nothing_to_export", game=repr(game_id)))
    try:
        found = recover(state_dir, game_id, second_copy=second_copy)
    except NoGame as junk:
        raise nothing from junk
    if found is None or not found.records:
        raise nothing
    return iter(found.records.lines)


def export_game(state_dir: Path, game_id: str, target: Path, *, force: bool = False) -> int:
    """Write the game's lines to `target`, whole or not at all; returns how many there are.

    ExportRefused when the target exists and `force` is not given; otherwise as `export_lines`.
    """
    if not force and target.exists():
        raise ExportRefused(Sentence("journal.export_exists", file=str(target)))
    if not target.parent.is_dir():
        raise NoFolder(Sentence("journal.no_folder_for_export", folder=str(target.parent)))
    lines = list(export_lines(state_dir, game_id))
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    files = DiskFiles()
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        write_all(files, fd, b"".join(lines))
        files.sync(fd)
        files.rename(draft, target)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    finally:
        files.close(fd)
    files.sync_folder(target.parent)
    return len(lines)


LAG_S = 1.0
"""So long lines are gathered: a memory card is written to in bursts, not with every command."""

FINAL = (b'"kind":"ended"', b'"kind":"seed"')

KEPT_FREE_BYTES = 2 * 1024 * 1024
"""The last space of the disk is the journal's."""


class Exports:
    """`go_on` and `put` return at once and may be called from any thread; `start` begins to write."""

    def __init__(
        self,
        store: Store,
        *,
        boot_id: str,
        on_trouble: Callable[[Trouble], None],
        on_mended: Callable[[Part], None],
        lag_s: float = LAG_S,
        retry_s: float = 10.0,
    ) -> None:
        self.folder = store.exports_dir
        self._store = store
        self._files = store.files
        self._boot_id = boot_id
        self._on_trouble = on_trouble
        self._on_mended = on_mended
        self._lag_s = lag_s
        self._retry_s = retry_s
        self._changed = threading.Condition()
        self._waiting: list[tuple[str, list[bytes]]] = []
        self._continued: Recovered | None = None
        self._game_id = ""
        """Of the game that is on; those before it are complete."""
        self._first_id = ""
        """Of the game with which this start began; earlier ones sort before it."""
        self._hurry = False
        """A game has ended or was closed: whoever wants its export wants it now."""
        self._closing = False
        self._troubled = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="exports", daemon=True)
        self._thread.start()

    def alive(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def go_on(self, recovered: Recovered) -> None:
        """This game goes on; what it has on the disk already is brought up to date first."""
        self._continued = recovered
        self._game_id = self._first_id = recovered.game_id

    def put(self, game_id: str, lines: list[bytes]) -> None:
        """These lines of this game are on the disk from now on."""
        with self._changed:
            self._waiting.append((game_id, lines))
            self._hurry = self._hurry or any(kind in line for line in lines for kind in FINAL)
            self._changed.notify_all()

    def close(self, timeout_s: float) -> bool:
        """Write what has come and end; False when the disk was not ready in time."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout_s)
        return not self.alive()

    def _run(self) -> None:
        todo: list[Callable[[], None]] = [self._tidy, self._catch_up, self._earlier_games]
        while True:
            error = self._attempt(todo)
            with self._changed:
                if error is not None:
                    self._changed.wait_for(lambda: self._closing, self._retry_s)
                elif not todo:
                    self._changed.wait_for(lambda: bool(self._waiting) or self._closing)
                    self._changed.wait_for(lambda: self._closing or self._hurry, self._lag_s)
                    self._hurry = False
                    todo.append(self._write_waiting)
                if self._closing and (error is not None or not self._waiting):
                    return

    def _attempt(self, todo: list[Callable[[], None]]) -> OSError | None:
        """Do the first of these, and take it off when that went well."""
        if not todo:
            return None
        try:
            todo[0]()
        except OSError as error:
            if not self._troubled:
                self._troubled = True
                self._on_trouble(Trouble(_sentence(self.folder, error), fatal=False, part="exports"))
            return error
        todo.pop(0)
        if self._troubled:
            self._troubled = False
            self._on_mended("exports")
        return None

    def _tidy(self) -> None:
        """A folder for them, and none of games that were removed. What is left of a game whose folder has
        gone otherwise tells that there was one."""
        self._files.make_folder(self.folder)
        gone = removed(self._store.state_dir)
        for path in self.folder.iterdir():
            if path.stem in gone or path.suffix not in (".json", ".jsonl"):
                self._files.remove(path)

    def _catch_up(self) -> None:
        """The game that goes on: from the line at which its copy stopped, or, when the machine has been off
        meanwhile, wholly."""
        found = self._continued
        if found is None:
            return
        about = read_about(self.folder, found.game_id)
        records = found.records[: len(found.records) - len(found.unsaved)]
        done = about.lines if about is not None and about.boot_id == self._boot_id else 0
        if not 0 < done <= len(records) or records[done - 1].hash != (about and about.head):
            done = 0
        self._write(found.game_id, [encode(record) for record in records[done:]], anew=done == 0)
        self._continued = None

    def _earlier_games(self) -> None:
        """Those of an earlier release, or that a fall has left unfinished."""
        newest = self._first_id
        for game_id in (each for each in self._store.game_ids() if each < newest):
            about = read_about(self.folder, game_id)
            if about is not None and about.complete:
                continue
            try:
                self._write(game_id, list(export_lines(self._store.state_dir, game_id)), anew=True)
            except JournalError as problem:
                summary = GameSummary(game_id, problem=str(problem))
                self._keep(JournalExtent(summary, lines=0 if about is None else about.lines, complete=True))
            else:
                self._complete(game_id)

    def _write_waiting(self) -> None:
        """All lines of one game in one go, whatever number of batches they came in."""
        while self._waiting:
            with self._changed:
                game_id, newest = self._waiting[0][0], self._waiting[-1][0]
                same = len(self._waiting) if game_id == newest else 1
                batches = [lines for _, lines in self._waiting[:same]]
            if game_id != self._game_id:
                if self._game_id:
                    self._complete(self._game_id)
                self._game_id = game_id
            self._write(game_id, [line for lines in batches for line in lines])
            with self._changed:
                del self._waiting[: len(batches)]

    def _write(self, game_id: str, lines: list[bytes], *, anew: bool = False) -> None:
        """Add the lines that the copy does not have, first to the file, then to what is told of it."""
        about = None if anew else read_about(self.folder, game_id)
        about = about or JournalExtent(GameSummary(game_id))
        summary, done, head = about.summary, about.lines, about.head
        fresh = []
        for line in lines:
            record = decode(line)
            if record.seq == done:
                fresh.append(line)
                summary, done, head = following(summary, record), done + 1, record.hash
        content = b"".join(fresh)
        if not content:
            return
        self._check_space(len(content))
        self._append(game_id, content, about.bytes)
        size = about.bytes + len(content)
        self._keep(JournalExtent(summary, lines=done, bytes=size, head=head, boot_id=self._boot_id))

    def _append(self, game_id: str, content: bytes, size: int) -> None:
        """What a failed attempt has left behind the end is cut off; readers go as far as they are told."""
        path = lines_path(self.folder, game_id)
        if size == 0:
            about = about_path(self.folder, game_id)
            if about.exists():
                self._files.remove(about)
            self._put(path, content)
            return
        if path.stat().st_size != size:
            self._files.truncate(path, size)
        fd = self._files.append(path)
        try:
            write_all(self._files, fd, content)
        finally:
            self._files.close(fd)

    def _put(self, path: Path, content: bytes) -> None:
        """A file with this content in this place, for its readers whole or not at all."""
        draft = path.with_suffix(".new")
        if draft.exists():
            self._files.remove(draft)
        fd = self._files.create(draft)
        try:
            write_all(self._files, fd, content)
        finally:
            self._files.close(fd)
        self._files.rename(draft, path)

    def _complete(self, game_id: str) -> None:
        """No line will follow: from now on it must not be looked at again."""
        about = read_about(self.folder, game_id)
        if about is None:
            return
        fd = self._files.append(lines_path(self.folder, game_id))
        try:
            self._files.sync(fd)
        finally:
            self._files.close(fd)
        self._keep(msgspec.structs.replace(about, complete=True))
        self._files.sync_folder(self.folder)

    def _keep(self, about: JournalExtent) -> None:
        self._put(about_path(self.folder, about.summary.game_id), msgspec.json.encode(about))

    def _check_space(self, size: int) -> None:
        if self._files.free_bytes(self.folder) < KEPT_FREE_BYTES + size:
            raise FileUnusable(errno.ENOSPC, Sentence("journal.last_space_is_kept"))


def _sentence(folder: Path, error: OSError) -> Sentence:
    return Sentence("journal.exports_not_written", folder=str(folder), why=why(error))
