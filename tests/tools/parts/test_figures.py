"""What the documents quote is what is computed: idle volts of the biased bus, and how loud the buzzer is at the
desk."""

from dataclasses import dataclass, replace
from math import log10, pi

import pytest

from tests.architecture.sources import ROOT

HARDWARE = ROOT / "hardware"
LAW = (HARDWARE / "law.md").read_text(encoding="utf-8")
ADAPTERS = (HARDWARE / "adapters.md").read_text(encoding="utf-8")
ROOMS = {
    "club room, 300 m³, 0.8 s": (300, 0.8),
    "hall, 2000 m³, 1.2 s": (2000, 1.2),
    "gym, 8000 m³, 2.0 s": (8000, 2.0),
}

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
    fuses: float = 0.0
    """Both together, between the line and the terminator in the adapter."""

    @property
    def line(self) -> float:
        return 1 / (1 / (120 + self.fuses) + (self.terminators - 1) / 120)

    def at_adapter(self) -> float:
        """Volts at its terminals while nobody sends."""
        return self.idle() * 120 / (120 + self.fuses)

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


def test_the_bias_holds_the_line_above_what_a_receiver_may_miss() -> None:
    worst = Bias(zener=5.1 * 0.95, ohm=560 * 1.01)
    behind = replace(worst, fuses=15)
    assert worst.idle() > behind.at_adapter() > 0.2
    assert 26.4**2 / 560 < 2  # what C10 is bought for
    for text in (
        f"32 nodes of an eighth unit load | {Bias().idle() * 1000:.0f} mV |",
        f"resistors and diode at their worst | {worst.idle() * 1000:.0f} mV |",
        f"one terminator missing | {Bias(terminators=1).idle() * 1000:.0f} mV |",
        f"a driver sees | {Bias().driver_load():.1f} Ω;",
        f"zener diode at 22 V | {Bias(supply=22).zener_current() * 1000:.1f} mA |",
        f"at 26.4 V | {(26.4 - 5.1) ** 2 / 2200:.2f} W |",
        f"at its worst | {Bias(fuses=15).at_adapter() * 1000:.0f} mV; {behind.at_adapter() * 1000:.0f} mV |",
        f"26.4 V on A: heat in R2 | {(26.4 - 5.1) ** 2 / 560:.2f} W |",
        f"26.4 V on B: heat in R3 | {26.4**2 / 560:.2f} W |",
    ):
        assert text in ADAPTERS, text


def test_a_driver_is_not_loaded_more_than_the_standard_allows() -> None:
    assert Bias().driver_load() >= 54
    assert Bias(ohm=180).driver_load() < 54


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("level", [105, 95, 85])
def test_the_table_of_loudness_is_computed(room: str, level: int) -> None:
    volume, seconds = ROOMS[room]
    heard = [loudness(level, metres, volume=volume, seconds=seconds) for metres in (1, 2, 5, 10)]
    assert f"| {level} dB | {room} | {' | '.join(f'{value:.0f}' for value in heard)} |" in LAW


def test_the_exposure_that_the_text_names() -> None:
    heard = daily(loudness(105, 2, volume=300, seconds=0.8), 120)
    assert f"are {heard:.1f} dB over 8 hours" in LAW
