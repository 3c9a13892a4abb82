"""Holds the state folder for one process, so that nothing that can be removed lets a second one in.

Three things are held: the folder itself (flock of its descriptor), the lock file in it, in which the
process's number stands, and a name in the system's memory, made of the folder's path (unix(7), abstract),
which stays when the folder is removed and made again.
"""

import contextlib
import fcntl
import hashlib
import os
import socket
import struct
from pathlib import Path

from pi_controller.journal.errors import StateInUse
from pi_controller.journal.files import Identity, identity

WAITING = 16
"""Processes that may ask at a time who holds the name; each look of the holder lets them go."""


class Hold:
    """`take` it before anything is written, `release` it at the end; by one thread at a time."""

    def __init__(self, state_dir: Path, lock_path: Path) -> None:
        self._state_dir = state_dir
        self._lock_path = lock_path
        self._name: socket.socket | None = None
        self._held: dict[Path, tuple[int, Identity]] = {}
        """The folder and the lock file: descriptor, and what was at the path when it was opened."""

    def take(self) -> None:
        """StateInUse names the process that has it already; OSError."""
        try:
            self._name = self._take_name()
            self._take_files()
        except OSError:
            self.release()
            raise

    def gone(self) -> bool:
        """Whether the folder or the lock file is no longer at its path."""
        self._let_go()
        return any(identity(path) != found for path, (_, found) in self._held.items())

    def again(self) -> None:
        """Hold what is at these paths now, too. StateInUse when another process was faster; OSError."""
        for path in [path for path, (_, found) in self._held.items() if identity(path) != found]:
            os.close(self._held.pop(path)[0])
        self._take_files()

    def release(self) -> None:
        for fd, _ in self._held.values():
            os.close(fd)
        self._held.clear()
        if self._name is not None:
            self._name.close()
            self._name = None

    def _take_files(self) -> None:
        if self._state_dir not in self._held:
            self._flock(self._state_dir, os.O_RDONLY | os.O_DIRECTORY)
        if self._lock_path not in self._held:
            fd = self._flock(self._lock_path, os.O_RDWR | os.O_CREAT)
            os.ftruncate(fd, 0)
            os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)

    def _flock(self, path: Path, flags: int) -> int:
        fd = os.open(path, flags | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            raise self._in_use(self._holder()) from None
        status = os.fstat(fd)
        self._held[path] = fd, (status.st_dev, status.st_ino)
        return fd

    def _take_name(self) -> socket.socket | None:
        """None when somebody else holds the name who may not: then the folder's own lock decides."""
        address = name_of(self._state_dir)
        name = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK)
        try:
            name.bind(address)
            name.listen(WAITING)
        except OSError:
            name.close()
            pid, uid = _holder_of(address)
            if uid in (0, os.geteuid(), self._state_dir.stat().st_uid):
                raise self._in_use(str(pid)) from None
            return None
        return name

    def _let_go(self) -> None:
        """Those who asked who holds the name have their answer."""
        if self._name is None:
            return
        with contextlib.suppress(BlockingIOError):
            while True:
                self._name.accept()[0].close()

    def _holder(self) -> str:
        with contextlib.suppress(FileNotFoundError):
            return self._lock_path.read_bytes()[:32].decode("ascii", "replace").strip() or "of unknown number"
        return "of unknown number"

    def _in_use(self, holder: str) -> StateInUse:
        return StateInUse(
            f"Process {holder} already runs a controller on {self._state_dir}:"
            " stop it first, or give this one another --state-dir."
        )


def name_of(state_dir: Path) -> bytes:
    """The name in the system's memory for the folder at this path."""
    return b"\0pi-controller/" + hashlib.sha256(bytes(state_dir.resolve())).hexdigest().encode()


def _holder_of(address: bytes) -> tuple[int, int]:
    """Process and user of who listens at this name; -1 when nobody can be asked."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as asking:
        try:
            asking.connect(address)
        except OSError:
            return -1, -1
        pid, uid, _ = struct.unpack("3i", asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        return pid, uid
