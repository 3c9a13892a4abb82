"""The mapping between the machine's clock and the game's. Pure."""

from dataclasses import dataclass, field
from fractions import Fraction

FINEST_RATE = 1000
"""Rates are kept as a fraction with at most this denominator, so that no error adds up over an evening."""


@dataclass(frozen=True, slots=True)
class GameTime:
    """Game nanoseconds from boot-time nanoseconds and back.

    `anchor_boot_ns` and `anchor_game_ns` name the same moment; from there the game's clock runs `rate`
    times as
    fast as the machine's (1 in production; anything else is a simulation). After a restart the anchor is
    the last
    moment that is known of the game, so that its clock stood still while nobody watched it.
    """

    anchor_boot_ns: int
    anchor_game_ns: int
    rate: float = 1.0
    _ratio: Fraction = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0.01 <= self.rate <= 1000:
            raise ValueError(f"the speed must be from 0.01 to 1000, not {self.rate}")
        object.__setattr__(self, "_ratio", Fraction(self.rate).limit_denominator(FINEST_RATE))

    def game_ns(self, boot_ns: int) -> int:
        """Game time at this moment of the machine's clock, rounded down."""
        since = (boot_ns - self.anchor_boot_ns) * self._ratio.numerator
        return self.anchor_game_ns + since // self._ratio.denominator

    def boot_ns(self, game_ns: int) -> int:
        """First moment of the machine's clock at which the game's clock shows `game_ns`."""
        since = (game_ns - self.anchor_game_ns) * self._ratio.denominator
        return self.anchor_boot_ns - (-since // self._ratio.numerator)
