"""Seat codes: what is printed for each seat of a board, and lets one device claim for it.

A code is signed with a key of the state folder, so nobody makes one up; each board has a number that is part
of the signature, so that its codes can be made worthless.
"""

import base64
import hashlib
import hmac
import json
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import msgspec

from pi_controller.game.claims import board_key
from pi_controller.journal.store import write_private
from pi_controller.vocabulary import SIDES, Side

FILE_NAME = "seat_codes.json"
LONGEST_CODE = 80
NUMBER = re.compile("[1-9][0-9]{0,8}")
WrongCode = Literal["no_code", "not_ours", "revoked"]
"""It has no code's form; another controller made it, or nobody; it was ours and was taken back."""
LARGEST_FILE = 256 * 1024
KEY_BYTES = 32
SIGNATURE_BYTES = 10
"""80 bits: 16 letters in base 32, far beyond what could be tried over the network."""


@dataclass(frozen=True, slots=True, eq=False)
class SeatAt:
    """A side of a board. However its board is spelled, it is the same seat, and equal."""

    board: str
    side: Side

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SeatAt) and self._one == other._one

    def __hash__(self) -> int:
        return hash(self._one)

    @property
    def _one(self) -> tuple[str, Side]:
        return board_key(self.board), self.side


class _Content(msgspec.Struct):
    """Of the file: the key in hex digits, and the number of each board whose codes were taken back."""

    key: str
    numbers: dict[str, int]


def seat_address(address: str, code: str) -> str:
    """What the QR code of a seat says: behind the `#` nothing leaves the phone before it asks for it."""
    return f"{address.rstrip('/')}/phone#{quote(code)}"


class SeatCodes:
    """The codes of a state folder, as they were when it was read last. Those methods that read or write raise
    OSError, and ValueError for a file that is none of ours."""

    def __init__(self, state_dir: Path) -> None:
        self._path = state_dir / FILE_NAME
        self._stamp: tuple[int, int] | None = None
        self._key = b""
        self._numbers: dict[str, int] = {}

    def prepare(self) -> None:
        """Read the file, which is made if there is none."""
        if self._path.exists():
            self.refresh()
        else:
            self._key, self._numbers = secrets.token_bytes(KEY_BYTES), {}
            self.save()

    def code(self, seat: SeatAt) -> str:
        """The code of this seat as it is now, such as `A5-sun-1-QK4…`."""
        number = self._numbers.get(board_key(seat.board), 1)
        return f"{seat.board}-{seat.side}-{number}-{self._signature(seat, number)}"

    def seat(self, code: str) -> SeatAt | None:
        """Whose code this is; None: nobody's, or no longer, or nothing was read yet."""
        found = self.read(code)
        return found if isinstance(found, SeatAt) else None

    def read(self, code: str) -> SeatAt | WrongCode:
        """Whose code this is, or what is wrong with it."""
        parts = code.rsplit("-", 3)
        if (
            len(code) > LONGEST_CODE
            or len(parts) != 4
            or parts[1] not in SIDES
            or not NUMBER.fullmatch(parts[2])
        ):
            return "no_code"
        seat, number = SeatAt(parts[0], SIDES[SIDES.index(parts[1])]), int(parts[2])
        signature = self._signature(seat, number).encode()
        if not self._key or not hmac.compare_digest(signature, parts[3].encode()):
            return "not_ours"
        return seat if number == self._numbers.get(board_key(seat.board), 1) else "revoked"

    def revoke(self, board: str) -> None:
        """The codes of this board are worth nothing from now on, and once it is saved also for others."""
        key = board_key(board)
        self._numbers[key] = self._numbers.get(key, 1) + 1

    def refresh(self) -> None:
        """Read the file when it has changed."""
        found = self._path.stat()
        stamp = (found.st_mtime_ns, found.st_ino)
        if stamp == self._stamp:
            return
        if found.st_size > LARGEST_FILE:
            raise ValueError(f"{self._path} is no file of seat codes")
        try:
            content = msgspec.json.decode(self._path.read_bytes(), type=_Content)
        except msgspec.DecodeError as error:
            raise ValueError(f"{self._path} is no file of seat codes") from error
        self._key, self._numbers, self._stamp = bytes.fromhex(content.key), content.numbers, stamp

    def forget(self) -> None:
        """No code is anybody's until the file is read again."""
        self._key, self._numbers, self._stamp = b"", {}, None

    def save(self) -> None:
        """Whole or not at all, for its owner alone."""
        write_private(self._path, msgspec.json.encode(_Content(self._key.hex(), self._numbers)))
        self._stamp = None

    def _signature(self, seat: SeatAt, number: int) -> str:
        text = json.dumps([board_key(seat.board), seat.side, number]).encode()
        digest = hmac.digest(self._key, text, hashlib.sha256)[:SIGNATURE_BYTES]
        return base64.b32encode(digest).decode()
