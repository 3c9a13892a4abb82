"""Steps that put single files, links and folders on the machine."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pi_install.machine import Machine
from pi_install.record import HOME, Record, write_whole
from pi_install.step import Revert

KEPT = f"{HOME}/before"
"""Files of somebody else that ours replaced; uninstallation puts them back."""


@dataclass(frozen=True)
class PutFile:
    """A file of the installer's own."""

    path: str
    data: bytes
    mode: int = 0o644

    @property
    def says(self) -> str:
        return f"write {self.path}"

    def is_done(self, machine: Machine, record: Record) -> bool:
        place = machine.at(self.path)
        right = place.is_file() and not place.is_symlink() and place.read_bytes() == self.data
        return right and place.stat().st_mode & 0o777 == self.mode

    def do(self, machine: Machine, record: Record) -> Revert:
        place = machine.at(self.path)
        folders = make_folders(place.parent)
        old = place.read_bytes() if place.is_file() else None
        ours = set(record["files"] or [])
        if old is not None and self.path not in ours:
            kept = machine.at(KEPT) / self.path.lstrip("/")
            kept.parent.mkdir(parents=True, exist_ok=True)
            write_whole(kept, old, mode=0o600)
        write_whole(place, self.data, mode=self.mode)
        record.note("files", sorted({*ours, self.path}))
        record.note("folders", (record["folders"] or []) + [strip(machine, folder) for folder in folders])

        def revert() -> None:
            if old is None:
                self.undo(machine, record)
            else:
                write_whole(place, old, mode=self.mode)

        return revert

    def undo(self, machine: Machine, record: Record) -> None:
        if self.path not in (record["files"] or []):
            return
        place, kept = machine.at(self.path), machine.at(KEPT) / self.path.lstrip("/")
        if kept.exists():
            write_whole(place, kept.read_bytes(), mode=0o644)
        else:
            place.unlink(missing_ok=True)
        record.note("files", [path for path in record["files"] if path != self.path])
        remove_folders(machine, record, place.parent)


@dataclass(frozen=True)
class FirstFile:
    """A file that is the owner's from then on: written where there is none, removed with the data."""

    path: str
    data: bytes

    @property
    def says(self) -> str:
        return f"write {self.path} (from now on yours: never overwritten)"

    def is_done(self, machine: Machine, record: Record) -> bool:
        return machine.at(self.path).exists()

    def do(self, machine: Machine, record: Record) -> Revert:
        place = machine.at(self.path)
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, self.data, mode=0o644)
        return lambda: self.purge(machine)

    def undo(self, machine: Machine, record: Record) -> None:
        """It stays."""

    def purge(self, machine: Machine) -> None:
        """Remove it, and its folder when that is then empty."""
        place = machine.at(self.path)
        place.unlink(missing_ok=True)
        if place.parent.is_dir() and not any(place.parent.iterdir()):
            place.parent.rmdir()


@dataclass(frozen=True)
class Link:
    """A symbolic link of the installer's own."""

    path: str
    target: str
    notes_previous: bool = False
    """Whether the record keeps the name of the target before, for going back."""

    @property
    def says(self) -> str:
        return f"point {self.path} to {self.target}"

    def is_done(self, machine: Machine, record: Record) -> bool:
        place = machine.at(self.path)
        return place.is_symlink() and str(place.readlink()) == self.target

    def do(self, machine: Machine, record: Record) -> Revert:
        place = machine.at(self.path)
        folders = make_folders(place.parent)
        record.note("folders", (record["folders"] or []) + [strip(machine, folder) for folder in folders])
        old = str(place.readlink()) if place.is_symlink() else None
        before = record["previous"]
        self._point(place, self.target)
        if self.notes_previous and old is not None:
            record.note("previous", Path(old).name)

        def revert() -> None:
            if old is None:
                self.undo(machine, record)
            else:
                self._point(place, old)
                record.note("previous", before)

        return revert

    def _point(self, place: Path, target: str) -> None:
        beside = place.with_name(f".{place.name}.new")
        beside.unlink(missing_ok=True)
        beside.symlink_to(target)
        beside.replace(place)

    def undo(self, machine: Machine, record: Record) -> None:
        place = machine.at(self.path)
        if place.is_symlink():
            place.unlink()
            remove_folders(machine, record, place.parent)


@dataclass(frozen=True)
class Block:
    """Lines of ours in a file of somebody else's, between two marks."""

    path: str
    lines: tuple[str, ...]
    changed: Callable[[Record], None]
    """Told when it was written, for instance because the machine must be started again then."""

    @property
    def says(self) -> str:
        return f"add to {self.path}: {', '.join(line for line in self.lines if line[0] not in '#[')}"

    def is_done(self, machine: Machine, record: Record) -> bool:
        return self._text() in machine.at(self.path).read_text(encoding="utf-8")

    def do(self, machine: Machine, record: Record) -> Revert:
        place = machine.at(self.path)
        old = place.read_bytes()
        backup = place.with_name(place.name + ".before-pi-controller")
        if not backup.exists():
            write_whole(backup, old, mode=0o755)
        text = self._without(old.decode("utf-8"))
        write_whole(place, (text + self._text()).encode(), mode=place.stat().st_mode & 0o777)
        self.changed(record)
        return lambda: self.undo(machine, record)

    def undo(self, machine: Machine, record: Record) -> None:
        place = machine.at(self.path)
        text = place.read_text(encoding="utf-8")
        without = self._without(text)
        if without != text:
            write_whole(place, without.encode(), mode=place.stat().st_mode & 0o777)
        place.with_name(place.name + ".before-pi-controller").unlink(missing_ok=True)

    def _text(self) -> str:
        return "\n".join(("# pi-controller: begin", *self.lines, "# pi-controller: end", ""))

    def _without(self, text: str) -> str:
        before, mark, rest = text.partition("# pi-controller: begin\n")
        return before + rest.partition("# pi-controller: end\n")[2] if mark else text


def make_folders(folder: Path) -> list[Path]:
    """Make a folder and those above it; which ones were missing, the innermost first."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        each.mkdir(mode=0o755)
    return missing


def remove_folders(machine: Machine, record: Record, folder: Path) -> None:
    """Remove the folders that we made, from this one upwards, while they are empty."""
    made = list(record["folders"] or [])
    while strip(machine, folder) in made and not any(folder.iterdir()):
        folder.rmdir()
        made = [path for path in made if path != strip(machine, folder)]
        folder = folder.parent
    record.note("folders", made)


def strip(machine: Machine, place: Path) -> str:
    """The machine's own absolute path of a place below its root."""
    return "/" + str(place.relative_to(machine.root))
