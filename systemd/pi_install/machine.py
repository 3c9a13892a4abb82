"""The machine that is installed on: its files below a root folder, and its programs."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path


class RefusedError(Exception):
    """One sentence: why it cannot be done, and what to do. Nothing was changed."""


class FailedError(Exception):
    """One sentence: what went wrong on the way. What this run had done was taken back."""


@dataclass(frozen=True)
class Machine:
    """`root` is `/`, or a folder that holds a whole system's files (tests, a card in a reader)."""

    root: Path = Path("/")

    @property
    def live(self) -> bool:
        """Whether it is this machine, with services that can be started."""
        return self.root == Path("/")

    def at(self, path: str) -> Path:
        """Where an absolute path of the machine lies."""
        return self.root / path.lstrip("/")

    def try_run(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a program to its end; its status is the caller's to judge."""
        try:
            return subprocess.run(
                command,
                capture_output=True,
                text=True,
                check=False,
                stdin=subprocess.DEVNULL,
                env={**os.environ, **environment},
                cwd="/",
            )
        except FileNotFoundError as error:
            raise FailedError(f"The program {command[0]} is missing on this machine.") from error

    def run(self, *command: str, **environment: str) -> str:
        """Run a program that must succeed; its output."""
        done = self.try_run(*command, **environment)
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip().splitlines()
            why = said[-1] if said else f"status {done.returncode}"
            called = " ".join((Path(command[0]).name, *command[1:3]))
            raise FailedError(f"`{called} …` failed: {why}")
        return done.stdout

    def systemctl(self, *words: str) -> str:
        """`systemctl`, on this machine's manager or on the files below another root."""
        return self.run("systemctl", *self._root_option(), *words)

    def ask_systemctl(self, *words: str) -> bool:
        """Whether `systemctl` says yes (`is-enabled`, `is-active`)."""
        return self.try_run("systemctl", *self._root_option(), "--quiet", *words).returncode == 0

    def _root_option(self) -> tuple[str, ...]:
        return () if self.live else (f"--root={self.root}",)

    def os_release(self) -> dict[str, str]:
        """Name and version of its system."""
        try:
            lines = self.at("/etc/os-release").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return {}
        pairs = (line.split("=", 1) for line in lines if "=" in line)
        return {key: value.strip('"') for key, value in pairs}

    def is_pi(self) -> bool:
        """Whether it is a Raspberry Pi."""
        model = self.at("/proc/device-tree/model")
        return model.exists() and model.read_text(encoding="utf-8").startswith("Raspberry Pi")
