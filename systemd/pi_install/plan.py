"""The plan: everything that an installed machine has, in order."""

import struct
from dataclasses import dataclass

from pi_install.accounts import Accounts
from pi_install.files import Block, FirstFile, Link, PutFile
from pi_install.kit import Kit
from pi_install.machine import Machine
from pi_install.packages import Packages
from pi_install.record import HOME, Record
from pi_install.release import RELEASES, OldReleases, Release
from pi_install.services import Enabled, Reload, Services, Silence, Without, note_start_again
from pi_install.step import Step

DATA = "/var/lib/pi-controller"
SETTINGS = "/etc/pi-controller/settings.toml"
BROKER_FILES = "/etc/pi-controller/broker"
"""Passwords, rights and certificates, by `pi-controller broker setup`."""
UNITS = "/etc/systemd/system"
ALWAYS_ENABLED = (
    "pi-controller-core.service",
    "pi-controller-web.service",
    "pi-controller-links.service",
    "pi-controller-selftest.service",
    "pi-controller-poweroff.path",
)
KIOSK = "pi-controller-kiosk.service"
FREQUENCY = "pi-controller-frequency.service"
BROKER = "pi-controller-broker.service"
"""`pi-controller broker setup` enables it, on one machine of all halls."""
COMMON = {
    "sysusers.conf": "/etc/sysusers.d/pi-controller.conf",
    "tmpfiles.conf": "/etc/tmpfiles.d/pi-controller.conf",
    "modules.conf": "/etc/modules-load.d/pi-controller.conf",
    "sysctl.conf": "/etc/sysctl.d/60-pi-controller.conf",
    "journald.conf": "/etc/systemd/journald.conf.d/60-pi-controller.conf",
    "watchdog.conf": "/etc/systemd/system.conf.d/60-pi-controller.conf",
    "udev.rules": "/etc/udev/rules.d/60-pi-controller.rules",
}
UNIT_FILES = (*ALWAYS_ENABLED, "pi-controller-poweroff.service", BROKER)
KIOSK_FILES = {
    KIOSK: f"{UNITS}/{KIOSK}",
    "kiosk/kiosk.py": "/usr/local/lib/pi-controller/kiosk.py",
    "kiosk/policy.json": "/etc/chromium/policies/managed/pi-controller.json",
    "kiosk/sysusers.conf": "/etc/sysusers.d/pi-controller-kiosk.conf",
}
CURSORS = "/usr/local/share/icons/pi-controller-none/cursors"
CURSOR_NAMES = ("default", "left_ptr", "pointer", "hand2", "text", "xterm")
OTHERS = (
    "brltty.service", "brltty-udev.service", "ModemManager.service",
    "apt-daily.timer", "apt-daily-upgrade.timer", "man-db.timer",
)  # fmt: skip
"""Braille and modem daemons write to every serial adapter; updates choose their own moment."""
CONFIG_LINES = (
    *("[all]", "dtparam=i2c_arm=on", "dtparam=spi=on", "dtparam=watchdog=on"),
    "dtoverlay=i2c-rtc,ds3231",
)
"""The overlay names the clock at address 0x68 to the kernel; where there is none, nothing is set."""
PIN_PACKAGES = ("python3-lgpio", "python3-spidev")
SOUND_PACKAGES = ("alsa-utils", "espeak-ng", "libasound2")
KIOSK_PACKAGES = (
    *("cage", "chromium", "seatd", "fontconfig", "fonts-dejavu-core"),
    "fonts-noto-color-emoji",  # for what people type: without it the hall screen shows boxes
)
GROUPS = ("gpio", "i2c", "spi", "dialout", "audio", "input")


@dataclass(frozen=True)
class Choices:
    """What the installing person said; `settings` is the first content of the settings file."""

    kiosk: bool
    full_frequency: bool
    """The processor does not rest at its lowest frequency."""
    settings: bytes


def first_settings() -> bytes:
    """Little: what is not in it keeps its default, also when a release has a better one."""
    return (
        b"# Settings of this controller. What is not named here has its default; all of them stand in\n"
        b"# /etc/pi-controller/settings.example.toml. Check: pi-controller settings check "
        + SETTINGS.encode()
        + b"\n"
        b'\n[web]\n# reachable for screens and phones in the hall\'s network\nhost = "0.0.0.0"\n'
        b"# encrypted, for staff, judges and claiming phones; the first start makes the certificate\n"
        b"staff_port = 8443\nstaff_tls = true\n"
    )


def plan(machine: Machine, kit: Kit, choices: Choices) -> list[Step]:
    """All steps; uninstallation undoes them from the last to the first."""
    files = [PutFile(path, kit.text(f"systemd/{name}")) for name, path in COMMON.items()]
    there = [name for name in UNIT_FILES if kit.has(f"systemd/{name}")]  # an older release has fewer
    units = [PutFile(f"{UNITS}/{name}", kit.text(f"systemd/{name}")) for name in there]
    kiosk = kiosk_steps(kit) if choices.kiosk else []
    optional = (BROKER, KIOSK) if choices.kiosk else (BROKER,)
    enabled = tuple(name for name in ALWAYS_ENABLED if name in there)
    return [
        *pi_packages(machine),
        Reload(),
        Release(kit),
        *files,
        Accounts(("pi-controller",), GROUPS, COMMON["sysusers.conf"]),
        FirstFile(SETTINGS, choices.settings),
        PutFile("/etc/pi-controller/settings.example.toml", kit.text("docs/settings.example.toml")),
        *units,
        *(Without(name, f"{UNITS}/{name}") for name in UNIT_FILES if name not in there),
        *kiosk,
        *(frequency_steps(kit) if choices.full_frequency else []),
        *boot_config(machine),
        PutFile("/usr/local/bin/pi-controller", kit.text("systemd/pi-controller.sh"), 0o755),
        Silence(OTHERS),
        Link(f"{HOME}/current", f"{RELEASES}/{kit.name}", notes_previous=True),
        Services(enabled, optional, (kit.name.encode(), *(step.data for step in (*files, *units)))),
        OldReleases(kit),
    ]


def kiosk_steps(kit: Kit) -> list[Step]:
    """The hall screen on the machine's own HDMI: packages, user, unit, a cursor that cannot be seen."""
    return [
        Packages(KIOSK_PACKAGES, "the hall screen"),
        *(PutFile(path, kit.text(f"systemd/{name}")) for name, path in KIOSK_FILES.items()),
        *(PutFile(f"{CURSORS}/{name}", invisible_cursor()) for name in CURSOR_NAMES),
        Accounts(("pi-kiosk",), ("video", "render"), KIOSK_FILES["kiosk/sysusers.conf"]),
        Enabled(KIOSK),
    ]


def frequency_steps(kit: Kit) -> list[Step]:
    """The unit that keeps the processor at its full frequency; an older release has none."""
    path = f"{UNITS}/{FREQUENCY}"
    if not kit.has(f"systemd/{FREQUENCY}"):
        return [Without(FREQUENCY, path)]
    return [PutFile(path, kit.text(f"systemd/{FREQUENCY}")), Enabled(FREQUENCY, at_once=True)]


def pi_packages(machine: Machine) -> list[Step]:
    """The libraries of the pins come from Debian, built for its Python."""
    if not machine.is_pi():
        return []
    return [Packages(PIN_PACKAGES, "the pins"), Packages(SOUND_PACKAGES, "sound")]


def boot_config(machine: Machine) -> list[Step]:
    """I2C, SPI and the hardware watchdog, where the machine has the Raspberry Pi's boot folder."""

    def start_again(record: Record) -> None:
        record.note("start_again", note_start_again(machine))

    for path in ("/boot/firmware/config.txt", "/boot/config.txt"):
        if machine.at(path).is_file():
            return [Block(path, CONFIG_LINES, start_again)]
    return []


def invisible_cursor() -> bytes:
    """A picture of one transparent pixel in the format of X cursors."""
    image = struct.pack("<9I", 36, 0xFFFD0002, 1, 1, 1, 1, 0, 0, 0) + struct.pack("<I", 0)
    return struct.pack("<4sIII", b"Xcur", 16, 0x10000, 1) + struct.pack("<III", 0xFFFD0002, 1, 28) + image
