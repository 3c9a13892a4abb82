"""What the player is told, and what it tells: one line of JSON each. Names are those of loaded sounds and of
tones."""

import msgspec
from msgspec import Struct

from pi_controller.hal.names import Loudspeaker


class Load(Struct, kw_only=True, tag="load"):
    """All sounds by name: WAV files of one channel, 16 bits and tones.RATE_HZ. What was loaded before
    goes."""

    files: dict[str, str]


class Say(Struct, kw_only=True, tag="say"):
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
    """It is said, not a tone, which sounds beside what is said."""


class Plan(Struct, kw_only=True, tag="plan"):
    """What comes, in place of what was planned before."""

    moments: tuple[Planned, ...]


class Level(Struct, kw_only=True, tag="level"):
    """How loud: 1000 is full."""

    permille: int


class Tone(Struct, kw_only=True, tag="tone"):
    """A test tone, on both loudspeakers."""

    length_ms: int


Order = Load | Say | Plan | Level | Tone


class Report(Struct, kw_only=True):
    """Twice a second and whenever something has changed."""

    trouble: str | None
    """Why the card cannot be used now, in the library's words; `errno` is the system's number for it."""
    late: int
    """Tones and words that were left out because their moment was over."""
    underruns: int
    """How often the card ran dry."""
    errno: int | None = None


_encoder = msgspec.json.Encoder()
_orders: msgspec.json.Decoder[Order] = msgspec.json.Decoder(Order)
_reports = msgspec.json.Decoder(Report)


def encode(line: Order | Report) -> bytes:
    return _encoder.encode(line) + b"\n"


def order(line: bytes) -> Order:
    """Raises msgspec.DecodeError."""
    return _orders.decode(line)


def report(line: bytes) -> Report:
    """Raises msgspec.DecodeError."""
    return _reports.decode(line)
