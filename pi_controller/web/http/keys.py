"""Keys that are kept in files, and the clocks by which what they let in grows old."""

import secrets
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path

from pi_controller.journal.private import readable_by_others, write_private
from pi_controller.language.words import WordedError
from pi_controller.sentence import Sentence

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class KeyFault(WordedError, ValueError):  # noqa: N818 - like SettingsFault
    """A key file cannot be used; the sentence has the remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """`boot_s`: seconds since the machine started, sleep included; `wall_s`: Unix time, which may jump."""

    boot_s: Callable[[], float]
    wall_s: Callable[[], float]
    boot_id: str


@dataclass(frozen=True, slots=True)
class ShownKey:
    """What a request shows besides a log-in: the key of a screen, the code of a seat."""

    holder: Hashable
    """By which its places are counted."""
    is_good: Callable[[], bool] | None = None
    """Whether it still is: as long as that, its address is known as one of ours. None: it is not noted."""


def machine_clocks() -> Clocks:
    """The clocks of this machine."""
    return Clocks(
        boot_s=lambda: time.clock_gettime(time.CLOCK_BOOTTIME),
        wall_s=time.time,
        boot_id=BOOT_ID.read_text(encoding="ascii").strip(),
    )


class KeyFile:
    """A key that is kept, as its file was when it was looked at last: another one ends what the old one let
    in. `look` waits for the disk, `now` for nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._key = _kept_key(path).encode()
        self._seen: tuple[int, int] | None = mark(path)
        self._fault: Sentence | None = None

    def now(self) -> bytes:
        """Raises KeyFault when the file was damaged, gone or readable by others."""
        if self._fault is not None:
            raise KeyFault(self._fault)
        return self._key

    def look(self) -> None:
        """Raises OSError; then what was known stays."""
        try:
            seen = mark(self._path)
            if seen != self._seen:
                self._key = _checked_key(self._path).encode()
        except FileNotFoundError:
            self._seen, self._fault = None, Sentence("web.key_file_gone", path=str(self._path))
        except KeyFault as fault:
            self._seen, self._fault = None, fault.sentence
        else:
            self._seen, self._fault = seen, None


def new_key(path: Path) -> str:
    """Put a new key in this file. Raises OSError."""
    key = secrets.token_urlsafe(32)
    write_private(path, f"{key}\n".encode("ascii"))
    return key


def mark(path: Path) -> tuple[int, int]:
    """Another one when the file has been replaced or written. Raises FileNotFoundError."""
    found = path.stat()
    return found.st_ino, found.st_mtime_ns


def _kept_key(path: Path) -> str:
    """The key in this file; made on the first start."""
    return _checked_key(path) if path.exists() else new_key(path)


def _checked_key(path: Path) -> str:
    mode = readable_by_others(path)
    if mode is not None:
        raise KeyFault(Sentence("web.key_file_readable", path=str(path), mode=mode))
    key = path.read_text(encoding="ascii", errors="replace").strip()
    if len(key) < 32 or not key.isascii() or not key.isprintable():
        raise KeyFault(Sentence("web.key_file_damaged", path=str(path)))
    return key
