"""Layout of a payload: named integers in a row, little-endian, packed with their ranges checked."""

import struct
from collections.abc import Sequence
from typing import Any

RANGES = {"B": (0, 0xFF), "b": (-0x80, 0x7F), "H": (0, 0xFFFF), "I": (0, 0xFFFF_FFFF)}
"""By struct's letter: least and greatest value."""


class BadMessage(ValueError):  # noqa: N818 - its name is fixed by those who catch it
    """A message that cannot be sent or was not understood; the text is one sentence."""


class Layout:
    """`fields` are name and letter (B, b, H, I, or 8s, 6s, 24s for bytes), in the order of the wire."""

    def __init__(self, name: str, type_number: int, *fields: tuple[str, str]) -> None:
        self.name = name
        self.type = type_number
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
