"""Kernel files of simulated serial adapters: FTDI's, whose latency timer may stand wrong."""

from pathlib import Path

DRIVER = "ftdi_sio"
SHORT_MS, LONG_MS = 1, 16


class SimAdapters:
    """`sysfs` is a folder that stands in for /sys. Raises OSError when it cannot be written."""

    def __init__(self, folder: Path) -> None:
        self.sysfs = folder

    def set_latency(self, ports: list[Path], ms: int) -> None:
        """Let the kernel say that FTDI adapters with this latency timer are at these ports."""
        for port in ports:
            device = self.sysfs / "class" / "tty" / port.resolve().name / "device"
            device.mkdir(parents=True, exist_ok=True)
            driver = self.sysfs / "bus" / "usb-serial" / "drivers" / DRIVER
            driver.mkdir(parents=True, exist_ok=True)
            link = device / "driver"
            if not link.is_symlink():
                link.symlink_to(driver)
            (device / "latency_timer").write_text(f"{ms}\n", encoding="ascii")
