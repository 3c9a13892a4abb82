"""The same lines on a second device, by a thread of its own: slow, dead or pulled out, it delays nobody.

Beside them, for the controller that goes on with the game: its seed, sealed, its heartbeat once a second, the
hall's roster, and whose copy this is. The device of another controller with a game that is not over is left
alone until somebody decides.
"""

import errno
import os
import shutil
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path

import msgspec

from pi_controller.journal.errors import FileUnusable, JournalError, Part, Trouble, UnknownGame
from pi_controller.journal.files import DiskFiles, read_lines, read_regular, sync_folder, write_new
from pi_controller.journal.heartbeat import BeatFile, HeartbeatValue
from pi_controller.journal.pairing import SEALED_NAME, read_key
from pi_controller.journal.record import Record, known
from pi_controller.journal.recovery import Recovered, recover
from pi_controller.journal.store import (
    JournalFile,
    Store,
    private_folder,
    segment_name,
    segments,
    write_private,
)
from pi_controller.journal.witnesses import (
    GameSummary,
    about_path,
    bring_back,
    games,
    give_up,
    known_ids,
    lines_path,
    newest_beat,
    removed,
    set_aside,
)
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence, as_told

IDLE_S = 0.5
BEAT_EVERY_NS = 800_000_000
"""With a look every IDLE_S: once a second."""


MARK_NAME = "controller.json"
CONTROLLER_NAME = "controller"
"""Of the state folder: by what this controller knows its own copies."""


class Mark(msgspec.Struct, frozen=True):
    """Whose copy it is: `controller` is drawn once for each state folder, `hall` is a name for people.
    `unfinished`: its newest game, `game`, is not over."""

    controller: str
    hall: str
    game: str
    unfinished: bool


msgspec.json.Decoder(Mark)  # made known before there are threads: docs/decisions/0072


def read_mark(folder: Path) -> Mark | None:
    """None where there is none that can be understood. Raises OSError."""
    try:
        return msgspec.json.decode(read_regular(folder / MARK_NAME), type=Mark)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


@dataclass(frozen=True, slots=True)
class Owner:
    """This controller, as its copies name it."""

    controller: str
    hall: str
    store: Store

    def stranger(self, folder: Path) -> Mark | None:
        """Whose unfinished game the copy in this folder holds, None where this controller may write to it: it
        is its own, nothing in it is unfinished, or this controller goes on with that very game and has
        everything of it. A copy that names nobody, as of an earlier release, is its own when its newest game
        is. Raises OSError, and JournalError for a game of a newer version."""
        mark = read_mark(folder)
        if mark is None:
            newest = next(iter(games(folder)), None)
            if newest is None or newest.ended or self._has(newest.game_id):
                return None
            return Mark("", "", newest.game_id, unfinished=True)
        own = mark.controller == self.controller or not mark.unfinished
        return None if own or self._goes_on_with(folder, mark.game) else mark

    def _has(self, game_id: str) -> bool:
        return self.store.folder(game_id).is_dir() or game_id in removed(self.store.state_dir)

    def _goes_on_with(self, folder: Path, game_id: str) -> bool:
        if not (self.store.folder(game_id).is_dir() and Store(folder).folder(game_id).is_dir()):
            return False
        own, theirs = recover(self.store.state_dir, game_id), recover(folder, game_id)
        if own is None or theirs is None or len(own.records) < len(theirs.records):
            return False
        count = len(theirs.records)
        return own.records.lines[count - 1 : count] == theirs.records.lines[-1:]


def controller_id(state_dir: Path) -> str:
    """What this state folder's copies are known by; drawn when it is asked for first. Raises OSError."""
    path = state_dir / CONTROLLER_NAME
    if path.exists():
        known = read_regular(path).decode("ascii", "replace").strip()
        if known:
            return known
    drawn = os.urandom(8).hex()
    write_private(path, f"{drawn}\n".encode("ascii"))
    return drawn


class OfAnother(FileUnusable):
    """The copy of another controller, with a game that is not over."""

    def __init__(self, folder: Path, mark: Mark) -> None:
        hall = mark.hall or Sentence("journal.another_controller")
        sentence = Sentence("journal.copy_of_another", folder=str(folder), hall=hall, game=mark.game)
        super().__init__(errno.EBUSY, sentence, folder)


class _Copied:
    """One game: all its lines, and how many of them are on the second device."""

    def __init__(self, game_id: str, lines: list[bytes], sealed: bytes | None) -> None:
        self.game_id = game_id
        self.lines = lines
        self.sealed = sealed
        """Content of the file with the seed; None where no other controller could open it."""
        self.done = 0
        self.base = 0
        """Of these, how many stand in segments before the one in use."""
        self.size = 0
        """Bytes in the segment in use that are synced."""
        self.failed = False
        self.last: Path | None = None
        self.over = False
        """Whether the lines on the second device say that it has ended."""


class SecondCopy:
    """`begin` a game, then `put` its lines. Lines wait in memory while the device is away; on its return the
    copy is completed: from where it stopped, or wholly when the device came back without them."""

    def __init__(
        self,
        *,
        folder: Path,
        files: DiskFiles,
        on_trouble: Callable[[Trouble], None],
        on_mended: Callable[[Part], None],
        now_ns: Callable[[], int],
        retry_s: float = 5.0,
        boot_id: str = "",
        beat: Callable[[], HeartbeatValue | None] = lambda: None,
        beside: tuple[Path, ...] = (),
        owner: Owner | None = None,
    ) -> None:
        self._root = folder
        self._owner = owner
        """Without one no copy is another's, and none is marked."""
        self._refused: Mark | None = None
        self._allowed: Mark | None = None
        """Somebody else's copy that was found, and one that may be written to all the same."""
        self._marked: Mark | None = None
        self._store = Store(folder)
        self._boot_id = boot_id
        self._beats: tuple[str, BeatFile] | None = None
        """The heartbeat of the game that was shown last."""
        self._value = beat
        self._beside = beside
        """Files that the copy holds, too, as they are now."""
        self._brought: dict[Path, int] = {}
        self._beat_due_ns = now_ns()
        self._files = files
        self._on_trouble = on_trouble
        self._on_mended = on_mended
        self._now_ns = now_ns
        self._retry_s = retry_s
        self._changed = threading.Condition()
        self._games: deque[_Copied] = deque()
        self._closing = False
        self._behind = False
        """The second device lacks something."""
        self._segment: JournalFile | None = None
        self._troubled = False
        self._of_another: Sentence | None = None
        """Told of the copy of another controller."""
        self._beat_ns = now_ns()
        self._thread = threading.Thread(target=self._run, name="second copy", daemon=True)
        self._thread.start()

    def begin(self, game_id: str, lines: list[bytes], sealed: bytes | None = None) -> None:
        """From now on this game; `lines` are those that it has already, `sealed` is its seed's file."""
        with self._changed:
            self._games.append(_Copied(game_id, list(lines), sealed))
            self._note_waiting()

    def put(self, lines: list[bytes]) -> None:
        """The next lines of the game that was begun last."""
        with self._changed:
            self._games[-1].lines.extend(lines)
            self._note_waiting()

    def write_all_the_same(self) -> None:
        """Somebody has decided that this controller may write to the copy of another one that is there."""
        with self._changed:
            self._allowed = self._refused
            self._changed.notify_all()

    def beat_ns(self) -> int:
        """The thread's last sign of life; none comes while the device blocks a call."""
        return self._beat_ns

    def alive(self) -> bool:
        return self._thread.is_alive()

    def close(self, timeout_s: float) -> bool:
        """Write what is left and end; False when the device was not ready in time."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join(timeout_s)
        with self._changed:
            return not self._behind and not self._thread.is_alive()

    def _note_waiting(self) -> None:
        self._behind = True
        self._changed.notify_all()

    def _run(self) -> None:
        while True:
            self._beat_ns = self._now_ns()
            with self._changed:
                self._changed.wait_for(lambda: self._behind or self._closing, IDLE_S)
                if self._closing and (not self._behind or self._troubled):
                    break
                game = self._next()
            if game is not None:
                self._save(game)
            elif self._now_ns() >= self._beat_due_ns:
                self._show_life()
        if self._segment is not None:
            self._segment.close()

    def _next(self) -> _Copied | None:
        """The oldest game that is not complete."""
        while self._games:
            game = self._games[0]
            if game.done < len(game.lines):
                return game
            if len(self._games) == 1:
                break
            self._games.popleft()
            self._close_segment()
        self._behind = False
        return None

    def _save(self, game: _Copied) -> None:
        count = len(game.lines)
        try:
            if self._segment is None:
                self._segment = self._open(game)
                game.over = _over(game.lines[: game.done], before=False)
            rest = b"".join(game.lines[game.done : count])
            if rest:
                self._segment.save(rest)
            game.over = _over(game.lines[game.done : count], before=game.over)
            self._put_mark(game)
        except OSError as error:
            self._left(game, error)
            return
        game.done = count
        game.size += len(rest)
        self._mended()

    def _show_life(self) -> None:
        """Whoever goes on from this copy then knows the time that was left within about a second."""
        value = self._value()
        if value is None:
            return
        try:
            self._check_root()
            self._look_for_the_lines()
            if self._segment is not None and self._segment.path.parent.name == value.game_id:
                self._beats_of(value.game_id).write(value)
                self._bring_files()
        except OSError as error:
            self._beat_due_ns = self._now_ns() + round(self._retry_s * 1e9)
            self._tell(error)
        else:
            self._beat_due_ns = self._now_ns() + BEAT_EVERY_NS
            self._mended()

    def _beats_of(self, game_id: str) -> BeatFile:
        """A heartbeat belongs to one game: another one's is not written over."""
        if self._beats is None or self._beats[0] != game_id:
            self._beats = game_id, BeatFile(self._store.beat_path(game_id), self._boot_id)
        return self._beats[1]

    def _look_for_the_lines(self) -> None:
        """What was removed from the device is written there again."""
        if self._segment is None or self._segment.in_place():
            return
        self._close_segment()
        with self._changed:
            self._games[0].done = 0
            self._games[0].failed = True
            self._games[0].last = None
            self._note_waiting()

    def _bring_files(self) -> None:
        for path in self._beside:
            if path.exists() and self._brought.get(path) != path.stat().st_mtime_ns:
                seen = path.stat().st_mtime_ns
                write_private(self._root / path.name, read_regular(path))
                self._brought[path] = seen

    def _check_root(self) -> None:
        if not self._root.is_dir():
            raise FileUnusable(errno.ENOENT, Sentence("journal.no_folder_for_copy", folder=str(self._root)))

    def _check_owner(self) -> None:
        if self._owner is None:
            return
        try:
            mark = self._owner.stranger(self._root)
        except JournalError as error:
            raise FileUnusable(None, error.sentence, self._root) from error
        with self._changed:
            self._refused = mark
        if mark is not None and mark != self._allowed:
            raise OfAnother(self._root, mark)

    def _put_mark(self, game: _Copied) -> None:
        if self._owner is None:
            return
        mark = Mark(self._owner.controller, self._owner.hall, game.game_id, unfinished=not game.over)
        there = self._segment is not None and self._segment.in_place()  # and no other device in its place
        if there and mark != self._marked:
            write_private(self._root / MARK_NAME, msgspec.json.encode(mark) + b"\n")
            self._marked = mark

    def _open(self, game: _Copied) -> JournalFile:
        self._check_root()
        self._check_owner()
        self._marked = None
        folder = self._root / "games" / game.game_id
        self._files.make_folder(folder)
        self._put_seed(folder, game.sealed)
        for path in (folder, folder.parent, self._root):
            self._files.sync_folder(path)
        found = segments(folder)
        number, path = found[-1] if found else (0, folder / segment_name(1))
        have = read_regular(path) if found else b""
        if game.failed:
            # What stands in a file that failed once counts only if it had been synced before.
            synced = b"".join(game.lines[game.base : game.done])
            if game.last != path or have[: game.size] != synced:
                game.done = 0
        elif (same := _first_lines(have, game.lines)) > 0:
            game.done, game.size, game.last = same, len(have), path
            return JournalFile.go_on(self._files, folder, number)
        segment = JournalFile.begin(self._files, folder, number + 1)
        game.base, game.size, game.last = game.done, 0, segment.path
        return segment

    def _put_seed(self, folder: Path, sealed: bytes | None) -> None:
        path = folder / SEALED_NAME
        if sealed is None or (path.exists() and path.read_bytes() == sealed):
            return
        draft = folder / f"{SEALED_NAME}.new"
        if draft.exists():
            self._files.remove(draft)
        write_new(self._files, draft, sealed)
        self._files.rename(draft, path)

    def _left(self, game: _Copied, error: OSError) -> None:
        if self._segment is not None:
            self._close_segment()
        game.failed = True
        self._tell(error)
        with self._changed:
            self._changed.wait_for(lambda: self._closing, self._retry_s)

    def _tell(self, error: OSError) -> None:
        self._brought.clear()
        of_another = error.sentence if isinstance(error, OfAnother) else None
        if self._troubled and of_another == self._of_another:
            return
        self._troubled, self._of_another = True, of_another
        told = Sentence("journal.second_copy_not_written", folder=str(self._root), why=why(error))
        self._on_trouble(Trouble(of_another or told, fatal=False, part="second_copy"))

    def _mended(self) -> None:
        if self._troubled:
            self._troubled, self._of_another = False, None
            self._on_mended("second_copy")

    def _close_segment(self) -> None:
        if self._segment is not None:
            self._segment.close()
            self._segment = None


def _over(lines: list[bytes], *, before: bool) -> bool:
    """Whether the game has ended with these further lines. No text in a line holds a bare quotation mark."""
    over = before
    for line in lines:
        if b'"kind":"ended"' in line:
            over = True
        elif b'"kind":"turned"' in line or b'"kind":"corrected"' in line:
            over = False
    return over


def _first_lines(content: bytes, lines: list[bytes]) -> int:
    """How many lines the content is, when it is exactly the first ones of these; otherwise 0."""
    place = 0
    for number, line in enumerate(lines):
        if place == len(content):
            return number
        if not content.startswith(line, place):
            return 0
        place += len(line)
    return len(lines) if place == len(content) else 0


# From the second copy on a stick to the state folder of another controller: whole, or not at all.
#
# A draft is made beside the games, tried, and then moved into place with one renaming. What was there and
# gives way is set aside, never deleted.


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
