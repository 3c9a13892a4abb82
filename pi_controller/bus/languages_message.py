"""Which languages the hall speaks (protocol 3): the message LANGUAGES. Which of two stands, STATE says."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

from pi_controller.bus.fields import Layout, NameField
from pi_controller.bus.values import LONGEST_TAG

TAG: Final = NameField("LANGUAGES", "language", LONGEST_TAG, "!")


@dataclass(frozen=True, slots=True, kw_only=True)
class Languages:
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
