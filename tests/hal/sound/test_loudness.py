import math
from array import array

import pytest

from pi_controller.hal.sound.library import FULL, PEAK, TARGET_DBFS, levelled, rms, true_peak
from pi_controller.hal.sound.orders import LOUDNESS, RATE_HZ, every_tone


def sine(level: float, hz: float = 440, ms: int = 300) -> "array[int]":
    count = RATE_HZ * ms // 1000
    return array(
        "h", [round(level * FULL * math.sin(2 * math.pi * hz * number / RATE_HZ)) for number in range(count)]
    )


def dbfs(level: float) -> float:
    return 20 * math.log10(level / FULL)


@pytest.mark.parametrize("level", [0.01, 0.3, 0.9])
def test_soft_and_loud_become_alike(level: float) -> None:
    assert dbfs(rms(levelled(sine(level)))) == pytest.approx(TARGET_DBFS, abs=0.2)


def test_peaks_stay_below_the_limit() -> None:
    clicks = sine(0.01)
    clicks[1000] = clicks[3000] = FULL
    made = levelled(clicks)
    assert true_peak(made) <= PEAK * FULL * 1.001
    assert dbfs(rms(made)) < TARGET_DBFS


def test_a_peak_between_samples_counts() -> None:
    """A quarter of the rate, sampled beside its peaks: the samples are 3 dB lower than the signal."""
    between = array("h", [round(0.7071 * FULL) * (1 if number % 4 < 2 else -1) for number in range(400)])
    assert true_peak(between) / FULL == pytest.approx(1.0, abs=0.12)


def test_voice_and_tone_together_cannot_clip() -> None:
    loudest = max(abs(sample) for tone in every_tone().values() for sample in tone)
    assert loudest <= LOUDNESS * FULL + 1
    assert loudest / FULL + PEAK < 1


def test_silence_at_the_ends_goes_and_silence_stays_silence() -> None:
    quiet = array("h", bytes(2 * 5_000))
    assert len(levelled(quiet + sine(0.3) + quiet)) == pytest.approx(len(sine(0.3)), abs=250)
    assert len(levelled(quiet)) == 0
