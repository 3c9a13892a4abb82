"""Root file system in read-only mode (changes last until the next start), data on its own partition."""

import argparse
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pi_install import refusals
from pi_install.machine import FailedError, Machine, RefusedError
from pi_install.packages import Packages
from pi_install.plan import DATA
from pi_install.record import HOME, load, write_whole
from pi_install.step import Revert, Step, carry_out, nothing

WORD = "overlayroot=tmpfs:recurse=0"
"""Kernel parameter for Debian's overlayroot; without recurse=0 the data would live in memory too."""
OPTIONS = "noatime,commit=1,errors=remount-ro,nofail,x-systemd.device-timeout=15s"
"""`nofail`: without the data the machine still starts, so that somebody can look at it."""
LEAST_BYTES = 500_000_000
"""A season of journals takes a hundredth of it; less than this is the wrong partition."""


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add `read-only on|off|status` to the installer's command line."""
    parser = commands.add_parser("read-only", help="root file system that a power cut cannot hurt")
    parser.add_argument("what", choices=("on", "off", "status"))
    parser.add_argument(
        "--data", metavar="PARTITION", help="for `on`: an ext4 partition for the data, /dev/…"
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    parser.set_defaults(command=_command)


def _command(arguments: argparse.Namespace, machine: Machine, _here: Path) -> int:
    actions: dict[str, Callable[[argparse.Namespace, Machine], int]] = {
        "on": _on,
        "off": _off,
        "status": _status,
    }
    return actions[arguments.what](arguments, machine)


def _on(arguments: argparse.Namespace, machine: Machine) -> int:
    if not arguments.dry_run:
        refusals.must_be_root("read-only")
    refusals.must_be_writable(machine)
    steps = steps_on(machine, arguments.data)
    changed = carry_out(steps, machine, load(machine), print, dry_run=arguments.dry_run)
    if changed and not arguments.dry_run:
        print("From the next start on the root file system is read-only: sudo reboot; then: read-only status")
    elif not changed:
        print("Everything is as it should be: nothing was changed.")
    return 0


def steps_on(machine: Machine, data: str | None) -> list[Step]:
    """The plan. Raises RefusedError when the machine or the partition does not fit."""
    boot = boot_folder(machine)
    if not machine.at(f"{HOME}/current").is_symlink():
        raise RefusedError("The controller is not installed yet; first: sudo make install")
    if "auto_initramfs=1" not in (boot / "config.txt").read_text(encoding="utf-8").splitlines():
        raise RefusedError(
            f"{boot}/config.txt has no line auto_initramfs=1, without which the mode never begins: add it."
        )
    identity = check_partition(machine, data)
    return [
        Packages(("overlayroot",), "the read-only root"),
        MoveData(str(data)),
        Mount(identity),
        BootWord(boot / "cmdline.txt"),
    ]


def _off(arguments: argparse.Namespace, machine: Machine) -> int:
    if not arguments.dry_run:
        refusals.must_be_root("read-only")
    word = BootWord(boot_folder(machine) / "cmdline.txt")
    if not word.is_set():
        print("The root file system is not in read-only mode: nothing was changed.")
        return 0
    if arguments.dry_run:
        print(f"would take {WORD} out of {word.file}")
        return 0
    word.clear(machine)
    print("From the next start on the root file system can be written again: sudo reboot. The data stays.")
    return 0


def _status(_arguments: argparse.Namespace, machine: Machine) -> int:
    """0 when what is set is also in force."""
    set_up = BootWord(boot_folder(machine) / "cmdline.txt").is_set()
    mounts = [line.split() for line in machine.at("/proc/mounts").read_text(encoding="utf-8").splitlines()]
    in_force = any(line[1] == "/" and line[0].startswith("overlayroot") for line in mounts)
    data_apart = any(line[1] == DATA and line[2] == "ext4" for line in mounts)
    now, then = "in force" if in_force else "not in force", "set" if set_up else "not set"
    print(f"read-only root: {now}, {then} for the next start")
    print(f"data: {'on a partition of its own' if data_apart else 'on the root file system'}")
    return 0 if in_force == set_up and (data_apart or not in_force) else 1


def boot_folder(machine: Machine) -> Path:
    """Where the Raspberry Pi's boot files lie."""
    for path in ("/boot/firmware", "/boot"):
        if machine.at(f"{path}/cmdline.txt").is_file():
            return machine.at(path)
    raise RefusedError("There is no Raspberry Pi boot folder with a cmdline.txt here: this mode is for a Pi.")


def check_partition(machine: Machine, data: str | None) -> str:
    """The partition's UUID. Raises RefusedError with what is wrong about it."""
    if data is None:
        raise RefusedError(
            "Name the partition for the data: read-only on --data /dev/…; README says how to make one."
        )
    mounted = {
        line.split()[0]: line.split()[1]
        for line in machine.at("/proc/mounts").read_text(encoding="utf-8").splitlines()
    }
    if mounted.get(data, DATA) != DATA:
        raise RefusedError(f"{data} is in use at {mounted[data]}; name a partition that holds nothing else.")
    asked = machine.try_run("blkid", "--output", "export", data)
    if asked.returncode != 0:
        raise RefusedError(
            f"{data} is no partition with a file system; make one: sudo mkfs.ext4 -L pi-data {data}"
        )
    found = dict(line.split("=", 1) for line in asked.stdout.splitlines() if "=" in line)
    if found.get("TYPE") != "ext4":
        raise RefusedError(
            f"{data} has the file system {found.get('TYPE')}, not ext4; make one: sudo mkfs.ext4 {data}"
        )
    size = int(machine.run("blockdev", "--getsize64", data))
    if size < LEAST_BYTES:
        raise RefusedError(
            f"{data} has {size // 1_000_000} MB; the data needs {LEAST_BYTES // 1_000_000} MB or more."
        )
    return found["UUID"]


@dataclass(frozen=True)
class MoveData:
    """Copy what there is already onto the partition, with core stopped meanwhile."""

    partition: str

    @property
    def says(self) -> str:
        return f"copy {DATA} onto {self.partition}"

    def is_done(self, machine: Machine, record: object) -> bool:
        mounts = machine.at("/proc/mounts").read_text(encoding="utf-8").splitlines()
        return any(line.split()[:2] == [self.partition, DATA] for line in mounts)

    def do(self, machine: Machine, record: object) -> Revert:
        place = machine.at("/run/pi-controller-data")
        machine.systemctl("stop", "pi-controller-core.service")
        place.mkdir(exist_ok=True)
        try:
            machine.run("mount", self.partition, str(place))
            try:
                machine.run("cp", "--archive", f"{machine.at(DATA)}/.", str(place))
            finally:
                machine.run("umount", str(place))
        finally:
            place.rmdir()
            machine.systemctl("start", "pi-controller-core.service")
        return nothing

    def undo(self, machine: Machine, record: object) -> None:
        """The data stays where it is."""


@dataclass(frozen=True)
class Mount:
    """The data's and the boot partition's lines in fstab. Core waits for the data, never plays without it."""

    uuid: str

    @property
    def says(self) -> str:
        return f"mount the data partition at {DATA}, the boot partition read-only (/etc/fstab)"

    def _line(self) -> str:
        return f"UUID={self.uuid} {DATA} ext4 {OPTIONS} 0 2"

    def _wanted(self, text: str) -> str:
        lines = [line for line in text.splitlines() if line.split()[1:2] != [DATA]]
        return "\n".join([*map(_boot_read_only, lines), self._line(), ""])

    def is_done(self, machine: Machine, record: object) -> bool:
        text = machine.at("/etc/fstab").read_text(encoding="utf-8")
        return text == self._wanted(text)

    def do(self, machine: Machine, record: object) -> Revert:
        place = machine.at("/etc/fstab")
        old = place.read_bytes()
        write_whole(place, self._wanted(old.decode("utf-8")).encode(), mode=0o644)
        return lambda: write_whole(place, old, mode=0o644)

    def undo(self, machine: Machine, record: object) -> None:
        """The data stays where it is."""


def _boot_read_only(line: str) -> str:
    fields = line.split()
    if len(fields) < 4 or fields[0].startswith("#") or fields[1] not in ("/boot", "/boot/firmware"):
        return line
    return line if "ro" in fields[3].split(",") else line.replace(fields[3], f"{fields[3]},ro", 1)


@dataclass(frozen=True)
class BootWord:
    """The kernel parameter; last, because from then on every start is read-only."""

    file: Path

    @property
    def says(self) -> str:
        return f"add {WORD} to {self.file}"

    def is_set(self) -> bool:
        return WORD in self.file.read_text(encoding="utf-8").split()

    def is_done(self, machine: Machine, record: object) -> bool:
        return self.is_set()

    def do(self, machine: Machine, record: object) -> Revert:
        old = self.file.read_text(encoding="utf-8")
        words = [word for word in old.split() if not word.startswith("overlayroot=")]
        write_whole(self.file, f"{' '.join([*words, WORD])}\n".encode(), mode=0o755)
        return lambda: write_whole(self.file, old.encode(), mode=0o755)

    def undo(self, machine: Machine, record: object) -> None:
        """`read-only off` does it."""

    def clear(self, machine: Machine) -> None:
        """Take it out again; the boot partition is read-only by now."""
        if machine.live:
            machine.run("mount", "-o", "remount,rw", str(self.file.parent))
        words = re.sub(r"\s*overlayroot=\S+", "", self.file.read_text(encoding="utf-8")).strip()
        if not words:
            raise FailedError(f"{self.file} is empty: restore it before the next start.")
        write_whole(self.file, f"{words}\n".encode(), mode=0o755)
