"""The tones, as samples. Their frequencies lie where small loudspeakers and old ears are good."""

import math
from array import array
from collections.abc import Mapping

from pi_controller.hal.names import ToneKind

RATE_HZ = 22_050
"""Of everything that is played: what espeak-ng renders."""
HEADER = 44
"""Bytes before the samples of the WAV files that are played."""
LOUDNESS = 0.2
"""Of full scale: with the voice's peak (`loudness.PEAK`) it stays below 1, so nothing can clip."""
FADE_S = 0.005
"""Without it a loudspeaker clicks at both ends."""

_PATTERNS: Mapping[ToneKind, tuple[tuple[int, int, int], ...]] = {
    "last_ten": ((660, 120, 80), (660, 120, 0)),
    "last_three": ((880, 90, 0),),
    "go": ((990, 350, 0),),
}
"""Hertz, milliseconds of tone, milliseconds of silence after it."""


def tone(hz: float, ms: int) -> "array[int]":
    """A sine of 16 bits, with its ends faded."""
    count = RATE_HZ * ms // 1000
    fade = min(FADE_S * RATE_HZ, count / 2) or 1
    return array(
        "h",
        (
            round(
                32_767
                * LOUDNESS
                * min(1.0, number / fade, (count - number) / fade)
                * math.sin(2 * math.pi * hz * number / RATE_HZ)
            )
            for number in range(count)
        ),
    )


def silence(ms: int) -> "array[int]":
    return array("h", bytes(2 * (RATE_HZ * ms // 1000)))


def pattern(kind: ToneKind) -> "array[int]":
    """All its tones, one after the other."""
    samples = array("h")
    for hz, on_ms, off_ms in _PATTERNS[kind]:
        samples += tone(hz, on_ms) + silence(off_ms)
    return samples


def every_tone() -> dict[str, "array[int]"]:
    """By the names under which they are played."""
    return {kind: pattern(kind) for kind in _PATTERNS}
