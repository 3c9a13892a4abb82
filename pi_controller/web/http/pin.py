"""The PIN for director and technician: six digits that somebody types in. Only their scrypt hash is kept."""

import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from pi_controller.journal.private import private_folder, readable_by_others, sync_folder, write_private
from pi_controller.language.words import WordedError
from pi_controller.selftest.secret_files import GUESSED_FIRST
from pi_controller.sentence import Sentence

DIGITS = 6
FILE_NAME = "pin"
SALT_BYTES = 16
HASH_BYTES = 32
COST = {"n": 2**14, "r": 8, "p": 1}
"""16 MiB and about a tenth of a second on a Pi 4. A million PINs are few: the limit on guesses protects the
pages, and the file's mode protects the hash."""


class PinFault(WordedError, ValueError):  # noqa: N818 - like KeyFault
    """The file with the PIN's hash cannot be used; the sentence has the remedy."""


@dataclass(frozen=True, slots=True)
class _Kept:
    salt: bytes = field(repr=False)
    digest: bytes = field(repr=False)


class PinFile:
    """`STATE/web/pin`; read afresh each time, so that a new PIN counts at once. `known` alone waits for no
    disk."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self.known = False
        """Whether there was one when somebody looked last."""

    def is_set(self) -> bool:
        """Raises OSError."""
        self.known = self.path.exists()
        return self.known

    def matches(self, pin: str) -> bool:
        """Whether this is the PIN; takes its time on purpose. False when none is set. PinFault, OSError."""
        kept = self._read()
        return kept is not None and hmac.compare_digest(_digest(pin, kept.salt), kept.digest)

    def keep(self, pin: str) -> None:
        """This PIN from now on. Raises OSError."""
        salt = os.urandom(SALT_BYTES)
        private_folder(self.path.parent)
        line = f"scrypt {salt.hex()} {_digest(pin, salt).hex()}\n"
        write_private(self.path, line.encode("ascii"))
        self.known = True

    def remove(self) -> bool:
        """No PIN from now on; whether there was one. Raises OSError."""
        if not self.is_set():
            return False
        self.known = False
        self.path.unlink()
        sync_folder(self.path.parent)
        return True

    def _read(self) -> _Kept | None:
        if not self.is_set():
            return None
        mode = readable_by_others(self.path)
        if mode is not None:
            raise PinFault(Sentence("web.pin_file_readable", path=str(self.path), mode=mode))
        words = self.path.read_text(encoding="ascii", errors="replace").split()
        try:
            name, salt, digest = words[0], bytes.fromhex(words[1]), bytes.fromhex(words[2])
        except (IndexError, ValueError):
            name, salt, digest = "", b"", b""
        if name != "scrypt" or (len(salt), len(digest)) != (SALT_BYTES, HASH_BYTES):
            raise PinFault(Sentence("web.pin_file_damaged", path=str(self.path)))
        return _Kept(salt, digest)


def new_pin() -> str:
    """Six random digits, but none of those that everybody tries first."""
    while True:
        pin = f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}"
        if pin not in GUESSED_FIRST:
            return pin


def is_pin(text: object) -> bool:
    """Whether this could be a PIN: six digits 0 to 9."""
    return isinstance(text, str) and len(text) == DIGITS and text.isascii() and text.isdigit()


def _digest(pin: str, salt: bytes) -> bytes:
    return hashlib.scrypt(pin.encode("ascii"), salt=salt, dklen=HASH_BYTES, **COST)
