"""The step that puts a release on the machine: a Python environment of its own below `releases/`."""

import platform
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pi_install.bundle import check_wheels, copy_company, fill, here, leaves_room
from pi_install.kit import NOTE, Kit, open_kit
from pi_install.machine import FailedError, Machine
from pi_install.record import HOME, Record, write_whole
from pi_install.step import Revert, nothing

RELEASES = f"{HOME}/releases"
NEEDED_BYTES = 300_000_000
"""Room that an installation wants: a release takes 60 MB (measured), the older one is kept beside it."""
DONE = "complete"
"""File that is written last: a release without it is half of one and made again."""


@dataclass(frozen=True)
class Release:
    """The program and its libraries, and beside them the installer that belongs to them."""

    kit: Kit

    @property
    def path(self) -> str:
        return f"{RELEASES}/{self.kit.name}"

    @property
    def says(self) -> str:
        source = "from the bundle" if self.kit.is_bundle else "fetching its libraries"
        return f"put release {self.kit.name} into {self.path} ({source})"

    def is_done(self, machine: Machine, record: Record) -> bool:
        mark = machine.at(self.path) / DONE
        return mark.is_file() and mark.read_text(encoding="utf-8") == _python()

    def do(self, machine: Machine, record: Record) -> Revert:
        place = machine.at(self.path)
        self._check_room(place)
        remove(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        whole = False
        try:
            self._fill(machine, place)
            whole = True
        finally:
            if not whole:
                _drop(place)
        return lambda: _drop(place)

    def _check_room(self, place: Path) -> None:
        free = leaves_room(place)
        if free < NEEDED_BYTES:
            raise FailedError(
                f"Only {free // 1_000_000} MB are free for {place}; the installation needs "
                f"{NEEDED_BYTES // 1_000_000} MB: delete something or take a larger card."
            )

    def _fill(self, machine: Machine, place: Path) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            kit = self.kit
            if not kit.is_bundle:
                fill(machine, kit, here(), Path(scratch) / "kit")
                kit = open_kit(Path(scratch) / "kit")
            check_wheels(kit, here())
            self._environment(machine, place, kit.folder / "wheels")
            copy_company(kit, place / "kit")
            shutil.copy(kit.folder / NOTE, place / "kit")
        write_whole(place / DONE, _python().encode(), mode=0o644)

    def _environment(self, machine: Machine, place: Path, wheels: Path) -> None:
        """System packages stay visible: the pin library comes from Debian."""
        machine.run(sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", str(place))
        (pip,) = wheels.glob("pip-*.whl")
        others = sorted(str(path) for path in wheels.glob("*.whl") if path != pip)
        machine.run(
            str(place / "bin" / "python"), f"{pip}/pip", "--disable-pip-version-check", "install", "--quiet",
            "--no-index", "--no-deps", "--ignore-installed", "--no-warn-script-location", *others,
        )  # fmt: skip

    def undo(self, machine: Machine, record: Record) -> None:
        remove(machine.at(RELEASES))


@dataclass(frozen=True)
class OldReleases:
    """Only the release in use and the one before it are kept."""

    kit: Kit
    says: str = "remove releases older than the one before"

    def _old(self, machine: Machine, record: Record) -> list[Path]:
        folder = machine.at(RELEASES)
        kept = {self.kit.name, record["previous"]}
        return sorted(path for path in folder.glob("*") if path.name not in kept)

    def is_done(self, machine: Machine, record: Record) -> bool:
        return not self._old(machine, record)

    def do(self, machine: Machine, record: Record) -> Revert:
        for path in self._old(machine, record):
            remove(path)
        return nothing

    def undo(self, machine: Machine, record: Record) -> None:
        """Nothing is left to do."""


def remove(place: Path) -> None:
    """Remove a folder, whole or half, if it is there."""
    if place.exists():
        shutil.rmtree(place)


def _drop(place: Path) -> None:
    """Remove a release, and the folder of releases when it was the only one."""
    remove(place)
    if not any(place.parent.iterdir()):
        place.parent.rmdir()


def _python() -> str:
    return platform.python_version()
