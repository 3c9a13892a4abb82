"""A container with the controller's bundle lying in it, and what an installation leaves in its files."""

import hashlib
import os
import subprocess
import tarfile
from pathlib import Path

from tests.architecture.sources import ROOT
from tests.systemd.container import BASE, Container, debian_architecture, unpack

SETTINGS = '[hardware]\nlamps = "sim"\nbuzzer = "sim"\npause_button = "sim"\ndisplay = "sim"\n'
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
INSTALLER = "/srv/kit/systemd/install.py"
VOLATILE = (
    "/run", "/tmp", "/var/tmp", "/var/log", "/var/lib/systemd", "/var/cache", "/srv", "/proc", "/sys", "/dev",
    "/etc/.pwd.lock", "/etc/.updated", "/var/.updated", "/etc/machine-id",
    "/etc/passwd-", "/etc/group-", "/etc/shadow-", "/etc/gshadow-", "/etc/subuid-", "/etc/subgid-",
)  # fmt: skip
"""What a running system writes by itself, and the copies that its own account tools leave behind."""


def make_bundle(folder: Path) -> Path:
    """A bundle for Debian 13 on this processor, as `make bundle` makes it."""
    machine = MACHINES[debian_architecture()]
    command = [
        "python3",
        "systemd/install.py",
        "bundle",
        "--python",
        "3.13",
        "--machine",
        machine,
        "--into",
        folder,
    ]
    made = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return Path(made.stdout.strip())


def put_bundle(tree: Path, bundle: Path, name: str = "kit") -> Path:
    """Unpack a bundle into the tree as /srv/NAME; where it lies from outside."""
    with tarfile.open(bundle) as tar:
        tar.extractall(tree / "srv", filter="tar")
    place = tree / "srv" / name
    (tree / "srv" / bundle.stem).rename(place)
    (tree / "srv/settings.toml").write_text(SETTINGS)
    return place


def boot_with_bundle(folder: Path, bundle: Path, *options: str) -> Container:
    tree = unpack("base", BASE, folder)
    put_bundle(tree, bundle)
    return Container(tree, *options)


def install(container: Container, *options: str, kit: str = "kit") -> str:
    """`install.py install` with simulated hardware; what it said."""
    return container.check(
        "python3", f"/srv/{kit}/systemd/install.py", "install", "--settings", "/srv/settings.toml", *options
    )


def files_of(tree: Path, *also_volatile: str) -> dict[str, tuple[object, ...]]:
    """Every file of a tree with its kind, rights, owner and content, by its path."""
    found: dict[str, tuple[object, ...]] = {}
    left_out = {*VOLATILE, *also_volatile}
    for folder, folders, names in os.walk(tree):
        inside = "/" + str(Path(folder).relative_to(tree)) if Path(folder) != tree else ""
        folders[:] = [
            name for name in folders if f"{inside}/{name}" not in left_out and name != "__pycache__"
        ]
        for name in (*folders, *names):
            if f"{inside}/{name}" not in left_out:
                found[f"{inside}/{name}"] = _look(Path(folder) / name)
    return found


def _look(place: Path) -> tuple[object, ...]:
    status = place.lstat()
    rights = (oct(status.st_mode), status.st_uid, status.st_gid)
    if place.is_symlink():
        return (*rights, str(place.readlink()))
    if place.is_file():
        return (*rights, hashlib.sha256(place.read_bytes()).hexdigest())
    return rights


def differences(before: dict[str, tuple[object, ...]], after: dict[str, tuple[object, ...]]) -> list[str]:
    """One line a path that came, went or changed."""
    paths = sorted(before.keys() | after.keys())
    return [
        f"{path}: {before.get(path)} -> {after.get(path)}"
        for path in paths
        if before.get(path) != after.get(path)
    ]
