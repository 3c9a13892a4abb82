"""Disk space kept back for the moment at which the disk is full."""

from contextlib import suppress
from pathlib import Path

from pi_controller.journal.files import FileSystem

RESERVE_BYTES = 512 * 1024
"""More than 1,000 lines of the longest usual kind (about 450 bytes)."""

_TIMES_FREE = 4
"""It is made only when this many times its size is free, so that it never takes the last space itself."""


class Reserve:
    """A file of real blocks that is given up when the disk is full and made again when there is space."""

    def __init__(self, files: FileSystem, path: Path, size: int = RESERVE_BYTES) -> None:
        self._files = files
        self._path = path
        self._size = size

    @property
    def held(self) -> bool:
        """Whether the space is kept back now."""
        return self._path.is_file() and self._path.stat().st_size == self._size

    def make(self) -> bool:
        """Keep the space back if enough is free; False when it is not. Raises OSError."""
        if self.held:
            return True
        if self._files.free_bytes(self._path.parent) < _TIMES_FREE * self._size:
            return False
        self.give_up()
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

    def give_up(self) -> bool:
        """Free the space; False when there was none. Raises OSError."""
        if not self._path.exists():
            return False
        self._files.remove(self._path)
        return True
