"""A file system with adapters and sticks, and somebody who types."""

import io
from pathlib import Path


def machine_root(root: Path, *, adapters: dict[str, dict[str, str]], mounts: tuple[str, ...] = ()) -> Path:
    """`adapters`: names below /dev by folder, for each device."""
    dev = root / "dev"
    for device, names in adapters.items():
        dev.mkdir(parents=True, exist_ok=True)
        (dev / device).write_text("")
        for folder, name in names.items():
            (dev / folder).mkdir(parents=True, exist_ok=True)
            (dev / folder / name).symlink_to(dev / device)
    (root / "proc").mkdir(parents=True, exist_ok=True)
    lines = [f"/dev/sd{number} {place} vfat rw 0 0\n" for number, place in enumerate(("/", *mounts))]
    (root / "proc" / "mounts").write_text("".join(lines))
    return root


class Typist(io.StringIO):
    """A terminal at which these lines are typed."""

    def isatty(self) -> bool:
        return True
