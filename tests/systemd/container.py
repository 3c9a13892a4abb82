"""A Debian 13 that really boots in a container, without a network and without devices."""

import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

import msgspec

from pi_controller.protocol.picture import Picture
from tests.architecture.sources import ROOT
from tests.needs import program
from tests.patience import DEADLINE_S

TREES = ROOT / ".cache" / "trees"
BASE = ("systemd", "systemd-sysv", "dbus", "udev", "python3", "kmod", "passwd", "procps", "libpam-systemd")
MANAGER = "pi-controller-core.service"
T = TypeVar("T")


def unpack(kind: str, packages: tuple[str, ...], folder: Path) -> Path:
    """A fresh tree of Debian with these packages; its tar file is made once for each choice of them and
    kept."""
    tar = TREES / f"{kind}-{crc32(' '.join(packages).encode()):08x}.tar"
    subprocess.run([ROOT / "tests/systemd/tree.sh", debian_architecture(), tar, *packages], check=True)
    folder.mkdir(parents=True)
    subprocess.run(
        ["tar", "--extract", "--preserve-permissions", "--file", tar, "--directory", folder], check=True
    )
    (folder / "etc/machine-id").write_text("")
    return folder


def debian_architecture() -> str:
    return subprocess.run(
        ["dpkg", "--print-architecture"], check=True, capture_output=True, text=True
    ).stdout.strip()


class Container:
    """One booted tree. `run` waits for a program in it."""

    def __init__(self, tree: Path, *options: str) -> None:
        self.tree = tree
        self._options = options
        self._console = (tree.parent / f"{tree.name}.console").open("ab")
        self.boot()

    def boot(self) -> None:
        """Start it and wait until its units have started."""
        self._nspawn = subprocess.Popen(
            [
                program("systemd-nspawn"), "--quiet", "--boot", "--directory", self.tree, "--register=no",
                "--keep-unit", "--console=pipe", "--private-network", *self._options,
            ],
            stdin=subprocess.DEVNULL, stdout=self._console, stderr=self._console,
        )  # fmt: skip
        self.leader = wait_for(self._find_leader)
        wait_for(lambda: self.run("test", "-S", "/run/systemd/private").returncode == 0)
        self.run("systemctl", "is-system-running", "--wait")

    def _find_leader(self) -> int | None:
        assert self._nspawn.poll() is None, f"it did not boot: {self.console()}"
        children = Path(f"/proc/{self._nspawn.pid}/task/{self._nspawn.pid}/children").read_text().split()
        for child in map(int, children):
            if Path(f"/proc/{child}/comm").read_text().strip() == "systemd":
                return child
        return None

    def console(self) -> str:
        return (self.tree.parent / f"{self.tree.name}.console").read_text(errors="replace")[-2000:]

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a program in it to its end."""
        return subprocess.run(
            [
                "nsenter", "--target", str(self.leader), "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup",
                "--root", "--", "/usr/bin/env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin",
                "LANG=C.UTF-8", *command,
            ],
            capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def check(self, *command: str) -> str:
        """Run a program that must succeed; its output."""
        done = self.run(*command)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def picture(self) -> Picture | None:
        """The room picture, or None while core does not answer."""
        asked = self.run("pi-controller", "status", "--json")
        return msgspec.json.decode(asked.stdout, type=Picture) if asked.returncode == 0 else None

    def journal(self, unit: str = MANAGER) -> list[dict[str, Any]]:
        """What systemd and the unit said, oldest first."""
        text = self.check("journalctl", "--quiet", "--output=json", f"--unit={unit}")
        return [json.loads(line) for line in text.splitlines()]

    def main_pid(self, unit: str = MANAGER) -> int:
        """The unit's main process, by its number inside."""
        return int(self.check("systemctl", "show", "--property=MainPID", "--value", unit))

    def kill(self) -> None:
        """As a power cut: everything in it is gone at once."""
        os.kill(self.leader, signal.SIGKILL)
        self._nspawn.wait(DEADLINE_S)

    def wait_off(self) -> int:
        """Wait until it has switched itself off; the container's exit status."""
        return self._nspawn.wait(DEADLINE_S)

    def close(self) -> None:
        if self._nspawn.poll() is None:
            self.kill()
        self._console.close()
        shutil.rmtree(self.tree, ignore_errors=True)


def wait_for(ask: Callable[[], T | None]) -> T:
    """Ask until there is an answer, with a deadline that no slow machine reaches."""
    never = threading.Event()
    for _ in range(int(DEADLINE_S / 0.05)):
        answer = ask()
        if answer:
            return answer
        never.wait(0.05)
    raise AssertionError("what was waited for did not come")
