"""The journal file that is written now (after one failed operation it is never written again), and where the
lines of a game go."""

from contextlib import suppress
from pathlib import Path

from pi_controller.journal.files import FileSystem, Identity, identity, is_at, write_all
from pi_controller.journal.store import Store, segment_name, segments


class Segment:
    """Made with `begin` or `go_on`; `save` returns when the lines are on the disk."""

    def __init__(self, *, files: FileSystem, path: Path, number: int, fd: int, durable: bool) -> None:
        self.path = path
        self.number = number
        self.durable = durable
        """Whether lines that somebody was told about may stand in it."""
        self._files = files
        self._fd = fd
        self._named = durable

    @classmethod
    def begin(cls, files: FileSystem, folder: Path, number: int) -> "Segment":
        """A new file of this number, or of the next one that is free. Raises OSError."""
        while True:
            path = folder / segment_name(number)
            try:
                fd = files.create(path)
            except FileExistsError:
                number += 1
            else:
                return cls(files=files, path=path, number=number, fd=fd, durable=False)

    @classmethod
    def go_on(cls, files: FileSystem, folder: Path, number: int) -> "Segment":
        """Append to a file whose lines are known to be on the disk. Raises OSError."""
        path = folder / segment_name(number)
        return cls(files=files, path=path, number=number, fd=files.append(path), durable=True)

    def save(self, lines: bytes) -> None:
        """Raises OSError; then only `leave` may follow."""
        write_all(self._files, self._fd, lines)
        self._files.sync(self._fd)
        if not self._named:
            self._files.sync_folder(self.path.parent)
            self._named = True
        self.durable = True

    def in_place(self) -> bool:
        """Whether the file is still at its path: nobody has removed or moved it."""
        return is_at(self._fd, self.path)

    def close(self) -> None:
        # All that matters is synced; an error of close could change nothing any more.
        with suppress(OSError):
            self._files.close(self._fd)

    def leave(self) -> None:
        """Give the file up; it is removed when nothing in it was ever promised to anybody."""
        self.close()
        if not self.durable:
            # If it cannot be removed it stays as a duplicate, which recovery merges.
            with suppress(OSError):
                self._files.remove(self.path)


class Place:
    """One game's files. `kept` are all its lines so far, `saved` of them are on the disk. Only the writer's
    thread opens and writes; the thread that hands lines in only adds to `kept`."""

    def __init__(self, store: Store, game_id: str, *, seed: bytes | None, kept: list[bytes]) -> None:
        self.game_id = game_id
        self.folder = store.folder(game_id)
        self.kept = kept
        self.saved = 0
        self._store = store
        self._seed = seed
        self._seed_due = False
        self._number = 1
        self._append = False
        self._whole = False
        self._segment: Segment | None = None
        self._known: dict[Path, Identity] = {}

    def begin(self) -> None:
        """A game of which nothing is on the disk: its seed comes before its first line."""
        self._seed_due = True

    def go_on(self, *, segment: int, append: bool, saved: int) -> None:
        """A game of which so many lines are on the disk."""
        self._number, self._append, self.saved = segment, append, saved
        for path in (self.folder / "seed", *(path for _, path in segments(self.folder))):
            self._note(path)

    @property
    def incomplete(self) -> bool:
        """Files were lost, and what stood in them has not been written again."""
        return self._whole

    def save(self, count: int) -> None:
        """So many lines more are on the disk when this returns, and before them whatever was lost with its
        file. Raises OSError; then only `leave` may follow."""
        until = self.saved + count
        if self._segment is None:
            self._segment = self._open()
        self._segment.save(b"".join(self.kept[0 if self._whole else self.saved : until]))
        self._whole = False
        self._note(self._segment.path)

    def gone(self) -> bool:
        """Whether a file of this game is no longer at its path: removed or moved while it is played."""
        return any(identity(path) != known for path, known in self._known.items())

    def begin_anew(self) -> None:
        """Everything once more, to files of their own: the old ones are not at their paths."""
        self.close()
        self._known.clear()
        self._seed_due, self._append, self._whole = self._seed is not None, False, True
        self._number += 1

    def leave(self) -> None:
        """The file that is written now is given up; the next one is begun."""
        if self._append:
            self._append = False
            self._number += 1
        if self._segment is not None:
            segment = self._segment
            self._number = segment.number + 1 if segment.durable else segment.number
            segment.leave()
            self._segment = None
            if identity(segment.path) is None:
                self._known.pop(segment.path, None)

    def close(self) -> None:
        if self._segment is not None:
            self._segment.close()
            self._segment = None

    def _open(self) -> Segment:
        if self._seed_due and self._seed is not None:
            self._note(self._store.create_game(self.game_id, self._seed) / "seed")
            self._store.keep_newest(self.kept[0])
            self._seed_due = False
        make = Segment.go_on if self._append else Segment.begin
        return make(self._store.files, self.folder, self._number)

    def _note(self, path: Path) -> None:
        found = identity(path)
        if found is not None:
            self._known[path] = found
