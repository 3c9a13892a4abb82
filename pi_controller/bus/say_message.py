"""The director's message on the tables' displays (protocol 4): the message SAY, a part of it in each."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

from pi_controller.bus.fields import BadMessage, Layout

PART_BYTES: Final = 20
MOST_PARTS: Final = 15
FIRST_FURTHER: Final = 0x80
FURTHER: Final = "ÀÁÂÃÄÇÉÊÍÑÓÔÕÖÚÜĄĆĘŁŃŚŹŻàáâãäçéêíñóôõöúüąćęłńśźżß¿¡"
"""Letters beyond ASCII: on the wire 0x80 is the first of them, and so on."""
PLAIN: Final = str.maketrans({
    **dict.fromkeys("„“”«»", '"'), **dict.fromkeys("‚‘’", "'"), **dict.fromkeys("‐‑–—", "-"),
    "…": "...", "×": "x", "€": "EUR",
})  # fmt: skip
"""What typesetters write otherwise than the wire."""
UNKNOWN: Final = "?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """Part `part` of `parts` of the message with this number; of none: there is no message any more."""

    layout: ClassVar = Layout(
        "SAY", 13, ("epoch", "H"), ("number", "B"), ("parts", "B"), ("text", "20s"), version=4
    )

    epoch: int
    number: int
    """Another one with each message."""
    part: int = 0
    parts: int = 0
    text: str = ""
    """At most PART_BYTES of the letters that the wire carries."""

    def values(self) -> Sequence[int | bytes]:
        _check_part(self.part, self.parts)
        return self.epoch, self.number, self.part | self.parts << 4, _to_bytes(self.text)

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        epoch, number, parts, padded = values
        _check_part(parts & 15, parts >> 4)
        return cls(epoch=epoch, number=number, part=parts & 15, parts=parts >> 4, text=_from_bytes(padded))


def parts_of(text: str, *, epoch: int, number: int) -> tuple[Say, ...]:
    """The whole message; of an empty one, one SAY that ends the one before. What has no room is cut off."""
    pieces = [text[start : start + PART_BYTES] for start in range(0, len(text), PART_BYTES)][:MOST_PARTS]
    return tuple(
        Say(epoch=epoch, number=number, part=part, parts=len(pieces), text=piece)
        for part, piece in enumerate(pieces)
    ) or (Say(epoch=epoch, number=number),)


def carried(text: str) -> str:
    """The text in letters that the wire carries: other ones without their marks, or as UNKNOWN; pictures are
    left out."""
    plain = unicodedata.normalize("NFC", text).translate(PLAIN)
    return " ".join("".join(map(_carried_letter, plain)).split())


def _carried_letter(letter: str) -> str:
    if letter in FURTHER or " " <= letter <= "~":
        return letter
    if letter.isspace():
        return " "
    plain = unicodedata.normalize("NFKD", letter).replace("\N{FRACTION SLASH}", "/")
    without_marks = "".join(one for one in plain if " " <= one <= "~")
    return without_marks or (UNKNOWN if letter.isalnum() else "")


def _check_part(part: int, parts: int) -> None:
    if part >= max(1, parts) or parts > MOST_PARTS:
        raise BadMessage(f"SAY: there is no part {part} of {parts}")


def _to_bytes(text: str) -> bytes:
    try:
        said = bytes(
            ord(letter) if letter < "\x7f" else FIRST_FURTHER + FURTHER.index(letter) for letter in text
        )
    except ValueError:
        raise BadMessage(f"SAY: {text!r} has letters that the wire does not carry") from None
    if len(said) > PART_BYTES or any(byte < ord(" ") for byte in said):
        raise BadMessage(f"SAY: {text!r} is no part; it must be at most {PART_BYTES} printable characters")
    return said.ljust(PART_BYTES, b"\0")


def _from_bytes(padded: bytes) -> str:
    said = padded.rstrip(b"\0")
    if not all(ord(" ") <= byte <= ord("~") or 0 <= byte - FIRST_FURTHER < len(FURTHER) for byte in said):
        raise BadMessage(f"SAY: {said!r} is no text")
    return "".join(chr(byte) if byte < FIRST_FURTHER else FURTHER[byte - FIRST_FURTHER] for byte in said)
