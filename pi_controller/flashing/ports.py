"""Which Picos are plugged in, from the kernel's own list of USB devices (sysfs)."""

from dataclasses import dataclass
from pathlib import Path

SYSFS = Path("/sys")
VENDOR = "2e8a"
"""Raspberry Pi's USB vendor number."""
BOOT_PRODUCTS = ("0003", "000f")
"""RP2040 and RP2350 that wait for a UF2 file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Port:
    """A serial port behind which a Pico runs something; `serial` is what it calls itself on USB."""

    device: str
    serial: str


def pico_ports(sysfs: Path = SYSFS) -> tuple[Port, ...]:
    """Serial ports of Raspberry Pi's USB devices, in the order of their names."""
    found = []
    for port in sorted((sysfs / "class" / "tty").glob("ttyACM*")):
        usb_device = (port / "device").resolve().parent
        if _text(usb_device / "idVendor") == VENDOR:
            found.append(Port(device=f"/dev/{port.name}", serial=_text(usb_device / "serial")))
    return tuple(found)


def waits_for_uf2(sysfs: Path = SYSFS) -> bool:
    """Whether a Pico is plugged in that has no MicroPython yet, or whose BOOTSEL button was held."""
    return any(
        _text(device / "idVendor") == VENDOR and _text(device / "idProduct") in BOOT_PRODUCTS
        for device in (sysfs / "bus" / "usb" / "devices").glob("*")
    )


def _text(path: Path) -> str:
    """A device may go while it is looked at; then it is nobody."""
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""
