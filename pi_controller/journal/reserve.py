"""Disk space kept back for the moment at which the disk is full."""

import errno
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pi_controller.journal.errors import Part, Trouble
from pi_controller.journal.files import FileSystem
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence

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
            kept = self._reserve.make()
        except OSError as error:
            self._tell(Sentence("journal.no_space_kept", why=why(error)))
            return
        if not kept:
            self._tell(Sentence("journal.no_space_to_keep"))
        elif self._told:
            self._told = False
            self._on_mended("space")

    def _tell(self, sentence: Sentence) -> None:
        if not self._told:
            self._told = True
            self._on_trouble(Trouble(sentence, fatal=False, part="space"))
