"""All that is spoken equally loud, and never so loud that something clips. Pure.

The measure is the RMS of what is not silence, as in ITU-R BS.1770's gate but without its weighting by
frequency: all phrases of a language have one voice, and so one spectrum.
"""

import math
from array import array
from collections.abc import Iterator, Sequence

from pi_controller.hal.sound.tones import RATE_HZ

TARGET_DBFS = -20.0
"""RMS of every phrase, where its peaks allow it."""
PEAK = 0.75
"""True peak of every phrase, of full scale; with a tone of 0.2 beside it the sum stays below 1."""
SILENT_DB = 40.0
"""What is so much softer than the loudest part is silence at the ends."""
GATE_DB = 20.0
"""What is so much softer than the loudest part does not count in the measure."""
PART = RATE_HZ // 50
"""Samples of the parts that are measured: 20 ms."""
KEPT = RATE_HZ // 200
"""Samples of silence that stay at both ends: 5 ms."""
FULL = 32_767
OVERSAMPLING = 4
_TAPS = 6
"""On each side, of the filter that finds the peaks between samples."""


def levelled(samples: Sequence[int]) -> "array[int]":
    """Without the silence at its ends, at the loudness of all others. Silence stays silence."""
    kept = _without_silent_ends(samples)
    loudness, peak = rms(kept), true_peak(kept)
    if not loudness or not peak:
        return array("h")
    gain = min(FULL * 10 ** (TARGET_DBFS / 20) / loudness, FULL * PEAK / peak)
    return array("h", [int(sample * gain) for sample in kept])


def rms(samples: Sequence[int]) -> float:
    """Of the parts that are not much softer than the loudest one; 0 of silence."""
    powers = list(_powers(samples))
    loudest = max(powers, default=0.0)
    counted = [power for power in powers if power and power >= loudest * 10 ** (-GATE_DB / 10)]
    return math.sqrt(sum(counted) / len(counted)) if counted else 0.0


def true_peak(samples: Sequence[int]) -> float:
    """The highest level also between samples (ITU-R BS.1770, annex 2): looked for beside high samples."""
    highest = max((abs(sample) for sample in samples), default=0)
    near = [place for place, sample in enumerate(samples) if abs(sample) > 0.6 * highest]
    return max(
        (
            abs(_between(samples, place, step / OVERSAMPLING))
            for place in near
            for step in range(OVERSAMPLING)
        ),
        default=0.0,
    )


def _between(samples: Sequence[int], place: int, fraction: float) -> float:
    """The signal so far behind a sample, by a windowed sinc."""
    if not fraction:
        return float(samples[place])
    total = 0.0
    for tap in range(-_TAPS + 1, _TAPS + 1):
        if 0 <= place + tap < len(samples):
            x = tap - fraction
            window = 0.5 + 0.5 * math.cos(math.pi * x / (_TAPS + 1))
            total += samples[place + tap] * window * math.sin(math.pi * x) / (math.pi * x)
    return total


def _powers(samples: Sequence[int]) -> Iterator[float]:
    for start in range(0, len(samples), PART):
        part = samples[start : start + PART]
        yield sum(sample * sample for sample in part) / len(part)


def _without_silent_ends(samples: Sequence[int]) -> Sequence[int]:
    threshold = max((abs(sample) for sample in samples), default=0) * 10 ** (-SILENT_DB / 20)
    loud = [place for place, sample in enumerate(samples) if abs(sample) > threshold]
    return samples[max(0, loud[0] - KEPT) : loud[-1] + KEPT] if loud else []
