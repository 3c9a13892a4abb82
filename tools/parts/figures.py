"""Figures that the documents quote: idle volts of the biased bus, and how loud the buzzer is at the desk."""

from dataclasses import dataclass
from math import log10, pi

UNIT_LOAD = 12_000
"""Ohm of a receiver of one unit load, to 0 V; ours are an eighth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bias:
    """Resistor from 24 V to a zener diode, from there `ohm` to A, `ohm` from B to 0 V. Volts and Ohm."""

    supply: float = 24.0
    zener: float = 5.1
    series: float = 2200.0
    ohm: float = 560.0
    terminators: int = 2
    nodes: int = 32

    @property
    def line(self) -> float:
        return 120 / self.terminators

    def idle(self) -> float:
        """Volts of A above B while nobody sends."""
        load = 8 * UNIT_LOAD / self.nodes
        # Sums of the currents at A and at B, solved for the two volts.
        own, across = 1 / self.ohm + 1 / load, 1 / self.line
        fed = self.zener / self.ohm
        whole = (own + across) ** 2 - across**2
        a, b = fed * (own + across) / whole, fed * across / whole
        return a - b

    def driver_load(self) -> float:
        """Ohm between A and B that a driver sees."""
        return 1 / (1 / self.line + 1 / (2 * self.ohm))

    def zener_current(self) -> float:
        """Ampere left for the diode."""
        return (self.supply - self.zener) / self.series - self.zener / (2 * self.ohm + self.line)


def loudness(one_metre: float, metres: float, *, volume: float, seconds: float) -> float:
    """dB, direct and reflected, at so many metres in a room of `volume` m³ that reverberates for `seconds`.

    The sounder hangs before a wall, so its power is 8 dB above its level at 1 m.
    """
    power = one_metre + 10 * log10(2 * pi)
    absorbing = 0.161 * volume / seconds
    return power + 10 * log10(1 / (2 * pi * metres**2) + 4 / absorbing)


def daily(level: float, seconds: float) -> float:
    """Exposure over 8 hours from so many seconds of this level."""
    return level + 10 * log10(seconds / 28_800)
