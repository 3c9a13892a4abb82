"""The kernel's list of USB devices, as files of a test."""

from pathlib import Path


class Sysfs:
    """USB devices by a number; a serial port for those that have one."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "class" / "tty").mkdir(parents=True)
        (root / "bus" / "usb" / "devices").mkdir(parents=True)

    def plug_in(
        self, number: int, *, vendor: str = "2e8a", product: str = "0005", serial: str = "e66", port: str = ""
    ) -> None:
        device = self.root / "devices" / f"1-{number}"
        interface = device / f"1-{number}:1.0"
        interface.mkdir(parents=True)
        for name, value in (("idVendor", vendor), ("idProduct", product), ("serial", serial)):
            (device / name).write_text(value + "\n")
        (self.root / "bus" / "usb" / "devices" / f"1-{number}").symlink_to(device)
        if port:
            tty = interface / "tty" / port
            tty.mkdir(parents=True)
            (tty / "device").symlink_to(interface)
            (self.root / "class" / "tty" / port).symlink_to(tty)
