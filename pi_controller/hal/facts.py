"""What the computer says of itself: supply, heat, clocks, disk, watchdog. None: it does not say."""

from dataclasses import dataclass
from typing import Literal

RootKind = Literal["overlay", "read_only", "writable"]
"""overlay: what is written to the root is gone at the next start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SupplyFacts:
    """The 5 V of the computer as its firmware judges it (alarm below about 4.63 V)."""

    under_voltage: bool
    throttled: bool
    """Slowed down now, for heat or for supply."""
    under_voltage_since_boot: bool
    throttled_since_boot: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockFacts:
    """The clock with a battery and the system's own."""

    rtc: str | None
    """The name of the clock with a battery; None: there is none."""
    rtc_runs: bool | None
    """False: it has stopped since it was set, as it does when its battery is empty."""
    rtc_ahead_s: float | None
    """Of the system's wall clock; whole seconds, as the clock tells them."""
    synchronised: bool
    """The wall clock was set from the network since boot."""
    source: str | None
    """The kernel's clock source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskFacts:
    """The file system of the state folder, and the root."""

    free_bytes: int
    size_bytes: int
    errors: int | None
    """That the file system has counted in all its life (ext4 only)."""
    root: RootKind


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchdogFacts:
    """The computer's own watchdog, which starts it afresh when the whole system hangs."""

    name: str
    armed: bool
    timeout_s: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemFacts:
    """All of it, as of now."""

    model: str | None
    """Of the board, as its device tree names it."""
    kernel: str
    supply: SupplyFacts | None
    temperature_c: float | None
    clock: ClockFacts
    disk: DiskFacts
    watchdog: WatchdogFacts | None
    sound_cards: tuple[str, ...]
