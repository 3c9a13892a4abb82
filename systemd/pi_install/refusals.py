"""Why an installation does not begin: each a sentence with the remedy, before anything is changed."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager

from pi_install.machine import Machine, RefusedError
from pi_install.record import HOME

SYSTEMS = {("debian", "12"), ("debian", "13"), ("raspbian", "12"), ("raspbian", "13")}
COMMAND = f"{HOME}/current/bin/pi-controller"


def must_be_root(what: str) -> None:
    if os.geteuid() != 0:
        raise RefusedError(f"This needs root: sudo make {what}")


@contextmanager
def only_one(machine: Machine) -> Iterator[None]:
    """Two installations at once would undo each other's work."""
    folder = os.open(machine.at("/run"), os.O_RDONLY)  # a folder: no file of the lock that would have to go
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RefusedError(
                "Another installation is running on this machine; wait until it has ended."
            ) from error
        yield
    finally:
        os.close(folder)


def must_be_known_system(machine: Machine) -> None:
    system = machine.os_release()
    if (system.get("ID"), system.get("VERSION_ID")) not in SYSTEMS:
        name = system.get("PRETTY_NAME", "an unknown system")
        raise RefusedError(
            f"This is {name}; the installer knows Raspberry Pi OS and Debian, 12 and 13. "
            "`make run` works here without installing."
        )


def must_have_systemd(machine: Machine) -> None:
    if not machine.at("/run/systemd/system").is_dir():
        raise RefusedError(
            "No systemd runs here (a container or a chroot?); install on a machine that was started with it."
        )


def must_be_writable(machine: Machine) -> None:
    mounts = machine.at("/proc/mounts").read_text(encoding="utf-8").splitlines()
    root = [line.split() for line in mounts if line.split()[1] == "/"]
    if root and root[-1][0].startswith("overlayroot"):
        raise RefusedError(
            "The root file system is in its read-only mode, so what is installed would be gone at the next "
            "start; run: sudo python3 systemd/install.py read-only off, start again, then install."
        )
    if root and "ro" in root[-1][3].split(","):
        raise RefusedError("The root file system is mounted read-only; run: sudo mount -o remount,rw /")


def must_not_play(machine: Machine) -> None:
    """An upgrade starts core again, which pauses the hall."""
    if not machine.at(COMMAND).exists():
        return
    asked = machine.try_run(str(machine.at(COMMAND)), "status", "--json")
    if asked.returncode != 0:
        return
    picture = json.loads(asked.stdout)
    if picture["phase"] not in ("ready", "ended") or picture["resume_in_ms"] is not None:
        raise RefusedError(
            f"A game is being played (round {picture['round']}); end it first, or install all the same with "
            'ARGS="--in-game": it comes back paused.'
        )


def must_leave_the_screen(machine: Machine) -> None:
    """Two programs cannot own one screen."""
    desktop = machine.at("/etc/systemd/system/display-manager.service")
    if desktop.is_symlink() and machine.systemctl("get-default").strip() == "graphical.target":
        raise RefusedError(
            "A desktop owns this machine's screen; either run: sudo systemctl set-default multi-user.target "
            'and install again, or install without the hall screen: sudo make install ARGS="--no-kiosk"'
        )
