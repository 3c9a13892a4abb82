"""The layout of a message and its fields, also those whose bytes stand for something else than a number:
names, flags, dice, targets, uids, boards."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pi_controller.bus.values import LONGEST_BOARD
from pi_controller.vocabulary import Target

RANGES = {"B": (0, 0xFF), "b": (-0x80, 0x7F), "H": (0, 0xFFFF), "I": (0, 0xFFFF_FFFF)}
"""By struct's letter: least and greatest value."""


class BadMessage(ValueError):  # noqa: N818 - its name is fixed by those who catch it
    """A message that cannot be sent or was not understood; the text is one sentence."""


class Layout:
    """`fields` are name and letter (B, b, H, I, or 6s, 8s, 10s, 20s, 24s for bytes), in the order of the
    wire; `version` is that of the protocol in which they stand so."""

    def __init__(self, name: str, type_number: int, *fields: tuple[str, str], version: int = 1) -> None:
        self.name = name
        self.type = type_number
        self.version = version
        self.fields = fields
        self._struct = struct.Struct("<" + "".join(letter for _, letter in fields))
        self.size = self._struct.size

    def pack(self, values: Sequence[int | bytes]) -> bytes:
        """Raises BadMessage for a number that its field cannot hold."""
        for (field, letter), value in zip(self.fields, values, strict=True):
            if letter in RANGES:
                self._check(field, int(value), RANGES[letter])
        return self._struct.pack(*values)

    def unpack(self, payload: bytes) -> tuple[Any, ...]:
        """The fields at the beginning of `payload`, which is at least `size` long."""
        return self._struct.unpack_from(payload)

    def _check(self, field: str, value: int, allowed: tuple[int, int]) -> None:
        least, greatest = allowed
        if not least <= value <= greatest:
            raise BadMessage(f"{self.name}: {field} is {value}; it must lie between {least} and {greatest}")


DESERT = 7
UID_BYTES = 8
_T = TypeVar("_T")


def named(message: str, names: Sequence[_T], number: int) -> _T:
    """The name with this number."""
    if number >= len(names):
        raise BadMessage(f"{message}: {number} is not known here; protocol 1 ends at {len(names) - 1}")
    return names[number]


def bits(message: Any, names: Sequence[str]) -> int:
    """Flags of a message as one number, the first name in bit 0."""
    return sum(1 << bit for bit, name in enumerate(names) if getattr(message, name))


def named_bits(names: Sequence[str], number: int) -> dict[str, bool]:
    """Flags by name; bits beyond the names are left to later versions."""
    return {name: bool(number >> bit & 1) for bit, name in enumerate(names)}


def dice_byte(dice: tuple[int, int] | None) -> int:
    if dice is None:
        return 0
    first, second = dice
    if not (1 <= first <= 6 and 1 <= second <= 6):
        raise BadMessage(f"STATE: {first} and {second} are not two dice")
    return first << 4 | second


def dice_of(byte: int) -> tuple[int, int] | None:
    dice = (byte >> 4, byte & 15)
    if byte and not all(1 <= die <= 6 for die in dice):
        raise BadMessage(f"STATE: {dice[0]} and {dice[1]} are not two dice")
    return dice if byte else None


def target_byte(target: Target | None) -> int:
    if target == "desert":
        return DESERT
    if target is not None and (target == DESERT or not 2 <= target <= 12):
        raise BadMessage(f"STATE: {target} is no robber target")
    return target or 0


def target_of(byte: int) -> Target | None:
    if byte == 1 or byte > 12:
        raise BadMessage(f"STATE: {byte} is no robber target")
    return "desert" if byte == DESERT else byte or None


def sum_of(total: int | None) -> int | None:
    """A sum of two dice; 0 and None: none."""
    if total and not 2 <= total <= 12:
        raise BadMessage(f"STATE: {total} is no sum of two dice")
    return total or None


def uid_bytes(uid: str) -> bytes:
    if len(uid) != 2 * UID_BYTES or not set(uid) <= set("0123456789abcdef"):
        raise BadMessage(f"{uid!r} is no unique id; it must be 16 lower-case hex digits")
    return bytes.fromhex(uid)


@dataclass(frozen=True, slots=True)
class NameField:
    """A name of printable ASCII in a field of fixed size, filled up with zero bytes. `message` and `of` are
    what its errors speak of; `first` is the lowest character that it may have: with a space, or without."""

    message: str
    of: str
    longest: int
    first: str

    def to_bytes(self, name: str) -> bytes:
        if len(name) > self.longest or not all(self.first <= character <= "~" for character in name):
            kind = "printable" if self.first == " " else "visible"
            raise BadMessage(
                f"{name!r} is no {self.of}'s name; it must be at most {self.longest} {kind} ASCII characters"
            )
        return name.encode("ascii").ljust(self.longest, b"\0")

    def from_bytes(self, padded: bytes) -> str:
        name = padded.rstrip(b"\0")
        if not all(ord(self.first) <= byte <= ord("~") for byte in name):
            raise BadMessage(f"{self.message}: {name!r} is no {self.of}'s name")
        return name.decode("ascii")


BOARD = NameField("ASSIGN", "board", LONGEST_BOARD, "!")
