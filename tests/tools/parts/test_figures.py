"""What the documents quote is what is computed."""

import pytest

from tests.architecture.sources import ROOT
from tools.parts.figures import Bias, daily, loudness

HARDWARE = ROOT / "hardware"
LAW = (HARDWARE / "law.md").read_text(encoding="utf-8")
ADAPTERS = (HARDWARE / "adapters.md").read_text(encoding="utf-8")
ROOMS = {
    "club room, 300 m³, 0.8 s": (300, 0.8),
    "hall, 2000 m³, 1.2 s": (2000, 1.2),
    "gym, 8000 m³, 2.0 s": (8000, 2.0),
}


def test_the_bias_holds_the_line_above_what_a_receiver_may_miss() -> None:
    worst = Bias(zener=5.1 * 0.95, ohm=560 * 1.01)
    assert worst.idle() > 0.2
    for text in (
        f"32 nodes of an eighth unit load | {Bias().idle() * 1000:.0f} mV |",
        f"resistors and diode at their worst | {worst.idle() * 1000:.0f} mV |",
        f"one terminator missing | {Bias(terminators=1).idle() * 1000:.0f} mV |",
        f"a driver sees | {Bias().driver_load():.1f} Ω;",
        f"zener diode at 22 V | {Bias(supply=22).zener_current() * 1000:.1f} mA |",
        f"at 26.4 V | {(26.4 - 5.1) ** 2 / 2200:.2f} W |",
    ):
        assert text in ADAPTERS, text


def test_a_driver_is_not_loaded_more_than_the_standard_allows() -> None:
    assert Bias().driver_load() >= 54
    assert Bias(ohm=180).driver_load() < 54


def test_without_nodes_the_line_is_a_plain_divider() -> None:
    bare = Bias(nodes=1)
    assert bare.idle() == pytest.approx(5.1 * 60 / (60 + 2 * 560), rel=0.01)


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("level", [105, 95, 85])
def test_the_table_of_loudness_is_computed(room: str, level: int) -> None:
    volume, seconds = ROOMS[room]
    heard = [loudness(level, metres, volume=volume, seconds=seconds) for metres in (1, 2, 5, 10)]
    assert f"| {level} dB | {room} | {' | '.join(f'{value:.0f}' for value in heard)} |" in LAW


def test_sound_alone_falls_by_six_decibels_for_twice_the_way() -> None:
    outside = {"volume": 1e12, "seconds": 0.1}
    assert loudness(105, 1, **outside) == pytest.approx(105, abs=0.01)
    assert loudness(105, 2, **outside) == pytest.approx(99, abs=0.05)


def test_the_exposure_that_the_text_names() -> None:
    heard = daily(loudness(105, 2, volume=300, seconds=0.8), 120)
    assert f"are {heard:.1f} dB over 8 hours" in LAW
