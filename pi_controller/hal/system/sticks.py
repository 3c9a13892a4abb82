"""Memory sticks and disks that are mounted, as the kernel lists them."""

import re
from dataclasses import dataclass
from pathlib import Path

PLACES = re.compile(r"(/media(/[^/]+){1,2}|/run/media(/[^/]+){2}|/mnt/[^/]+)\Z")
"""Where desktops, and people, mount sticks."""
ESCAPED = re.compile(r"\\([0-7]{3})")
"""How the kernel writes blanks, line ends and backslashes (proc(5))."""


@dataclass(frozen=True, slots=True)
class Stick:
    place: str
    """Where it is mounted."""
    read_only: bool = False


def mounted_sticks(root: Path = Path("/")) -> list[Stick]:
    """By their places. Tests put `root` in the place of /."""
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
