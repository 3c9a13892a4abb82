"""MEASURE and MEASURED (protocol 6): what a node reads of its supply, its currents and the spare wire, finer
than HEALTH says it. For the tests of a hall."""

from collections.abc import Sequence
from typing import Any, ClassVar, Final, Self

from msgspec import Struct

from pi_controller.bus.fields import BadMessage, Layout

EVERYTHING: Final = 0
"""The only thing that MEASURE can ask for yet."""
NOT_FITTED: Final = 0xFFFF
"""What the node's board has no circuit for, where a number stands."""
NO_LOOP: Final = 0xFF
"""The same for the spare wire."""


class Measure(Struct, frozen=True):
    """Asks a node for MEASURED."""

    layout: ClassVar = Layout("MEASURE", 15, ("what", "B"), version=6)

    def values(self) -> Sequence[int | bytes]:
        return (EVERYTHING,)

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        (what,) = values
        if what != EVERYTHING:
            raise BadMessage(f"MEASURE: {what} is not known here; there is only {EVERYTHING}")
        return cls()


class Measured(Struct, frozen=True, kw_only=True):
    """A node's answer to MEASURE, as it reads without correction; None: its board has no circuit for it."""

    layout: ClassVar = Layout(
        "MEASURED", 16,
        ("supply_mv", "H"), ("spread_mv", "H"), ("lamps", "H"), ("displays", "H"), ("loop", "B"), version=6,
    )  # fmt: skip

    supply_mv: int | None = None
    """Mean of 64 readings, mV."""
    spread_mv: int | None = None
    """The greatest of them less the least, mV."""
    lamps: int | None = None
    """Current of its four lamps together, in 10 µA."""
    displays: int | None = None
    """Current of its displays together, in 0.1 mA."""
    loop: bool | None = None
    """Whether the spare wire is whole from here to the terminator."""

    def values(self) -> Sequence[int | bytes]:
        numbers = (self.supply_mv, self.spread_mv, self.lamps, self.displays)
        loop = NO_LOOP if self.loop is None else int(self.loop)
        return (*(NOT_FITTED if number is None else number for number in numbers), loop)

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        *numbers, loop = values
        supply_mv, spread_mv, lamps, displays = (None if one == NOT_FITTED else one for one in numbers)
        return cls(
            supply_mv=supply_mv, spread_mv=spread_mv, lamps=lamps, displays=displays, loop=_loop_of(loop)
        )


def _loop_of(byte: int) -> bool | None:
    if byte not in (0, 1, NO_LOOP):
        raise BadMessage(f"MEASURED: {byte} is no state of the spare wire")
    return None if byte == NO_LOOP else bool(byte)
