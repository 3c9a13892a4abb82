"""Small files that only their owner may read: keys, hashes, settings."""

import os
import stat
from pathlib import Path


def write_private(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Put this file with this mode in place, whole or not at all, also when the power goes in between.

    Root hands it to the owner of its folder, so that the services can read what an administrator has made.
    Raises OSError.
    """
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    handle = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
    with os.fdopen(handle, "wb") as file:
        os.fchmod(handle, mode)
        file.write(content)
        file.flush()
        hand_over(fresh)
        os.fsync(file.fileno())
    fresh.replace(path)
    sync_folder(path.parent)


def private_folder(path: Path) -> None:
    """Make this folder, for its owner only, if it is not there. Raises OSError."""
    if not path.is_dir():
        path.mkdir(mode=0o700, parents=True)
        hand_over(path)


def hand_over(path: Path) -> None:
    """When root made this, it belongs to the owner of the folder that it lies in."""
    if os.geteuid() == 0:
        owner = path.parent.stat()
        os.chown(path, owner.st_uid, owner.st_gid)


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
