"""Disk space kept back for the moment at which the disk is full."""

import errno
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pi_controller.journal.errors import Part, Trouble, why
from pi_controller.journal.files import FileSystem

RESERVE_BYTES = 512 * 1024
"""More than 1,000 lines of the longest usual kind (about 450 bytes)."""

EVERY_NS = 10_000_000_000
"""How often it is tried to make a missing reserve again."""

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
"""What the system says when there is no space left."""

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


class ReserveKeeper:
    """Keeps the reserve in being. That it is missing is told once, and once that it is there again."""

    def __init__(
        self,
        reserve: Reserve,
        *,
        now_ns: Callable[[], int],
        on_trouble: Callable[[Trouble], None],
        on_mended: Callable[[Part], None],
    ) -> None:
        self._reserve = reserve
        self._now_ns = now_ns
        self._on_trouble = on_trouble
        self._on_mended = on_mended
        self._due_ns = now_ns()
        self._told = False

    def give_up(self) -> bool:
        """The disk is full: whether the space kept back has made room."""
        self._due_ns = self._now_ns() + EVERY_NS
        try:
            freed = self._reserve.give_up()
        except OSError as error:
            self._tell(f"The space kept back cannot be freed ({why(error)}).")
            return False
        if freed:
            self._told = False
            self._tell(
                "The disk is full: the journal goes on in the space kept back for this;"
                " make room on the disk before the next game."
            )
        return freed

    def keep(self) -> None:
        """Make the reserve again when it is due and there is space."""
        if self._now_ns() < self._due_ns:
            return
        self._due_ns = self._now_ns() + EVERY_NS
        try:
            problem = None if self._reserve.make() else "the disk is nearly full"
        except OSError as error:
            problem = why(error)
        if problem is not None:
            self._tell(f"No space can be kept back for a full disk ({problem}): make room on it.")
        elif self._told:
            self._told = False
            self._on_mended("space")

    def _tell(self, sentence: str) -> None:
        if not self._told:
            self._told = True
            self._on_trouble(Trouble(sentence, fatal=False, part="space"))
