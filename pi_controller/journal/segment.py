"""The journal file that is written now. After one failed operation it is never written again."""

from contextlib import suppress
from pathlib import Path

from pi_controller.journal.files import FileSystem, is_at, write_all
from pi_controller.journal.store import segment_name


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
