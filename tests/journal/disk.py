"""A disk that fails when told to, forgets what was not synced, and knows what survives a power cut: a file whose
content was synced, whose name was synced in its folder, and each folder above it in its own.

After a failed sync it behaves as Linux does: what was dirty counts as clean, reads still show it, the next
sync says "success", and after a power cut there are zeros in its place.
"""

import errno
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pi_controller.journal.files import DiskFiles


@dataclass
class _Inode:
    durable: bytes = b""
    lost: list[tuple[int, int]] = field(default_factory=list)
    known: int = 0


class Disk(DiskFiles):
    """`fail(number, name)` decides for each operation: None, an errno, or "short" for half a write."""

    def __init__(self, root: Path, *, capacity: int | None = None) -> None:
        self.root = root
        self.capacity = capacity
        self.fail: Callable[[int, str], int | str | None] = lambda number, name: None
        self.on_synced: Callable[[], None] = lambda: None
        self.operations = 0
        self._lock = threading.RLock()
        self._inodes: list[_Inode] = []
        self._present: dict[int, int] = {}
        """Inode number of the real file to index in `_inodes`: real numbers are used again."""
        self._open: dict[int, int] = {}
        self._names: dict[str, int] = {}
        self._folders: set[str] = set()
        """Folders whose names are on the disk."""

    def used(self) -> int:
        return sum(path.stat().st_size for path in self.root.rglob("*") if path.is_file())

    def survivors(self) -> dict[str, bytes]:
        """What a power cut now would leave, by name."""
        with self._lock:
            return {
                name: self._inodes[number].durable
                for name, number in self._names.items()
                if all(str(folder) in self._folders for folder in list(Path(name).parents)[:-1])
            }

    def power_cut(self, target: Path) -> Path:
        for name, content in self.survivors().items():
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return target

    def make_folder(self, path: Path) -> None:
        self._operate("make_folder")
        super().make_folder(path)

    def create(self, path: Path) -> int:
        self._operate("create")
        with self._lock:
            fd = super().create(path)
            self._present[os.fstat(fd).st_ino] = len(self._inodes)
            self._inodes.append(_Inode())
            return self._note(fd)

    def append(self, path: Path) -> int:
        self._operate("append")
        return self._note(super().append(path))

    def write(self, fd: int, content: bytes) -> int:
        with self._lock:
            fault = self._fault("write")
            room = len(content)
            if self.capacity is not None:
                room = min(room, self.capacity - self.used())
            if fault is not None:
                room = min(room, len(content) // 2)
            if room > 0:
                os.write(fd, content[:room])
            if isinstance(fault, int):
                raise OSError(fault, os.strerror(fault))
            if room <= 0 < len(content) and fault is None:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return max(room, 1) if fault == "short" and room == 0 else room

    def sync(self, fd: int) -> None:
        self._sync(fd)
        self.on_synced()

    def _sync(self, fd: int) -> None:
        with self._lock:
            inode = self._inodes[self._open[fd]]
            content = Path(f"/proc/self/fd/{fd}").read_bytes()
            fault = self._fault("sync")
            if isinstance(fault, int):
                inode.lost.append((inode.known, len(content)))
                inode.known = len(content)
                raise OSError(fault, os.strerror(fault))
            inode.known = len(content)
            kept = bytearray(content)
            for begin, end in inode.lost:
                kept[begin:end] = bytes(end - begin)
            inode.durable = bytes(kept)

    def sync_folder(self, path: Path) -> None:
        self._sync_folder(path)
        self.on_synced()

    def _sync_folder(self, path: Path) -> None:
        with self._lock:
            self._operate("sync_folder")
            if not path.is_relative_to(self.root):
                return
            for names in (self._names, self._folders):
                for name in [name for name in names if (self.root / name).parent == path]:
                    names.pop(name) if isinstance(names, dict) else names.discard(name)
            for entry in path.iterdir():
                name, number = str(entry.relative_to(self.root)), entry.stat().st_ino
                if entry.is_dir():
                    self._folders.add(name)
                elif number in self._present:
                    self._names[name] = self._present[number]

    def close(self, fd: int) -> None:
        self._open.pop(fd, None)
        super().close(fd)

    def rename(self, old: Path, new: Path) -> None:
        self._operate("rename")
        super().rename(old, new)

    def remove(self, path: Path) -> None:
        self._operate("remove")
        super().remove(path)

    def reserve(self, fd: int, size: int) -> None:
        self._operate("reserve")
        super().reserve(fd, size)

    def free_bytes(self, path: Path) -> int:
        return super().free_bytes(path) if self.capacity is None else self.capacity - self.used()

    def _note(self, fd: int) -> int:
        with self._lock:
            self._open[fd] = self._present[os.fstat(fd).st_ino]
            return fd

    def _operate(self, name: str) -> None:
        fault = self._fault(name)
        if isinstance(fault, int):
            raise OSError(fault, os.strerror(fault))

    def _fault(self, name: str) -> int | str | None:
        with self._lock:
            self.operations += 1
            return self.fail(self.operations, name)
