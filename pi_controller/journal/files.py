"""The file operations that durability depends on, as one small class: tests make each of them fail. Files
that somebody else may have put there are opened only when they are regular."""

import errno
import io
import os
import stat
from pathlib import Path
from typing import BinaryIO

from pi_controller.journal.errors import FileUnusable
from pi_controller.sentence import Sentence

Identity = tuple[int, int]


def identity(path: Path) -> Identity | None:
    """Device and inode of what is at this path; None when nothing is, or its folder is not there."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_dev, status.st_ino


def is_at(fd: int, path: Path) -> bool:
    """Whether the open file is still what is found at this path."""
    status = os.fstat(fd)
    return identity(path) == (status.st_dev, status.st_ino)


class DiskFiles:
    """Every method raises OSError as the system call does."""

    def make_folder(self, path: Path) -> None:
        """Make the folder (mode 0700) if it is not there."""
        path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def create(self, path: Path) -> int:
        """Open a file that must not exist yet (mode 0600) for appending; returns its descriptor."""
        return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600)

    def append(self, path: Path) -> int:
        """Open an existing file for appending; returns its descriptor."""
        return os.open(path, os.O_WRONLY | os.O_APPEND)

    def write(self, fd: int, content: bytes) -> int:
        """Write at the end; returns how many bytes were taken, which may be fewer."""
        return os.write(fd, content)

    def sync(self, fd: int) -> None:
        """Returns when all that was written is on the disk."""
        os.fdatasync(fd)

    def sync_folder(self, path: Path) -> None:
        sync_folder(path)

    def close(self, fd: int) -> None:
        os.close(fd)

    def rename(self, old: Path, new: Path) -> None:
        """Replaces `new` if it exists."""
        old.replace(new)

    def remove(self, path: Path) -> None:
        path.unlink()

    def truncate(self, path: Path, size: int) -> None:
        """Cut the file to so many bytes and sync it."""
        fd = os.open(path, os.O_WRONLY)
        try:
            os.ftruncate(fd, size)
            os.fsync(fd)
        finally:
            os.close(fd)

    def reserve(self, fd: int, size: int) -> None:
        """Give the file so many bytes of real disk space."""
        os.posix_fallocate(fd, 0, size)

    def free_bytes(self, path: Path) -> int:
        """Free space of the file system that `path` is on."""
        status = os.statvfs(path)
        return status.f_bavail * status.f_frsize

    def read_back(self, path: Path, start: int = 0, size: int = -1) -> bytes:
        """Content as the disk has it: synced, then read with cached pages dropped where that is possible.
        From byte `start` on so many bytes, or all."""
        with path.open("rb+") as file:
            os.fdatasync(file.fileno())
            os.posix_fadvise(file.fileno(), start, max(0, size), os.POSIX_FADV_DONTNEED)
            file.seek(start)
            return file.read(size)


def sync_folder(path: Path) -> None:
    """Returns when names made, renamed or removed in this folder are on the disk. Raises OSError."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_all(files: DiskFiles, fd: int, content: bytes) -> None:
    """Write everything, however little the system takes at a time."""
    rest = content
    while rest:
        taken = files.write(fd, rest)
        if taken <= 0:
            raise FileUnusable(errno.EIO, Sentence("journal.disk_takes_no_bytes"))
        rest = rest[taken:]


def write_new(files: DiskFiles, path: Path, content: bytes) -> None:
    """A new file with this content, on the disk under its name when this returns; the name must be free."""
    fd = files.create(path)
    try:
        write_all(files, fd, content)
        files.sync(fd)
    finally:
        files.close(fd)
    files.sync_folder(path.parent)


class NotRegular(FileUnusable):
    """The name belongs to a link, a pipe, a device or a folder: reading it might never end."""


def open_regular(path: Path) -> BinaryIO:
    """The file, to be read. Raises NotRegular, and OSError as `open` does."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise _not_regular(path) from error
        raise
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise _not_regular(path)
    return os.fdopen(fd, "rb")


def read_regular(path: Path) -> bytes:
    """All of it. Raises as `open_regular` does."""
    with open_regular(path) as file:
        return file.read()


BLOCK_BYTES = 4096
"""What a disk that refuses to read is asked for at a time."""
PIECE_BYTES = 1024 * 1024


def read_lines(path: Path) -> tuple[list[bytes], OSError | None]:
    """All lines that the disk gives back. Zeros stand in the place of each block that it refuses (EIO, asked
    twice); such a refusal comes back beside the lines. Raises as `open_regular` does."""
    lines: list[bytes] = []
    refused: OSError | None = None
    rest, offset = b"", 0
    with open_regular(path) as file:
        while True:
            try:
                piece = os.pread(file.fileno(), PIECE_BYTES, offset)
            except OSError as error:
                piece = _around(file.fileno(), offset, error)
                refused = error if b"\0" in piece else refused
            if not piece:
                break
            offset += len(piece)
            *whole, rest = io.BytesIO(rest + piece).readlines()
            lines += whole
    return [*lines, rest] if rest else lines, refused


def _around(fd: int, offset: int, error: OSError) -> bytes:
    """The piece from this byte on, block by block. Raises OSError for another reason than EIO."""
    if error.errno != errno.EIO:
        raise error
    end = min(os.fstat(fd).st_size, offset + PIECE_BYTES)
    return b"".join(
        _block(fd, place, min(BLOCK_BYTES, end - place)) for place in range(offset, end, BLOCK_BYTES)
    )


def _block(fd: int, offset: int, size: int) -> bytes:
    """This block; zeros when the disk refuses it twice. Raises OSError for another reason than EIO."""
    for _ in range(2):
        try:
            return os.pread(fd, size, offset).ljust(size, b"\0")
        except OSError as error:
            if error.errno != errno.EIO:
                raise
    return bytes(size)


def size_of(path: Path) -> int:
    """Its size in bytes; 0 for what is no regular file. Raises OSError when there is nothing."""
    status = path.lstat()
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def _not_regular(path: Path) -> NotRegular:
    return NotRegular(errno.EINVAL, Sentence("journal.file_is_not_regular"), path)
