"""What this computer has to offer: serial ports by names that stay, sticks, whether it is a Pi."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

COPY_FOLDER = "pi-controller"
"""Made on the stick, so that the copy cannot land in an empty mount point when the stick is gone."""
STICK_PLACES = re.compile(r"(/media(/[^/]+){1,2}|/run/media(/[^/]+){2}|/mnt/[^/]+)\Z")
"""Where desktops, and people, mount sticks."""
PORT_FOLDERS = ("tablebus", "serial/by-id", "serial/by-path")
"""Below /dev, the best names first: those of our own udev rules, by serial number, by USB socket."""


@dataclass(frozen=True, slots=True)
class Machine:
    """`root` is the root of the file system; tests give another."""

    root: Path = Path("/")

    def ports(self) -> tuple[str, ...]:
        """Serial ports that are there, each once, by the best name that stays with the adapter."""
        best: dict[Path, str] = {}
        for folder in PORT_FOLDERS:
            for link in _entries(self.root / "dev" / folder):
                best.setdefault(link.resolve(), f"/{link.relative_to(self.root)}")
        return tuple(sorted(best.values()))

    def copy_folders(self) -> tuple[str, ...]:
        """A folder on each stick or disk that is mounted where sticks are."""
        found = (line.split(" ")[1] for line in _lines(self.root / "proc" / "mounts") if line.count(" ") >= 2)
        places = {place.replace("\\040", " ") for place in found}
        return tuple(sorted(f"{place}/{COPY_FOLDER}" for place in places if STICK_PLACES.match(place)))

    def is_pi(self) -> bool:
        return "Raspberry Pi" in "".join(_lines(self.root / "proc" / "device-tree" / "model"))


def _entries(folder: Path) -> Iterable[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else ()


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
