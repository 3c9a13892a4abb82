"""What stops an installation before it begins: one sentence with the remedy, and nothing changed."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_install import refusals, release
from pi_install.kit import open_kit
from pi_install.machine import RefusedError
from pi_install.main import main
from tests.systemd.conftest import Refusal
from tests.systemd.fake_machine import FakeMachine

Break = Callable[[FakeMachine], object]


def write(path: str, text: str) -> Break:
    return lambda machine: machine.at(path).write_text(text)


def desktop(machine: FakeMachine) -> None:
    machine.at("/etc/systemd/system/display-manager.service").symlink_to(
        "/lib/systemd/system/lightdm.service"
    )
    target = machine.at("/usr/lib/systemd/system/graphical.target")
    target.parent.mkdir(parents=True)
    target.write_text("[Unit]\n")
    machine.at("/etc/systemd/system/default.target").symlink_to("/usr/lib/systemd/system/graphical.target")


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (
            write("/etc/os-release", 'PRETTY_NAME="Ubuntu 24.04"\nID=ubuntu\nVERSION_ID="24.04"\n'),
            (
                "This is Ubuntu 24.04; the installer knows Raspberry Pi OS and Debian, 12 and 13. "
                "`make run` works here without installing.\n"
            ),
        ),
        (
            lambda machine: machine.at("/run/systemd/system").rmdir(),
            "No systemd runs here (a container or a chroot?); install on a machine that was started with it.\n",
        ),
        (
            write("/proc/mounts", "overlayroot / overlay rw 0 0\n"),
            (
                "The root file system is in its read-only mode, so what is installed would be gone at the next "
                "start; run: sudo python3 systemd/install.py read-only off, start again, then install.\n"
            ),
        ),
        (
            write("/proc/mounts", "/dev/mmcblk0p2 / ext4 ro,noatime 0 0\n"),
            "The root file system is mounted read-only; run: sudo mount -o remount,rw /\n",
        ),
        (
            desktop,
            (
                "A desktop owns this machine's screen; either run: sudo systemctl set-default multi-user.target "
                'and install again, or install without the hall screen: sudo make install ARGS="--no-kiosk"\n'
            ),
        ),
    ],
    ids=["other system", "no systemd", "read-only mode", "mounted read-only", "desktop"],
)
def test_what_does_not_fit_is_refused(
    pi: FakeMachine, refusal: Refusal, broken: Break, sentence: str
) -> None:
    broken(pi)
    assert refusal("install") == sentence


@pytest.mark.parametrize("command", ["install", "uninstall", "rollback"])
def test_who_is_not_root_is_refused(refusal: Refusal, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setattr(refusals.os, "geteuid", lambda: 1000)
    assert refusal(command) == f"This needs root: sudo make {command}\n"


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_two_at_once_are_refused(pi: FakeMachine, refusal: Refusal, command: str) -> None:
    with refusals.only_one(pi):
        said = refusal(command)
    assert said == "Another installation is running on this machine; wait until it has ended.\n"


def test_a_full_disk_is_told_before_anything_is_written(
    refusal: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release, "leaves_room", lambda _folder: 41_000_000)
    assert "MB are free for" in refusal("install", status=1)


def test_a_disk_that_fills_on_the_way_leaves_nothing_behind(
    refusal: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_args: object) -> None:
        raise OSError(28, "No space left on device", "/opt")

    monkeypatch.setattr(release, "copy_company", full)
    assert refusal("install", status=1) == "No space left on device: /opt.\n"


def playing(machine: FakeMachine, phase: str, resume_in_ms: int | None) -> None:
    command = machine.at(refusals.COMMAND)
    command.parent.mkdir(parents=True, exist_ok=True)
    command.write_text("")
    machine.answers["pi-controller"] = json.dumps({"phase": phase, "round": 7, "resume_in_ms": resume_in_ms})


@pytest.mark.parametrize(("phase", "resume_in_ms"), [("round", None), ("robber", None), ("ready", 2000)])
def test_a_game_that_is_played_is_not_interrupted(
    machine: FakeMachine, phase: str, resume_in_ms: int | None
) -> None:
    playing(machine, phase, resume_in_ms)
    with pytest.raises(RefusedError, match=r"A game is being played \(round 7\); end it first, or"):
        refusals.must_not_play(machine)


def test_between_games_an_upgrade_may_come(machine: FakeMachine) -> None:
    playing(machine, "ended", None)
    refusals.must_not_play(machine)


def test_a_bundle_for_another_machine_is_refused(kit: Path, refusal: Refusal) -> None:
    note = json.loads((kit / "release.json").read_text()) | {"python": "3.99", "architecture": "vax"}
    (kit / "release.json").write_text(json.dumps(note))
    own = f"{sys.version_info[0]}.{sys.version_info[1]}", os.uname().machine
    assert refusal("install") == (
        f"This bundle is for Python 3.99 on vax; this machine has Python {own[0]} on {own[1]}; make one for it: "
        f'make bundle ARGS="--python {own[0]} --machine {own[1]}"\n'
    )


def test_a_damaged_bundle_is_not_installed(kit: Path, refusal: Refusal) -> None:
    wheel = kit / "wheels/pi_controller-0.1.0-py3-none-any.whl"
    wheel.write_text("something else")
    assert refusal("install", status=1) == f"{wheel} is missing or damaged: copy the bundle again.\n"


def test_packages_that_cannot_be_had_are_named(pi: FakeMachine, refusal: Refusal) -> None:
    pi.answers["dpkg-query"] = "not-installed"
    pi.refuse.add("apt-get")
    assert refusal("install", status=1) == (
        "Debian packages could not be installed for the pins; when the machine has a network, run: "
        "sudo apt update && sudo apt install --no-install-recommends python3-lgpio python3-spidev\n"
    )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--python", "2.7"], "2.7 is no Python that the controller runs on: name 3.11 or newer.\n"),
        (["--machine", "vax"], "vax is no processor that it is made for: x86_64, aarch64, armv7l.\n"),
    ],
)
def test_a_bundle_for_nothing_that_exists_is_refused(
    machine: FakeMachine,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    sentence: str,
) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / "pyproject.toml").write_text('[project]\nversion = "1"\n')
    for name in ("README.md", "LICENSE", "requirements/run.txt", "docs/settings.example.toml"):
        (checkout / name).parent.mkdir(exist_ok=True)
        (checkout / name).write_text("")
    assert main(["bundle", *options], machine, checkout) == 2
    assert capsys.readouterr().err == sentence


def test_a_folder_that_is_no_kit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="is neither a checkout of the controller nor an unpacked bundle"):
        open_kit(tmp_path)


def test_a_record_that_cannot_be_read_is_told(pi: FakeMachine, refusal: Refusal) -> None:
    pi.at("/opt/pi-controller").mkdir()
    pi.at("/opt/pi-controller/installed.json").write_text("{")
    assert refusal("install", status=1).endswith("delete it and install again.\n")
