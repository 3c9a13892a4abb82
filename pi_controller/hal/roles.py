"""What the controller asks of its hardware, role by role, and the errors with which drivers refuse. Drivers
stand in the folders beside this file.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from pi_controller.bus.values import (
    BusJob,
    ClaimOutcome,
    IdentifyWhat,
    JobResult,
    OrderName,
    Place,
    SegmentSnapshot,
    TableState,
    TestPattern,
)
from pi_controller.hal.names import ContactName, SymbolName
from pi_controller.language.words import WordedError
from pi_controller.sentence import Sentence


class HardwareError(WordedError, RuntimeError):
    """Something wired to the controller cannot be used."""


class HardwareMissing(HardwareError):  # noqa: N818 - says what is the matter
    """A driver library, a chip or a bus that a setting names is not there. Nothing else is tried instead."""


class PinUnusable(HardwareError):  # noqa: N818 - says what is the matter
    """A pin cannot be opened, read or driven."""


@dataclass(frozen=True, slots=True)
class ContactChange:
    """One raw edge at the pause button, not qualified yet.

    `at_ns` is CLOCK_BOOTTIME in nanoseconds at the edge; `trusted` is False when the driver's own stamp was
    older than 1 s or lay in the future, so that the time of arrival stands in for it.
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
    """In the place of symbol and big text: lines of one size over the whole width."""
    pattern: TestPattern | None = None
    """Of a test of the display: the whole glass shows it in the place of everything else."""


@dataclass(frozen=True, slots=True)
class PanelPower:
    """Of the panel's 24 V line, behind its fuse: what all lamps and the buzzer take together."""

    amps: float
    volts: float


class CurrentSensor(Protocol):
    def read(self) -> PanelPower:
        """The mean of the last 35 ms. Blocks; raises HardwareError when the sensor does not answer."""


class LocalDisplay(Protocol):
    def draw(self, face: StatusFace) -> None:
        """Show this face soon: never blocks, the newest face wins."""

    def shows(self, face: StatusFace) -> bool:
        """The display has taken this face whole."""

    def trouble(self) -> Sentence | None:
        """One sentence while the display does not answer, otherwise None."""

    def beat_ns(self) -> int:
        """CLOCK_BOOTTIME of the drawing thread's last sign of life."""

    def close(self) -> None: ...


class TableBus(Protocol):
    """The table nodes of all segments. Thread-safe; nothing here waits for a port."""

    def show(self, state: TableState) -> None:
        """Have all tables show this: at once when more than the time has changed; the newest state wins."""

    def places(self, places: tuple[Place, ...]) -> None:
        """All places that are known, in whichever segment the nodes hang."""

    def outcomes(self, outcomes: tuple[ClaimOutcome, ...]) -> None:
        """What became of each side's newest claim, in whichever segment the nodes hang: the whole list."""

    def ask_again(self) -> None:
        """Have all standing claims told once more, as `ClaimHeard`."""

    def identify(self, uid: str | None, *, what: IdentifyWhat, seconds: int, number: int) -> None:
        """Have one node, or with None all, show this (values.IdentifyWhat) for 0 to 255 s; 0 ends it."""

    def order(self, uid: str, what: OrderName, argument: int = 0) -> None:
        """Have a node do this; nothing happens when no segment knows it."""

    def measure(self, job: BusJob, report: Callable[[JobResult], None]) -> None:
        """Have this measured on all segments, beside what goes on there. `report` is called once for each, on
        the segment's own thread or that of `revive`, and must only hand over. A new job ends the one before,
        a change of state a SilenceAsked, a lost port each of them; they report then what they have, and why.
        Nothing is reported after `close`, nor without segments. ValueError for a job that cannot be."""

    def snapshot(self) -> tuple[SegmentSnapshot, ...]:
        """All segments and their nodes as they were at most a second ago. A link is `open` once a node has
        answered through the port that is open now; nodes behind a port that is not are `lost`."""

    def beat_ns(self) -> int:
        """CLOCK_BOOTTIME of the oldest last sign of life of the segments' threads."""

    def revive(self) -> None:
        """Start afresh each segment whose thread gives no sign of life; does not wait for the old ones."""

    def close(self) -> None:
        """Release the ports; may be called twice. No event comes afterwards."""


class Sound(Protocol):
    """What plays tones and spoken words."""

    def play_tone(self, ms: int) -> Sentence | None:
        """Play a tone and wait for its end. The sentence when it could not be played."""


class Clock(Protocol):
    def boot_ns(self) -> int:
        """CLOCK_BOOTTIME in nanoseconds."""

    def wall(self) -> str:
        """Wall time as ISO 8601 in UTC; a label, never used for durations."""

    @property
    def boot_id(self) -> str: ...


# What the computer says of itself: supply, heat, clocks, disk, watchdog. None: it does not say.


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
