"""Messages to and from the player: one line of JSON each. Names are those of loaded sounds and of tones. Also
the tones themselves."""

import math
from array import array
from collections.abc import Mapping

import msgspec
from msgspec import Struct

from pi_controller.hal.names import Loudspeaker, ToneKind


class LoadOrder(Struct, kw_only=True, tag="load"):
    """All sounds by name: WAV files of one channel, 16 bits and tones.RATE_HZ. What was loaded before
    goes."""

    files: dict[str, str]


class SayOrder(Struct, kw_only=True, tag="say"):
    """Play these one after the other, in place of what is said now; left out when it comes too late.

    Each entry is a group of sounds without a gap; between groups there is `gap_ms` of silence.
    """

    groups: tuple[tuple[str, ...], ...]
    at_ns: int
    """CLOCK_BOOTTIME of what is said."""
    gap_ms: int = 0
    loudspeaker: Loudspeaker = "both"


class Planned(Struct, kw_only=True, frozen=True):
    """Sounds that begin to be heard at this CLOCK_BOOTTIME, or not at all."""

    at_ns: int
    groups: tuple[tuple[str, ...], ...]
    gap_ms: int = 0
    voice: bool = False
    """True for speech; tones are mixed with speech."""


class SoundPlan(Struct, kw_only=True, tag="plan"):
    """What is planned, in place of the earlier plan."""

    moments: tuple[Planned, ...]


class LevelOrder(Struct, kw_only=True, tag="level"):
    """The volume: 1000 is full."""

    permille: int


class ToneOrder(Struct, kw_only=True, tag="tone"):
    """A test tone, on both loudspeakers."""

    length_ms: int


Order = LoadOrder | SayOrder | SoundPlan | LevelOrder | ToneOrder


class PlayerReport(Struct, kw_only=True):
    """Sent twice a second and after each change."""

    trouble: str | None
    """Why the card cannot be used now, in the library's words; `errno` is the system's number for it."""
    late: int
    """Tones and words that were left out because their moment was over."""
    underruns: int
    """How often the card ran dry."""
    errno: int | None = None


_encoder = msgspec.json.Encoder()
_orders: msgspec.json.Decoder[Order] = msgspec.json.Decoder(Order)
_reports = msgspec.json.Decoder(PlayerReport)


def encode(line: Order | PlayerReport) -> bytes:
    return _encoder.encode(line) + b"\n"


def order(line: bytes) -> Order:
    """Raises msgspec.DecodeError."""
    return _orders.decode(line)


def report(line: bytes) -> PlayerReport:
    """Raises msgspec.DecodeError."""
    return _reports.decode(line)


# Tones as samples. Their frequencies suit small loudspeakers and old ears.


RATE_HZ = 22_050
"""Sample rate of everything played: that of espeak-ng."""
HEADER = 44
"""Bytes before the samples of the WAV files that are played."""
LOUDNESS = 0.2
"""Peak of full scale: together with the voice's peak it stays below 1, so nothing clips."""
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
