"""Appends to the journal without ever making the caller wait for the disk.

A failed write or sync is never repeated on the same file, because a later sync may then report success for
data that the kernel has thrown away: all that is not known to be on the disk goes to the next segment again.
"""

import errno
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pi_controller.journal.copies import SecondCopy
from pi_controller.journal.errors import Part, Trouble
from pi_controller.journal.files import DiskFiles
from pi_controller.journal.pairing import PairingKey
from pi_controller.journal.record import FIRST_PREV, FORMAT, Record, encode, seal
from pi_controller.journal.recovery import Recovered
from pi_controller.journal.store import SEED_BYTES, GameFiles, Store
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence

# Disk space kept back for the moment at which the disk is full.


RESERVE_BYTES = 512 * 1024
"""More than 1,000 lines of the longest usual kind (about 450 bytes)."""

EVERY_NS = 10_000_000_000
"""How often it is tried to make a missing reserve again."""

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
"""What the system says when there is no space left."""

_TIMES_FREE = 4
"""It is made only when this many times its size is free, so that it never takes the last space itself."""


class Reserve:
    """A file of real blocks that is given up when the disk is full and made again when there is space. That
    it is missing is told once, and once that it is there again."""

    def __init__(
        self,
        files: DiskFiles,
        path: Path,
        size: int = RESERVE_BYTES,
        *,
        now_ns: Callable[[], int],
        on_trouble: Callable[[Trouble], None],
        on_mended: Callable[[Part], None],
    ) -> None:
        self._files = files
        self._path = path
        self._size = size
        self._now_ns = now_ns
        self._on_trouble = on_trouble
        self._on_mended = on_mended
        self._due_ns = now_ns()
        self._told = False

    def give_up(self) -> bool:
        """The disk is full: whether the space kept back has made room."""
        self._due_ns = self._now_ns() + EVERY_NS
        freed = self._path.exists()
        try:
            if freed:
                self._files.remove(self._path)
        except OSError as error:
            self._tell(Sentence("journal.space_not_freed", why=why(error)))
            return False
        if freed:
            self._told = False
            self._tell(Sentence("journal.in_the_space_kept_back"))
        return freed

    def keep(self) -> None:
        """Make the reserve again when it is due and there is space."""
        if self._now_ns() < self._due_ns:
            return
        self._due_ns = self._now_ns() + EVERY_NS
        try:
            kept = self._make()
        except OSError as error:
            self._tell(Sentence("journal.no_space_kept", why=why(error)))
            return
        if not kept:
            self._tell(Sentence("journal.no_space_to_keep"))
        elif self._told:
            self._told = False
            self._on_mended("space")

    def _make(self) -> bool:
        """Keep the space back if enough is free; False when it is not. Raises OSError."""
        if self._path.is_file() and self._path.stat().st_size == self._size:
            return True
        if self._files.free_bytes(self._path.parent) < _TIMES_FREE * self._size:
            return False
        if self._path.exists():
            self._files.remove(self._path)
        fd = self._files.create(self._path)
        try:
            self._files.reserve(fd, self._size)
        except OSError:
            with suppress(OSError):
                self._files.remove(self._path)
            raise
        finally:
            self._files.close(fd)
        return True

    def _tell(self, sentence: Sentence) -> None:
        if not self._told:
            self._told = True
            self._on_trouble(Trouble(sentence, fatal=False, part="space"))


IDLE_S = 0.5
"""The thread shows a sign of life at least this often while the disk answers."""


@dataclass(frozen=True, slots=True)
class _Line:
    place: GameFiles
    tag: int | None
    head: str
    content: bytes


class JournalWriter:
    """One thread that writes the journals of one process, game after game.

    `open_game`, `continue_game` and `append` belong to one thread, return at once and never touch the disk.
    The callbacks come from the writer's threads and must only hand over: `on_lines(game_id, lines)` with each
    batch that is on the disk, then `on_saved(tag, head)` with the tag and chain head of its last line;
    `on_trouble(Trouble)`; `on_mended(part)`. Lines that cannot be written are kept in memory and tried again
    every `retry_s` seconds. `now_ns` is CLOCK_BOOTTIME, `wall` an ISO 8601 label.
    """

    def __init__(
        self,
        store: Store,
        *,
        boot_id: str,
        wall: Callable[[], str],
        now_ns: Callable[[], int],
        on_saved: Callable[[int, str], None],
        on_trouble: Callable[[Trouble], None],
        on_mended: Callable[[Part], None],
        on_lines: Callable[[str, list[bytes]], None] = lambda _game_id, _lines: None,
        copy: SecondCopy | None = None,
        reserve_bytes: int = RESERVE_BYTES,
        retry_s: float = 1.0,
        pairing: PairingKey | None = None,
    ) -> None:
        """`copy` gets the same lines and ends with the writer."""
        self._store = store
        self._boot_id = boot_id
        self._wall = wall
        self._now_ns = now_ns
        self._on_saved = on_saved
        self._on_trouble = on_trouble
        self._on_mended = on_mended
        self._on_lines = on_lines
        self._retry_s = retry_s
        self._reserve = Reserve(
            store.files,
            store.reserve_path,
            reserve_bytes,
            now_ns=now_ns,
            on_trouble=on_trouble,
            on_mended=on_mended,
        )
        self._changed = threading.Condition()
        self._waiting: deque[_Line] = deque()
        self._game: GameFiles | None = None
        """Of the game whose lines are handed in; the thread may still be at the one before."""
        self._next_seq = 0
        self._head = FIRST_PREV
        self._newest_wall = ""
        self._closing = False
        self._given_up = False
        self._stuck = False
        self._place: GameFiles | None = None
        """Where the thread writes."""
        self._beat_ns = now_ns()
        self._pairing = pairing
        """Seals the seed in the second copy; without it the copy holds none."""
        self._copy = copy
        self._thread = threading.Thread(target=self._run, name="journal writer", daemon=True)
        self._thread.start()

    @property
    def head(self) -> str:
        """`hash` of the newest line, whether it is on the disk yet or not; 64 zeros before the first."""
        return self._head

    @property
    def newest_wall(self) -> str:
        """The latest time of day that a line bears, also of those before this start; empty without one."""
        return self._newest_wall

    def open_game(
        self, game_id: str, seed: bytes, header: dict[str, object], *, game_ns: int, boot_ns: int, tag: int
    ) -> Record:
        """Begin a game: seed file first, then line 0 with `header` and the journal's format.

        `on_saved(tag, …)` says that both are on the disk; the commitment must not be shown before that.
        """
        if len(seed) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
        data = {**header, "format": FORMAT, "game_id": game_id}
        self._check_open()
        records, head = self._records([("game", data)], (0, FIRST_PREV), game_ns=game_ns, boot_ns=boot_ns)
        # Only now: a first line that cannot be made must not leave a game without one behind.
        self._game = GameFiles(self._store, game_id, seed=seed, kept=[])
        self._game.begin()
        if self._copy is not None:
            self._copy.begin(game_id, [], self._sealed(game_id, seed))
        self._enqueue(self._game, records, tag)
        self._next_seq, self._head = 1, head
        return records[0]

    def continue_game(self, recovered: Recovered, seed: bytes | None = None) -> None:
        """Go on with a game that recovery has read and mended; what it found unsaved is written again.

        `seed` is for the second copy, and for the game's own folder should it be removed.
        """
        if not recovered.records or not recovered.mended:
            raise ValueError("only a mended game with at least its first line can go on")
        lines = list(recovered.records.lines)
        saved = len(lines) - len(recovered.unsaved)
        game = GameFiles(self._store, recovered.game_id, seed=seed, kept=lines[:saved])
        game.go_on(segment=recovered.segment, append=recovered.append, saved=saved)
        self._game = game
        self._next_seq, self._head = recovered.next_seq, recovered.head
        self._newest_wall = recovered.records[-1].wall
        if self._copy is not None:
            self._copy.begin(game.game_id, lines, self._sealed(game.game_id, seed))
        self._enqueue(game, recovered.unsaved, None)

    def _sealed(self, game_id: str, seed: bytes | None) -> bytes | None:
        return None if self._pairing is None or seed is None else self._pairing.seal(game_id, seed)

    def append(self, kind: str, data: dict[str, object], *, game_ns: int, boot_ns: int, tag: int) -> Record:
        """The next line of the game; returns at once. `tag` comes back with `on_saved` and must grow.

        ValueError or TypeError when `data` is not JSON; RuntimeError before a game is open or after `close`.
        """
        return self.append_all([(kind, data)], game_ns=game_ns, boot_ns=boot_ns, tag=tag)[0]

    def append_all(
        self, lines: Sequence[tuple[str, dict[str, object]]], *, game_ns: int, boot_ns: int, tag: int
    ) -> list[Record]:
        """One or more lines under one tag: `on_saved(tag, …)` means all of them. Otherwise as `append`."""
        if not lines:
            raise ValueError("a change needs at least one line, or its tag would never be told saved")
        self._check_open()
        if self._game is None:
            raise RuntimeError("No game is open in the journal: open or continue one before appending.")
        place = (self._next_seq, self._head)
        records, head = self._records(lines, place, game_ns=game_ns, boot_ns=boot_ns)
        self._enqueue(self._game, records, tag)
        self._next_seq, self._head = self._next_seq + len(records), head
        return records

    def _check_open(self) -> None:
        if self._closing:
            raise RuntimeError("The journal is closed: nothing can be appended any more.")

    def _records(
        self,
        lines: Sequence[tuple[str, dict[str, object]]],
        place: tuple[int, str],
        *,
        game_ns: int,
        boot_ns: int,
    ) -> tuple[list[Record], str]:
        """The records of these lines from this place of the chain on, and the chain's head behind them."""
        records = []
        (seq, head), wall = place, self._wall()
        for kind, data in lines:
            record = seal(
                kind,
                data,
                seq=seq,
                game_ns=game_ns,
                boot_ns=boot_ns,
                boot_id=self._boot_id,
                wall=wall,
                prev=head,
            )
            records.append(record)
            seq, head = seq + 1, record.hash
        return records, head

    def _enqueue(self, game: GameFiles, records: Sequence[Record], tag: int | None) -> None:
        lines = [_Line(game, tag, record.hash, encode(record)) for record in records]
        self._newest_wall = max(self._newest_wall, *(record.wall for record in records), "")
        with self._changed:
            game.kept += [line.content for line in lines]
            self._waiting.extend(lines)
            self._changed.notify_all()
        if self._copy is not None and tag is not None:
            self._copy.put([line.content for line in lines])

    def write_copy_all_the_same(self) -> None:
        """Somebody has decided that the copy of another controller that is there may be written to."""
        if self._copy is not None:
            self._copy.write_all_the_same()

    def progress(self) -> tuple[str, int, int]:
        """The game that is open (empty before the first), how many lines of it were handed in, and how many
        of them are on the disk. From any thread."""
        game = self._game
        return ("", 0, 0) if game is None else (game.game_id, len(game.kept), game.saved)

    def pending(self) -> int:
        """How many lines are not on the disk yet."""
        return len(self._waiting)

    def beat_ns(self) -> int:
        """The thread's last sign of life; none comes while the disk blocks a call."""
        return self._beat_ns

    def alive(self) -> bool:
        """False when one of the threads has died, which is a defect."""
        return self._thread.is_alive() and (self._copy is None or self._copy.alive())

    def close(self, timeout_s: float = 2.0) -> bool:
        """Write what is left and end; False when some lines could not be written in time.

        A disk that fails is then given up; one that only hangs gets them if it wakes while the process lives.
        """
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join(timeout_s)
        with self._changed:
            self._given_up = True
            self._changed.notify_all()
        if self._copy is not None:
            self._copy.close(timeout_s)
        return not self._waiting and not self._thread.is_alive()

    def _run(self) -> None:
        while not (self._given_up and self._stuck):
            with self._changed:
                self._changed.wait_for(lambda: bool(self._waiting) or self._closing, IDLE_S)
                batch = self._next_batch()
                if not batch and self._closing:
                    break
            self._beat_ns = self._now_ns()
            if batch or self._something_gone():
                self._save(batch)
            if not (self._stuck or self._waiting):
                self._reserve.keep()
        if self._place is not None:
            self._place.close()

    def _something_gone(self) -> bool:
        """Files of the game, or the state folder or its lock, are not where they were made."""
        place = self._place
        return place is not None and (place.incomplete or place.gone() or self._store.gone())

    def _next_batch(self) -> list[_Line]:
        """All waiting lines of the oldest game; they stay in the queue until they are saved."""
        batch: list[_Line] = []
        for line in self._waiting:
            if line.place is not self._waiting[0].place:
                break
            batch.append(line)
        return batch

    def _save(self, batch: list[_Line]) -> None:
        """Lines of one game; without any, what was lost of the present one with its files."""
        place = batch[0].place if batch else self._place
        if place is None:
            raise RuntimeError("there are lines to save, or a game whose files were lost")
        if self._place is not None and self._place is not place:
            self._place.close()
        self._place = place
        error = self._attempt(place, len(batch))
        if error is not None and self._may_go_on(place, error):
            error = self._attempt(place, len(batch))
        if error is None:
            self._saved(place, batch)
            return
        if not self._stuck:
            self._stuck = True
            self._report_stuck(error)
        with self._changed:
            self._changed.wait_for(lambda: self._given_up, self._retry_s)

    def _attempt(self, place: GameFiles, count: int) -> OSError | None:
        """Nothing is told saved that does not stand in a file at its path."""
        try:
            self._put_back(place)
            place.save(count)
            if place.gone():
                self._put_back(place)
                place.save(count)
        except OSError as error:
            place.leave()
            return error
        return None

    def _put_back(self, place: GameFiles) -> None:
        """Make anew what somebody has removed or moved away."""
        if self._store.gone():
            self._store.hold_again()
        if not place.gone():
            return
        place.begin_anew()
        said = Sentence("journal.files_removed", game=place.game_id, folder=str(place.folder))
        self._on_trouble(Trouble(said, fatal=False, part="files"))

    def _saved(self, place: GameFiles, batch: list[_Line]) -> None:
        with self._changed:
            for _ in batch:
                self._waiting.popleft()
            place.saved += len(batch)
        if self._stuck:
            self._stuck = False
            self._on_mended("journal")
        self._on_lines(place.game_id, [line.content for line in batch])
        tag = next((line.tag for line in reversed(batch) if line.tag is not None), None)
        if tag is not None:
            self._on_saved(tag, batch[-1].head)

    def _may_go_on(self, place: GameFiles, error: OSError) -> bool:
        """Whether another file is worth a try at once; tells why it is needed."""
        if error.errno in FULL:
            return self._reserve.give_up()
        if self._stuck:
            return False
        said = Sentence("journal.new_file", game=place.game_id, why=why(error))
        self._on_trouble(Trouble(said, fatal=False))
        return True

    def _report_stuck(self, error: OSError) -> None:
        reason, seconds = why(error), self._retry_s
        said = Sentence("journal.not_written", why=reason, seconds=seconds)
        if error.errno in FULL:
            said = Sentence("journal.disk_full", why=reason, seconds=seconds)
        self._on_trouble(Trouble(said, fatal=True))
