"""Makes a bundle: what an installation without a network needs, for one Python and one processor."""

import json
import os
import platform
import re
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pi_install.kit import COMPANY, NOTE, SOURCES, Kit, files, sha256
from pi_install.machine import FailedError, Machine, RefusedError

GLIBC = ("2_17", "2_28", "2_31", "2_34", "2_36")
"""Versions of the C library in the names of wheels, up to that of Debian 12."""
ARCHITECTURES = ("x86_64", "aarch64", "armv7l")
OPTIONS = ("--quiet", "--disable-pip-version-check")


@dataclass(frozen=True)
class Target:
    """`python` is major and minor version, `architecture` what `uname -m` says there."""

    python: str
    architecture: str

    @property
    def is_here(self) -> bool:
        return self == here()


def here() -> Target:
    """The machine that this runs on."""
    return Target(f"{sys.version_info[0]}.{sys.version_info[1]}", platform.machine())


def target(python: str | None, architecture: str | None) -> Target:
    """The wanted target; what is not given is as here. Raises RefusedError."""
    chosen = Target(python or here().python, architecture or here().architecture)
    if not re.fullmatch(r"3\.\d{2}", chosen.python) or int(chosen.python[2:]) < 11:
        raise RefusedError(f"{chosen.python} is no Python that the controller runs on: name 3.11 or newer.")
    if chosen.architecture not in ARCHITECTURES:
        raise RefusedError(
            f"{chosen.architecture} is no processor that it is made for: {', '.join(ARCHITECTURES)}."
        )
    return chosen


def make_bundle(machine: Machine, kit: Kit, wanted: Target, folder: Path) -> Path:
    """Write the bundle's tar file into a folder; its path."""
    name = f"pi-controller-{kit.name}-{wanted.architecture}-python{wanted.python}"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        unpacked = Path(scratch) / name
        fill(machine, kit, wanted, unpacked)
        beside = folder / f".{name}.tar.new"
        try:
            with tarfile.open(beside, "w") as tar:
                tar.add(unpacked, name, filter=_of_root)
            beside.replace(folder / f"{name}.tar")
        finally:
            beside.unlink(missing_ok=True)
    return folder / f"{name}.tar"


def fill(machine: Machine, kit: Kit, wanted: Target, folder: Path) -> None:
    """Fill a folder with a bundle: wheels, installer, and the note that names them. Needs a network."""
    wheels = folder / "wheels"
    wheels.mkdir(parents=True)
    copy_company(kit, folder)
    with _pip(machine) as pip:
        _fetch(machine, kit, wanted, wheels, pip)
        _build(machine, kit, wheels, pip)
    note = {
        "name": kit.name,
        "python": wanted.python,
        "architecture": wanted.architecture,
        "wheels": {path.name: sha256(path) for path in sorted(wheels.iterdir())},
    }
    (folder / NOTE).write_text(json.dumps(note, indent=1), encoding="utf-8")


def copy_company(kit: Kit, folder: Path) -> None:
    """Copy the installer and what else goes along with the wheels."""
    for path in files(kit.folder, COMPANY):
        place = folder / path.relative_to(kit.folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)


@contextmanager
def _pip(machine: Machine) -> Iterator[tuple[str, ...]]:
    """A command that runs pip, in an environment of its own that is gone afterwards."""
    with tempfile.TemporaryDirectory() as scratch:
        made = machine.try_run(sys.executable, "-m", "venv", scratch)
        if made.returncode != 0:
            raise RefusedError("Python's venv module is missing; install it: sudo apt install python3-venv")
        yield f"{scratch}/bin/python", "-m", "pip", *OPTIONS


def _fetch(machine: Machine, kit: Kit, wanted: Target, wheels: Path, pip: tuple[str, ...]) -> None:
    lock = kit.folder / "requirements/run.txt"
    own_pip = machine.run(*pip, "--version").split()[1]
    machine.run(*pip, "download", "--no-deps", "--dest", str(wheels), f"pip=={own_pip}")
    if wanted.is_here:
        machine.run(*pip, "wheel", "--require-hashes", "--no-deps", "-w", str(wheels), "-r", str(lock))
        return
    with tempfile.TemporaryDirectory() as scratch:
        # pip would judge "only for older Pythons" by the Python that it runs on itself
        all_of_them = Path(scratch) / "run.txt"
        all_of_them.write_text(re.sub(r" ; python_[^\\]*", " ", lock.read_text(encoding="utf-8")))
        machine.run(
            *pip, "download", "--require-hashes", "--no-deps", "--only-binary=:all:", "--dest", str(wheels),
            *_kinds(wanted), "-r", str(all_of_them),
        )  # fmt: skip


def _kinds(wanted: Target) -> Iterator[str]:
    yield from ("--implementation", "cp", "--python-version", wanted.python)
    for abi in (f"cp{wanted.python.replace('.', '')}", "abi3", "none"):
        yield from ("--abi", abi)
    for glibc in GLIBC:
        yield from ("--platform", f"manylinux_{glibc}_{wanted.architecture}")
    yield from ("--platform", f"manylinux2014_{wanted.architecture}", "--platform", "any")


def _build(machine: Machine, kit: Kit, wheels: Path, pip: tuple[str, ...]) -> None:
    """The project's own wheel, from a copy: building leaves files beside the sources."""
    with tempfile.TemporaryDirectory() as scratch:
        for path in files(kit.folder, SOURCES):
            place = Path(scratch) / path.relative_to(kit.folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
        machine.run(
            *pip, "wheel", "--no-deps", "--no-index", "--find-links", str(wheels), "-w", str(wheels), scratch
        )


def check_wheels(kit: Kit, wanted: Target) -> None:
    """Raise a sentence when a bundle is for another machine or lost something on the way here."""
    if (kit.python, kit.architecture) != (wanted.python, wanted.architecture):
        raise RefusedError(
            f"This bundle is for Python {kit.python} on {kit.architecture}; this machine has Python "
            f"{wanted.python} on {wanted.architecture}; make one for it: "
            f'make bundle ARGS="--python {wanted.python} --machine {wanted.architecture}"'
        )
    for name, digest in kit.wheels:
        path = kit.folder / "wheels" / name
        if not path.exists() or sha256(path) != digest:
            raise FailedError(f"{path} is missing or damaged: copy the bundle again.")


def _of_root(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = 0
    info.uname = info.gname = "root"
    info.mode |= 0o044 | (0o011 if info.isdir() or info.mode & 0o100 else 0)
    return info


def leaves_room(folder: Path) -> int:
    """Bytes that somebody who is not root can still write to the disk that holds a folder."""
    while not folder.exists():
        folder = folder.parent
    free = os.statvfs(folder)
    return free.f_bavail * free.f_frsize
