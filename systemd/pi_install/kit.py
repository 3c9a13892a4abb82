"""What is installed: a checkout, or the unpacked bundle that was made of one, with its release's name."""

import hashlib
import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_install.machine import RefusedError

SOURCES = ("pyproject.toml", "README.md", "LICENSE", "pi_controller", "firmware")
"""What the project's own wheel is built from."""
COMPANY = ("systemd", "requirements/run.txt", "docs/settings.example.toml")
"""What goes along with the wheels, and stays beside the release for going back to it."""
NOTE = "release.json"
LEFT_OUT = {"__pycache__"}


@dataclass(frozen=True)
class Kit:
    """`name` is version and fingerprint of the sources: equal names, equal programs."""

    folder: Path
    name: str
    python: str | None = None
    """Major and minor version that a bundle's wheels are for; None: a checkout, wheels are fetched."""
    architecture: str | None = None
    wheels: tuple[tuple[str, str], ...] = ()
    """Name and SHA-256 of each wheel of a bundle."""

    @property
    def is_bundle(self) -> bool:
        return self.python is not None

    def has(self, path: str) -> bool:
        """Whether the kit has this file."""
        return (self.folder / path).is_file()

    def text(self, path: str) -> bytes:
        """A file of the kit."""
        return (self.folder / path).read_bytes()


def open_kit(folder: Path) -> Kit:
    """The kit in a folder. Raises RefusedError when it is none, or a bundle that lost a part."""
    note = folder / NOTE
    if note.exists():
        return _bundle(folder, json.loads(note.read_bytes()))
    if not (folder / "pyproject.toml").exists():
        raise RefusedError(f"{folder} is neither a checkout of the controller nor an unpacked bundle.")
    version = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    return Kit(folder, f"{version}-{fingerprint(folder)}")


def _bundle(folder: Path, note: dict[str, Any]) -> Kit:
    wheels = tuple(note["wheels"].items())
    return Kit(folder, note["name"], note["python"], note["architecture"], wheels)


def fingerprint(folder: Path) -> str:
    """Eight digits that change with every file that is installed."""
    digest = hashlib.sha256()
    for path in files(folder, (*SOURCES, *COMPANY)):
        digest.update(f"{path.relative_to(folder)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:8]


def files(folder: Path, names: tuple[str, ...]) -> Iterator[Path]:
    """All files below these names, in a fixed order, without what Python leaves behind."""
    for name in names:
        place = folder / name
        found = sorted(place.rglob("*")) if place.is_dir() else [place]
        for path in found:
            parts = path.relative_to(folder).parts
            if path.is_file() and not any(part in LEFT_OUT or part.endswith(".egg-info") for part in parts):
                yield path


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
