"""Interfaces of the hardware by role, and the errors of drivers. Drivers are in the files and folders beside
this one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, Self

from pi_controller.bus.values import (
    ClaimOutcome,
    IdentifyWhat,
    JobResult,
    OrderName,
    Place,
    SegmentJob,
    SegmentSnapshot,
    TableState,
    TestPattern,
)
from pi_controller.hal.names import ContactName, SymbolName
from pi_controller.language.words import WordedError
from pi_controller.sentence import Sentence


class HardwareError(WordedError, RuntimeError):
    """A device cannot be used."""


class HardwareMissing(HardwareError):  # noqa: N818 - says what is the matter
    """A driver library, chip or bus named in the settings is missing. There is no fallback."""


class PinUnusable(HardwareError):  # noqa: N818 - says what is the matter
    """A pin cannot be opened, read or driven."""


class Closing:
    """What a `with` block closes at its end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()

    def close(self) -> None:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class ContactChange:
    """One raw edge at the pause button, not debounced.

    `at_ns` is CLOCK_BOOTTIME in ns at the edge. `trusted` is False if the driver's timestamp was older than 1
    s or in the future, and was replaced by the time of arrival.
    """

    contact: ContactName
    closed: bool
    at_ns: int
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class Contacts:
    """Levels of the pause button's contacts now; `nc` is None where only the NO contact is wired."""

    no_closed: bool
    nc_closed: bool | None


class Lamp(Protocol):
    def show(self, *, lit: bool) -> None: ...
    def close(self) -> None:
        """Dark and released; may be called twice."""


class Buzzer(Protocol):
    def sound(self, *, on: bool) -> None:
        """Start or stop the tone; the driver itself ends a tone that lasts longer than its limit."""

    def close(self) -> None: ...


class PauseButton(Protocol):
    def listen(self, report: Callable[[ContactChange], None]) -> None:
        """`report` is called on the driver's own thread and must only hand over."""

    def contacts(self) -> Contacts: ...
    def close(self) -> None: ...


class PushButton(Protocol):
    def pressed(self) -> bool:
        """Whether it is down now. Raises HardwareError when it cannot be read."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class StatusFace:
    """What the local display shows: a headline, one big text, a footer and a symbol."""

    headline: str = ""
    big: str = ""
    footer: str = ""
    symbol: SymbolName = "ready"
    lines: tuple[str, ...] = ()
    """Shown in place of symbol and big text: lines of one size over the whole width."""
    pattern: TestPattern | None = None
    """A test pattern, shown on the whole glass in place of everything else."""


@dataclass(frozen=True, slots=True)
class PanelPower:
    """Power of the panel's 24 V line behind its fuse: of all lamps and the buzzer together."""

    amps: float
    volts: float


class CurrentSensor(Protocol):
    def read(self) -> PanelPower:
        """The mean of the last 35 ms. Blocks. Raises HardwareError if the sensor does not answer."""


class LocalDisplay(Protocol):
    def draw(self, face: StatusFace) -> None:
        """Show this face soon. Never blocks; the newest face replaces earlier ones."""

    def shows(self, face: StatusFace) -> bool:
        """True if the display has received this face completely."""

    def trouble(self) -> Sentence | None:
        """One sentence while the display does not answer, otherwise None."""

    def beat_ns(self) -> int:
        """CLOCK_BOOTTIME of the drawing thread's last sign of life."""

    def close(self) -> None: ...


class TableBus(Protocol):
    """The table nodes of all segments. Thread-safe; nothing here waits for a port."""

    @property
    def wired(self) -> bool:
        """False without segments: nobody sees what is shown."""

    def show(self, state: TableState) -> None:
        """Have all tables show this state, at once if more than the time has changed. The newest state
        replaces earlier ones."""

    def places(self, places: tuple[Place, ...]) -> None:
        """Set all known places, for nodes on any segment."""

    def outcomes(self, outcomes: tuple[ClaimOutcome, ...]) -> None:
        """Set the outcome of each side's newest claim, for nodes on any segment: the whole list."""

    def ask_again(self) -> None:
        """Have all open claims reported again, as `ClaimHeard`."""

    def identify(self, uid: str | None, *, what: IdentifyWhat, seconds: int, number: int) -> None:
        """Have one node, or with None all, show this (values.IdentifyWhat) for 0 to 255 s; 0 ends it."""

    def order(self, uid: str, what: OrderName, argument: int = 0) -> None:
        """Send an order to a node; does nothing if no segment knows it."""

    def measure(self, job: SegmentJob, report: Callable[[JobResult], None]) -> None:
        """Run this job on all segments, beside normal traffic. `report` is called once for each segment, on
        its thread or that of `revive`, and must only hand over. A new job ends the one before, a change of
        state ends a SilenceAsked, a lost port ends any job; they report what they have, and why. Nothing is
        reported after `close`, or without segments. Raises ValueError for an impossible job."""

    def snapshot(self) -> tuple[SegmentSnapshot, ...]:
        """All segments and their nodes as of at most a second ago. A link is `open` once a node has answered
        through the port that is open now; nodes behind a port that is not are `lost`."""

    def beat_ns(self) -> int:
        """CLOCK_BOOTTIME of the oldest last sign of life of the segments' threads."""

    def revive(self) -> None:
        """Restart each segment whose thread gives no sign of life; does not wait for the old thread."""

    def close(self) -> None:
        """Release the ports; may be called twice. No event comes afterwards."""


class Sound(Protocol):
    """Plays tones and spoken words."""

    def play_tone(self, ms: int) -> Sentence | None:
        """Play a tone and wait for its end. Returns a sentence if it could not be played."""


class Clock(Protocol):
    def boot_ns(self) -> int:
        """CLOCK_BOOTTIME in nanoseconds."""

    def wall(self) -> str:
        """Wall time as ISO 8601 in UTC; a label, never used for durations."""

    @property
    def boot_id(self) -> str: ...


# Facts about the computer: supply, heat, clocks, disk, watchdog. None: unknown.


RootKind = Literal["overlay", "read_only", "writable"]
"""overlay: what is written to the root is gone at the next start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SupplyFacts:
    """The 5 V of the computer as its firmware judges it (alarm below about 4.63 V)."""

    under_voltage: bool
    throttled: bool
    """Slowed down now because of heat or supply."""
    under_voltage_since_boot: bool
    throttled_since_boot: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockFacts:
    """The clock with a battery and the system's own."""

    rtc: str | None
    """The name of the battery-backed clock; None: there is none."""
    rtc_runs: bool | None
    """False: it has stopped since it was set, as it does when its battery is empty."""
    rtc_ahead_s: float | None
    """How far it is ahead of the system's wall clock, in whole seconds."""
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
    """Errors that the file system has counted in its life (ext4 only)."""
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
    """The board's name in its device tree."""
    kernel: str
    supply: SupplyFacts | None
    temperature_c: float | None
    clock: ClockFacts
    disk: DiskFacts
    watchdog: WatchdogFacts | None
    sound_cards: tuple[str, ...]
