"""A machine that is a folder: its files are real, its account tools and Python environments are imitated."""

import json
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from pi_install.bundle import here
from pi_install.kit import COMPANY, NOTE, files, sha256
from pi_install.machine import Machine
from tests.architecture.sources import ROOT

OS_RELEASE = 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nID=debian\nVERSION_ID="13"\n'
CONFIG = "# of the owner\ndtparam=audio=on\n[cm4]\notg_mode=1\nauto_initramfs=1\n"


@dataclass(frozen=True)
class FakeMachine(Machine):
    """`calls` are the programs that were run; `refuse` names one that fails, `answers` what others say."""

    calls: list[tuple[str, ...]] = field(default_factory=list)
    refuse: set[str] = field(default_factory=set)
    answers: dict[str, str] = field(default_factory=dict)

    def try_run(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        self.calls.append(command)
        name = Path(command[0]).name
        if name in self.refuse or any(word in self.refuse for word in command):
            return subprocess.CompletedProcess(command, 1, "", f"{name} says no\n")
        if name in self.answers:
            return subprocess.CompletedProcess(command, 0, self.answers[name], "")
        if name == "systemctl":
            return super().try_run(*command, **environment)
        imitate = {"systemd-sysusers": self._sysusers, "userdel": self._delete, "groupdel": self._delete}
        if "venv" in command:
            (Path(command[-1]) / "bin").mkdir(parents=True)
        elif name in imitate:
            imitate[name](*command)
        return subprocess.CompletedProcess(command, 0, "", "")

    def _sysusers(self, *command: str) -> None:
        lines = self.at(f"/etc/sysusers.d/{command[-1]}").read_text().splitlines()
        for kind, name in (line.split()[:2] for line in lines if line[0] in "gu"):
            self._append("group", name)
            if kind == "u":
                self._append("passwd", name)

    def _append(self, file: str, name: str) -> None:
        place = self.at(f"/etc/{file}")
        if not any(line.startswith(f"{name}:") for line in place.read_text().splitlines()):
            place.write_text(f"{place.read_text()}{name}:x:990:\n")

    def _delete(self, *command: str) -> None:
        gone = ("passwd", "group") if Path(command[0]).name == "userdel" else ("group",)
        for file in gone:
            place = self.at(f"/etc/{file}")
            left = [line for line in place.read_text().splitlines() if not line.startswith(f"{command[-1]}:")]
            place.write_text("\n".join([*left, ""]))


def make_machine(folder: Path, *, pi: bool = False) -> FakeMachine:
    """Debian 13, started by systemd; with `pi` on a Raspberry Pi with its boot folder."""
    machine = FakeMachine(folder)
    for path in (
        "/etc/systemd/system",
        "/run/systemd/system",
        "/opt",
        "/usr/local/bin",
        "/var/lib",
        "/proc/sys/kernel/random",
    ):
        machine.at(path).mkdir(parents=True)
    machine.at("/etc/os-release").write_text(OS_RELEASE)
    machine.at("/etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    machine.at("/etc/group").write_text("root:x:0:\naudio:x:29:\n")
    machine.at("/proc/mounts").write_text("/dev/mmcblk0p2 / ext4 rw,noatime 0 0\n")
    machine.at("/proc/sys/kernel/random/boot_id").write_text("first-start\n")
    if pi:
        machine.at("/boot/firmware").mkdir(parents=True)
        machine.at("/boot/firmware/config.txt").write_text(CONFIG)
        machine.at("/boot/firmware/cmdline.txt").write_text("console=tty1 root=PARTUUID=1-02 rootwait\n")
        machine.at("/etc/fstab").write_text(
            "PARTUUID=1-01 /boot/firmware vfat defaults 0 2\nPARTUUID=1-02 / ext4 defaults 0 1\n"
        )
        machine.at("/proc/device-tree").mkdir()
        machine.at("/proc/device-tree/model").write_text("Raspberry Pi 4 Model B Rev 1.5\0")
        machine.answers["dpkg-query"] = "installed"
    return machine


def make_kit(folder: Path, name: str = "0.1.0-0000beef") -> Path:
    """An unpacked bundle whose wheels are a line of text each."""
    for path in files(ROOT, COMPANY):
        place = folder / path.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
    wheels = folder / "wheels"
    wheels.mkdir()
    (wheels / "pip-1-py3-none-any.whl").write_text("pip")
    (wheels / "pi_controller-0.1.0-py3-none-any.whl").write_text(name)
    note = {
        "name": name,
        "python": here().python,
        "architecture": here().architecture,
        "wheels": {path.name: sha256(path) for path in wheels.iterdir()},
    }
    (folder / NOTE).write_text(json.dumps(note))
    return folder


def tree(machine: Machine) -> dict[str, tuple[int, str]]:
    """Rights and content of every file of the machine."""
    found = {}
    for path in sorted(machine.root.rglob("*")):
        inside = str(path.relative_to(machine.root))
        if path.is_symlink():
            found[inside] = (0, str(path.readlink()))
        else:
            found[inside] = (path.stat().st_mode, path.read_text(errors="replace") if path.is_file() else "")
    return found
