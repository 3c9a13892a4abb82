"""Whose turn it is where a node does not know the seats by itself (protocol 2): the message SEAT, and the
last byte of STATE."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple, Self

from pi_controller.bus.fields import BadMessage, Layout, NameField
from pi_controller.bus.values import LONGEST_SEAT, MOST_SEATS

NOBODY: Final = 15
NAME: Final = NameField("SEAT", "seat", LONGEST_SEAT, " ")


class Acting(NamedTuple):
    """Who acts, and who is next: indices of seats, 0 to 7."""

    seat: int | None
    next_seat: int | None


def acting_byte(acting: Acting) -> int:
    """The acting seat in the lower four bits, the next one in the upper four."""
    return _nibble(acting.seat) | _nibble(acting.next_seat) << 4


def acting_of(byte: int) -> Acting:
    return Acting(_seat(byte & 15), _seat(byte >> 4))


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """What a seat is called, and its sign: 0 a hexagon, 1 Sun's, 2 Moon's, an unknown one is shown as 0."""

    layout: ClassVar = Layout(
        "SEAT", 11, ("epoch", "H"), ("index", "B"), ("sign", "B"), ("name", "10s"), version=2
    )

    epoch: int
    index: int
    sign: int = 0
    name: str = ""
    """At most ten printable ASCII characters; empty: nodes call it by its number."""

    def values(self) -> Sequence[int | bytes]:
        _check_index(self.index)
        return self.epoch, self.index, self.sign, NAME.to_bytes(self.name)

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        epoch, index, sign, padded = values
        _check_index(index)
        return cls(epoch=epoch, index=index, sign=sign, name=NAME.from_bytes(padded))


def _nibble(seat: int | None) -> int:
    if seat is None:
        return NOBODY
    if not 0 <= seat < MOST_SEATS:
        raise BadMessage(f"STATE: {seat} is no seat; they go from 0 to {MOST_SEATS - 1}")
    return seat


def _seat(nibble: int) -> int | None:
    if nibble == NOBODY:
        return None
    if nibble >= MOST_SEATS:
        raise BadMessage(f"STATE: {nibble} is no seat; they go from 0 to {MOST_SEATS - 1}")
    return nibble


def _check_index(index: int) -> None:
    if not 0 <= index < MOST_SEATS:
        raise BadMessage(f"SEAT: {index} is no seat; they go from 0 to {MOST_SEATS - 1}")
