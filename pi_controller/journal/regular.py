"""Opens files that somebody else may have put there: only regular ones, and never waiting for anything."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


class NotRegular(OSError):  # noqa: N818 - says what is the matter
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


def size_of(path: Path) -> int:
    """Its size in bytes; 0 for what is no regular file. Raises OSError when there is nothing."""
    status = path.lstat()
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def _not_regular(path: Path) -> NotRegular:
    return NotRegular(errno.EINVAL, "it is no regular file", str(path))
