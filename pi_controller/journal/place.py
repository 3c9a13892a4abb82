"""Where the lines of one game go: its seed, the segment in use, and whether all its files are still there."""

from pathlib import Path

from pi_controller.journal.files import Identity, identity
from pi_controller.journal.segment import Segment
from pi_controller.journal.store import Store, segments


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
            self._seed_due = False
        make = Segment.go_on if self._append else Segment.begin
        return make(self._store.files, self.folder, self._number)

    def _note(self, path: Path) -> None:
        found = identity(path)
        if found is not None:
            self._known[path] = found
