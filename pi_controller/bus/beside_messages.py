"""What is said to all beside the state, where nodes do not know it by themselves: each seat (protocol 2)
and the hall's languages (protocol 3). Which seat acts and which language stands, STATE says."""

from collections.abc import Sequence
from typing import Any, ClassVar, Final, Self

from msgspec import Struct

from pi_controller.bus.fields import BadMessage, Layout, NameField
from pi_controller.bus.values import LONGEST_SEAT, LONGEST_TAG, MOST_SEATS

NAME: Final = NameField("SEAT", "seat", LONGEST_SEAT, " ")
TAG: Final = NameField("LANGUAGES", "language", LONGEST_TAG, "!")


class Seat(Struct, frozen=True, kw_only=True):
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


class Languages(Struct, frozen=True, kw_only=True):
    """The hall's one or two languages, by their tags."""

    layout: ClassVar = Layout("LANGUAGES", 12, ("epoch", "H"), ("first", "6s"), ("second", "6s"), version=3)

    epoch: int
    first: str
    """At most six visible ASCII characters."""
    second: str = ""
    """Empty: there is only one."""

    def values(self) -> Sequence[int | bytes]:
        return self.epoch, TAG.to_bytes(self.first), TAG.to_bytes(self.second)

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        epoch, first, second = values
        return cls(epoch=epoch, first=TAG.from_bytes(first), second=TAG.from_bytes(second))


def _check_index(index: int) -> None:
    if not 0 <= index < MOST_SEATS:
        raise BadMessage(f"SEAT: {index} is no seat; they go from 0 to {MOST_SEATS - 1}")
