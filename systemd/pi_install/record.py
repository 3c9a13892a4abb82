"""What the installer remembers about its own work, so that it can be taken back: one file."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pi_install.machine import FailedError, Machine

HOME = "/opt/pi-controller"
FILE = f"{HOME}/installed.json"
VERSION = 1


@dataclass
class Record:
    """`finished` is false from the first change of an installation to its last."""

    path: Path
    finished: bool = True
    notes: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, key: str) -> Any:
        return self.notes.get(key)

    def note(self, key: str, value: Any) -> None:
        """Remember something, on the disk at once; None forgets it."""
        if value is None:
            self.notes.pop(key, None)
        else:
            self.notes[key] = value
        self.save()

    def save(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"version": VERSION, "finished": self.finished, "notes": self.notes}, indent=1)
        write_whole(self.path, text.encode(), mode=0o644)


def load(machine: Machine) -> Record:
    """The record of an earlier installation, or an empty one."""
    path = machine.at(FILE)
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError:
        return Record(path)
    except ValueError as error:
        raise FailedError(f"{path} cannot be read ({error}); delete it and install again.") from error
    return Record(path, finished=data["finished"], notes=data["notes"])


def write_whole(path: Path, data: bytes, *, mode: int) -> None:
    """Write a file so that after a power cut there is the old one or the new one."""
    beside = path.with_name(f".{path.name}.new")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.chmod(mode)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
