"""Small files that only their owner may read: keys, hashes, settings."""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from pi_controller.journal.errors import FileUnusable
from pi_controller.sentence import Sentence


def write_private(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Put this file with this mode in place, whole or not at all, also when the power goes in between.

    Root hands it to the owner of its folder, so that the services can read what an administrator has made.
    Raises OSError.
    """
    fresh = f"{path.name}.new"
    with _named(path), _open_folder(path.parent) as folder:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(fresh, dir_fd=folder)
        handle = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode, dir_fd=folder)
        with os.fdopen(handle, "wb") as file:
            os.fchmod(handle, mode)
            file.write(content)
            file.flush()
            _give(handle, folder)
            os.fsync(file.fileno())
        os.replace(fresh, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        os.fsync(folder)


def read_plain(path: Path, *, most: int) -> bytes:
    """What is in this file, which must be a plain one of at most `most` bytes: no link, pipe or device that
    somebody put in its place. Raises OSError."""
    with _named(path), _open_folder(path.parent) as folder, _opened(path.name, folder) as handle:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise FileUnusable(errno.EINVAL, Sentence("journal.file_is_not_plain"))
        if found.st_size > most:
            raise FileUnusable(errno.EFBIG, Sentence("journal.file_is_larger", most=most))
        with os.fdopen(os.dup(handle), "rb") as file:
            return file.read(most)


def private_folder(path: Path) -> None:
    """Make this folder, for its owner only and on the disk, if it is not there. Raises OSError."""
    if not path.is_dir():
        path.mkdir(mode=0o700, parents=True)
        hand_over(path)
        sync_folder(path.parent)


def hand_over(path: Path) -> None:
    """When root made this, it belongs to the owner of the folder that it lies in. A link in its place, or a
    file that has a further name elsewhere, is an OSError."""
    if os.geteuid() == 0:
        with _named(path), _open_folder(path.parent) as folder, _opened(path.name, folder) as handle:
            found = os.fstat(handle)
            if stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
                raise FileUnusable(errno.EMLINK, Sentence("journal.file_has_a_further_name"))
            _give(handle, folder)


def _give(handle: int, folder: int) -> None:
    if os.geteuid() == 0:
        owner = os.fstat(folder)
        os.fchown(handle, owner.st_uid, owner.st_gid)


@contextlib.contextmanager
def _open_folder(path: Path) -> Iterator[int]:
    """The folder's descriptor. Root follows a link to it only when the link is root's own: anybody else's may
    lead to where only root may write."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        if os.geteuid() == 0 and path.lstat().st_uid != 0:
            raise
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield handle
    finally:
        os.close(handle)


@contextlib.contextmanager
def _opened(name: str, folder: int) -> Iterator[int]:
    """What has this name in this folder, itself; a pipe does not make anybody wait."""
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    try:
        yield handle
    finally:
        os.close(handle)


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """An OSError of the block names the whole path."""
    try:
        yield
    except FileUnusable as error:
        raise FileUnusable(error.errno, error.sentence, path) from error
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise FileUnusable(errno.ELOOP, Sentence("journal.file_is_a_link"), path) from error
        raise OSError(error.errno, error.strerror, str(path)) from error


def readable_by_others(path: Path) -> str | None:
    """The file's mode as four digits when others than its owner may read or write it."""
    mode = stat.S_IMODE(path.stat().st_mode)
    return f"{mode:04o}" if mode & 0o077 else None


def sync_folder(path: Path) -> None:
    """Returns when names made, replaced or removed in this folder are on the disk."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
