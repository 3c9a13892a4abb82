"""Reads facts about the computer from the kernel's files."""

import errno
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pi_controller.hal.roles import (
    ClockFacts,
    DiskFacts,
    HardwareError,
    RootKind,
    SupplyFacts,
    SystemFacts,
    WatchdogFacts,
)
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence

THROTTLED = "sys/devices/platform/soc*/soc*firmware/get_throttled"
"""Bits of the Raspberry Pi's firmware, hexadecimal: 0 too low, 1 to 3 slowed down or capped; 16 to 19 the
same at any time since boot."""
SLOWED = 0b1110


class FactsReader:
    """Reads all facts. The disk is that of `state_dir`. `root` replaces / in tests."""

    def __init__(
        self, state_dir: Path, *, root: Path = Path("/"), wall_s: Callable[[], float] = time.time
    ) -> None:
        self._state_dir = state_dir
        self._root = root
        self._wall_s = wall_s

    def read(self) -> SystemFacts:
        """Takes some milliseconds, longer on a slow disk. HardwareError when the state folder is gone."""
        return SystemFacts(
            model=self._text("proc/device-tree/model"),
            kernel=self._text("proc/sys/kernel/osrelease") or "unknown",
            supply=self._supply(),
            temperature_c=self._temperature(),
            clock=self._clock(),
            disk=self._disk(),
            watchdog=self._watchdog(),
            sound_cards=self._sound_cards(),
        )

    def _text(self, path: str) -> str | None:
        """A file's text; None when it is not there, and for a device that does not answer now."""
        try:
            return (self._root / path).read_text(encoding="utf-8", errors="replace").strip("\0 \n")
        except OSError:
            return None

    def _number(self, path: str, base: int = 10) -> int | None:
        text = self._text(path)
        try:
            return None if text is None else int(text, base)
        except ValueError:
            return None

    def _one(self, pattern: str) -> str | None:
        found = sorted(self._root.glob(pattern))
        return str(found[0].relative_to(self._root)) if found else None

    def _supply(self) -> SupplyFacts | None:
        file, alarm = self._one(THROTTLED), self._voltage_alarm()
        bits = None if file is None else self._number(file, 16)
        if bits is None and alarm is None:
            return None
        now = (bits or 0) & 0xFFFF
        before = (bits or 0) >> 16
        # The firmware's bits have been wrong where the voltage sensor was right, and the other way round.
        too_low = bool(now & 1) or bool(alarm)
        return SupplyFacts(
            under_voltage=too_low,
            throttled=bool(now & SLOWED),
            under_voltage_since_boot=too_low or bool(before & 1),
            throttled_since_boot=bool((now | before) & SLOWED),
        )

    def _voltage_alarm(self) -> int | None:
        for name in sorted(self._root.glob("sys/class/hwmon/hwmon*/name")):
            folder = str(name.parent.relative_to(self._root))
            if self._text(f"{folder}/name") == "rpi_volt":
                return self._number(f"{folder}/in0_lcrit_alarm")
        return None

    def _temperature(self) -> float | None:
        thousandths = self._number("sys/class/thermal/thermal_zone0/temp")
        return None if thousandths is None else thousandths / 1000

    def _clock(self) -> ClockFacts:
        name = self._text("sys/class/rtc/rtc0/name")
        runs, ahead_s = self._battery_clock() if name is not None else (None, None)
        return ClockFacts(
            rtc=name,
            rtc_runs=runs,
            rtc_ahead_s=ahead_s,
            synchronised=(self._root / "run/systemd/timesync/synchronized").exists(),
            source=self._text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
        )

    def _battery_clock(self) -> tuple[bool | None, float | None]:
        try:
            text = (self._root / "sys/class/rtc/rtc0/since_epoch").read_text(encoding="ascii")
        except OSError as error:
            # The drivers answer so while the chip's flag says that its oscillator has stood still.
            return (False, None) if error.errno == errno.EINVAL else (None, None)
        return True, round(int(text) - self._wall_s(), 1)

    def _disk(self) -> DiskFacts:
        try:
            status, space = self._state_dir.stat(), os.statvfs(self._state_dir)
        except OSError as error:
            raise HardwareError(
                Sentence("system.state_folder_unreadable", folder=str(self._state_dir), error=why(error))
            ) from error
        device = f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}"
        name = (self._root / f"sys/dev/block/{device}").resolve().name
        return DiskFacts(
            free_bytes=space.f_bavail * space.f_frsize,
            size_bytes=space.f_blocks * space.f_frsize,
            errors=self._number(f"sys/fs/ext4/{name}/errors_count"),
            root=self._root_kind(),
        )

    def _root_kind(self) -> RootKind:
        """As the file system itself is mounted: a service's own view may be closed further."""
        lines = (self._text("proc/self/mountinfo") or "").splitlines()
        mounts = [line.split(" - ") for line in lines if line.split(" ")[4:5] == ["/"]]
        if not mounts or len(mounts[-1]) != 2:
            return "writable"
        kind, _device, options = mounts[-1][1].split(" ", 2)
        if kind == "overlay":
            return "overlay"
        return "read_only" if "ro" in options.split(",") else "writable"

    def _watchdog(self) -> WatchdogFacts | None:
        name = self._text("sys/class/watchdog/watchdog0/identity")
        if name is None:
            return None
        return WatchdogFacts(
            name=name,
            armed=self._text("sys/class/watchdog/watchdog0/state") == "active",
            timeout_s=self._number("sys/class/watchdog/watchdog0/timeout"),
        )

    def _sound_cards(self) -> tuple[str, ...]:
        """The second part of lines such as ` 0 [Headphones ]: bcm2835_headpho - bcm2835 Headphones`."""
        lines = (self._text("proc/asound/cards") or "").splitlines()
        return tuple(line.split(" - ", 1)[1] for line in lines if "]:" in line and " - " in line)


# Processor time and memory of this process.


PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def process_figures(name: str) -> dict[str, float | dict[str, float]]:
    """For `/metrics`, by the name of the process: time of the processors, memory that is in use."""
    resident = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE_BYTES
    label = f'process="{name}"'
    return {
        "processor_seconds_total": {label: time.process_time()},
        "resident_memory_bytes": {label: resident},
    }


# Mounted memory sticks and disks, as the kernel lists them.


PLACES = re.compile(r"(/media(/[^/]+){1,2}|/run/media(/[^/]+){2}|/mnt/[^/]+)\Z")
"""Mount points of sticks, by desktops and by hand."""
ESCAPED = re.compile(r"\\([0-7]{3})")
"""How the kernel writes blanks, line ends and backslashes (proc(5))."""


@dataclass(frozen=True, slots=True)
class Stick:
    place: str
    """Where it is mounted."""
    read_only: bool = False


def mounted_sticks(root: Path = Path("/")) -> list[Stick]:
    """The mounted sticks, sorted by place. `root` replaces / in tests."""
    mounts = root / "proc" / "mounts"
    lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines() if mounts.is_file() else []
    found = {}
    for line in lines:
        _device, place, kind, options, *_ = [*line.split(" "), "", "", "", ""]
        place = ESCAPED.sub(lambda sign: chr(int(sign[1], 8)), place)
        # autofs only waits for a stick
        if PLACES.match(place) and kind != "autofs":
            found[place] = Stick(place, "ro" in options.split(","))
    return [found[place] for place in sorted(found)]
