"""Facts read from a false root that looks like a Raspberry Pi's, like a plain computer's, and like a broken one."""

import errno
import os
from pathlib import Path

import pytest

from pi_controller.hal.roles import HardwareError, SupplyFacts, WatchdogFacts
from pi_controller.hal.system.facts import FactsReader

NOW = 1_790_000_000.0


class FalseRoot:
    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self.state = folder / "state"
        self.state.mkdir()
        self.root.mkdir()

    def put(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def reader(self) -> FactsReader:
        return FactsReader(self.state, root=self.root, wall_s=lambda: NOW)


@pytest.fixture
def at(tmp_path: Path) -> FalseRoot:
    return FalseRoot(tmp_path)


def test_a_raspberry_pi(at: FalseRoot) -> None:
    at.put("proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.4\0")
    at.put("proc/sys/kernel/osrelease", "6.12.25+rpt-rpi-v8\n")
    at.put("sys/devices/platform/soc/soc:firmware/get_throttled", "50000\n")
    at.put("sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    at.put("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n")
    at.put("sys/class/thermal/thermal_zone0/temp", "48686\n")
    at.put("sys/class/rtc/rtc0/name", "rtc-ds1307 1-0068\n")
    at.put("sys/class/rtc/rtc0/since_epoch", f"{NOW + 2:.0f}\n")
    at.put("run/systemd/timesync/synchronized", "")
    at.put("sys/devices/system/clocksource/clocksource0/current_clocksource", "arch_sys_counter\n")
    at.put("sys/class/watchdog/watchdog0/identity", "Broadcom BCM2835 Watchdog timer\n")
    at.put("sys/class/watchdog/watchdog0/state", "active\n")
    at.put("sys/class/watchdog/watchdog0/timeout", "14\n")
    at.put("proc/self/mountinfo", "21 1 0:20 / / ro,relatime - overlay overlay rw,lowerdir=/a,upperdir=/b\n")
    at.put(
        "proc/asound/cards",
        " 0 [Headphones     ]: bcm2835_headpho - bcm2835 Headphones\n                      bcm2835 Headphones\n",
    )
    facts = at.reader().read()
    assert facts.model == "Raspberry Pi 4 Model B Rev 1.4"
    assert facts.kernel == "6.12.25+rpt-rpi-v8"
    assert facts.supply == SupplyFacts(
        under_voltage=False, throttled=False, under_voltage_since_boot=True, throttled_since_boot=True
    )
    assert facts.temperature_c == 48.686
    assert (facts.clock.rtc, facts.clock.rtc_runs, facts.clock.rtc_ahead_s) == (
        "rtc-ds1307 1-0068",
        True,
        2.0,
    )
    assert facts.clock.synchronised
    assert facts.clock.source == "arch_sys_counter"
    assert facts.watchdog == WatchdogFacts(name="Broadcom BCM2835 Watchdog timer", armed=True, timeout_s=14)
    assert facts.disk.root == "overlay"
    assert facts.disk.free_bytes > 0
    assert facts.sound_cards == ("bcm2835 Headphones",)


def test_a_computer_that_says_nothing(at: FalseRoot) -> None:
    facts = at.reader().read()
    assert (facts.model, facts.kernel, facts.supply, facts.temperature_c) == (None, "unknown", None, None)
    assert (facts.clock.rtc, facts.clock.rtc_runs, facts.clock.synchronised) == (None, None, False)
    assert (facts.watchdog, facts.sound_cards, facts.disk.errors) == (None, (), None)


@pytest.mark.parametrize(
    ("bits", "alarm", "low", "slowed", "low_before", "slowed_before"),
    [
        ("0", None, False, False, False, False),
        ("1", None, True, False, True, False),
        ("50005", None, True, True, True, True),
        ("8", "0", False, True, False, True),
        ("80000", None, False, False, False, True),
        ("0", "1", True, False, True, False),
        (None, "1", True, False, True, False),
        ("nonsense", "0", False, False, False, False),
    ],
)
def test_the_supply_bits(
    at: FalseRoot,
    *,
    bits: str | None,
    alarm: str | None,
    low: bool,
    slowed: bool,
    low_before: bool,
    slowed_before: bool,
) -> None:
    if bits is not None:
        at.put("sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled", bits)
    at.put("sys/class/hwmon/hwmon0/name", "cpu_thermal\n")
    if alarm is not None:
        at.put("sys/class/hwmon/hwmon2/name", "rpi_volt\n")
        at.put("sys/class/hwmon/hwmon2/in0_lcrit_alarm", alarm)
    assert at.reader().read().supply == SupplyFacts(
        under_voltage=low,
        throttled=slowed,
        under_voltage_since_boot=low_before,
        throttled_since_boot=slowed_before,
    )


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ("22 1 179:2 / / ro,noatime - ext4 /dev/mmcblk0p2 rw,errors=remount-ro", "writable"),
        ("22 1 179:2 / / ro,noatime - ext4 /dev/mmcblk0p2 ro,errors=remount-ro", "read_only"),
        ("22 1 8:1 / / rw - ext4 /dev/sda1 rw\n30 1 0:9 / / rw - overlay overlay rw", "overlay"),
        ("22 1 8:1 / /boot ro - vfat /dev/sda1 ro", "writable"),
        ("what is this", "writable"),
    ],
)
def test_the_root(at: FalseRoot, lines: str, kind: str) -> None:
    at.put("proc/self/mountinfo", lines + "\n")
    assert at.reader().read().disk.root == kind


def test_the_errors_of_the_disk_of_the_state_folder(at: FalseRoot) -> None:
    status = at.state.stat()
    at.put("sys/devices/mmc/mmcblk0p3/size", "1\n")
    numbers = at.root / "sys/dev/block"
    numbers.mkdir(parents=True)
    device = f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}"
    (numbers / device).symlink_to("../../devices/mmc/mmcblk0p3")
    at.put("sys/fs/ext4/mmcblk0p3/errors_count", "7\n")
    assert at.reader().read().disk.errors == 7


def test_a_battery_clock_that_has_stood_still(at: FalseRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    at.put("sys/class/rtc/rtc0/name", "rtc-ds1307 1-0068\n")
    at.put("sys/class/rtc/rtc0/since_epoch", "0")
    plain = Path.read_text

    def read(path: Path, **arguments: str) -> str:
        if path.name == "since_epoch":
            raise OSError(number, os.strerror(number))
        return plain(path, **arguments)

    monkeypatch.setattr(Path, "read_text", read)
    number = errno.EINVAL
    assert at.reader().read().clock.rtc_runs is False
    number = errno.EIO
    assert at.reader().read().clock.rtc_runs is None


def test_without_a_state_folder(at: FalseRoot) -> None:
    at.state.rmdir()
    with pytest.raises(HardwareError, match=r"cannot be read \(No such file or directory\): check its disk"):
        at.reader().read()


def test_this_very_computer(tmp_path: Path) -> None:
    facts = FactsReader(tmp_path).read()
    assert facts.kernel == os.uname().release
    assert facts.disk.size_bytes >= facts.disk.free_bytes > 0
