"""The read-only root with a data partition of its own, on a machine that is a folder."""

from pathlib import Path

import pytest

from pi_install.main import main
from tests.systemd.conftest import Refusal
from tests.systemd.fake_machine import CONFIG, FakeMachine, tree

PARTITION = "/dev/mmcblk0p3"
MOUNTED = f"{PARTITION} /var/lib/pi-controller ext4 rw,noatime 0 0\n"
LINE = (
    "UUID=77-88 /var/lib/pi-controller ext4 "
    "noatime,commit=1,errors=remount-ro,nofail,x-systemd.device-timeout=15s 0 2\n"
)


@pytest.fixture
def machine(pi: FakeMachine, kit: Path, capsys: pytest.CaptureFixture[str]) -> FakeMachine:
    """An installed Pi with a partition for the data."""
    pi.at("/boot/firmware/config.txt").write_text(CONFIG + "[all]\nauto_initramfs=1\n")
    main(["install"], pi, kit)
    pi.answers.update(blkid="UUID=77-88\nTYPE=ext4\n", blockdev="4000000000\n", systemctl="")
    capsys.readouterr()
    return pi


def test_switching_on_moves_the_data_and_sets_the_kernels_parameter(
    machine: FakeMachine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["read-only", "on", "--data", PARTITION], machine, tmp_path) == 0
    assert capsys.readouterr().out.endswith("sudo reboot; then: read-only status\n")
    assert machine.at("/boot/firmware/cmdline.txt").read_text() == (
        "console=tty1 root=PARTUUID=1-02 rootwait overlayroot=tmpfs:recurse=0\n"
    )
    assert machine.at("/etc/fstab").read_text() == (
        f"PARTUUID=1-01 /boot/firmware vfat defaults,ro 0 2\nPARTUUID=1-02 / ext4 defaults 0 1\n{LINE}"
    )
    data = str(machine.at("/run/pi-controller-data"))
    names = [Path(call[0]).name for call in machine.calls if data in call]
    assert names == ["mount", "cp", "umount"]


def test_a_second_run_and_a_dry_run_change_nothing(
    machine: FakeMachine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(machine)
    assert main(["read-only", "on", "--data", PARTITION, "--dry-run"], machine, tmp_path) == 0
    assert tree(machine) == before
    main(["read-only", "on", "--data", PARTITION], machine, tmp_path)
    machine.at("/proc/mounts").write_text(f"/dev/mmcblk0p2 / ext4 rw 0 0\n{MOUNTED}")
    before = tree(machine)
    capsys.readouterr()
    assert main(["read-only", "on", "--data", PARTITION], machine, tmp_path) == 0
    assert capsys.readouterr().out == "Everything is as it should be: nothing was changed.\n"
    assert tree(machine) == before


def test_what_fails_on_the_way_is_taken_back(machine: FakeMachine, tmp_path: Path) -> None:
    before = tree(machine)
    machine.refuse.add("umount")
    assert main(["read-only", "on", "--data", PARTITION], machine, tmp_path) == 1
    assert tree(machine) == before


def test_status_says_what_is_in_force(
    machine: FakeMachine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["read-only", "on", "--data", PARTITION], machine, tmp_path)
    capsys.readouterr()
    assert main(["read-only", "status"], machine, tmp_path) == 1
    assert capsys.readouterr().out.startswith("read-only root: not in force, set for the next start\n")
    machine.at("/proc/mounts").write_text(f"overlayroot / overlay rw 0 0\n{MOUNTED}")
    assert main(["read-only", "status"], machine, tmp_path) == 0
    assert capsys.readouterr().out == (
        "read-only root: in force, set for the next start\ndata: on a partition of its own\n"
    )


def test_switching_off_works_while_it_is_in_force(
    machine: FakeMachine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["read-only", "on", "--data", PARTITION], machine, tmp_path)
    machine.at("/proc/mounts").write_text(f"overlayroot / overlay rw 0 0\n{MOUNTED}")
    for _ in range(2):
        assert main(["read-only", "off"], machine, tmp_path) == 0
    assert (
        machine.at("/boot/firmware/cmdline.txt").read_text() == "console=tty1 root=PARTUUID=1-02 rootwait\n"
    )
    assert capsys.readouterr().out.endswith("is not in read-only mode: nothing was changed.\n")


@pytest.mark.parametrize(
    ("answers", "mounts", "given", "sentence"),
    [
        (
            {},
            "",
            [],
            "Name the partition for the data: read-only on --data /dev/…; README says how to make one.",
        ),
        (
            {},
            f"{PARTITION} /media/stick ext4 rw 0 0\n",
            ["--data", PARTITION],
            f"{PARTITION} is in use at /media/stick; name a partition that holds nothing else.",
        ),
        (
            {"blkid": "UUID=1\nTYPE=vfat\n"},
            "",
            ["--data", PARTITION],
            f"{PARTITION} has the file system vfat, not ext4; make one: sudo mkfs.ext4 {PARTITION}",
        ),
        (
            {"blockdev": "64000000\n"},
            "",
            ["--data", PARTITION],
            f"{PARTITION} has 64 MB; the data needs 500 MB or more.",
        ),
    ],
    ids=["none named", "in use", "other file system", "too small"],
)
def test_a_partition_that_does_not_fit_is_refused(
    machine: FakeMachine, refusal: Refusal,
    *, answers: dict[str, str], mounts: str, given: list[str], sentence: str,
) -> None:  # fmt: skip
    machine.answers.update(answers)
    machine.at("/proc/mounts").write_text(f"/dev/mmcblk0p2 / ext4 rw 0 0\n{mounts}")
    assert refusal("read-only", "on", *given) == f"{sentence}\n"


def test_a_partition_without_file_system_is_refused(machine: FakeMachine, refusal: Refusal) -> None:
    machine.refuse.add("blkid")
    assert refusal("read-only", "on", "--data", PARTITION) == (
        f"{PARTITION} is no partition with a file system; make one: sudo mkfs.ext4 -L pi-data {PARTITION}\n"
    )


def test_without_the_boot_files_of_a_pi_it_is_refused(machine: FakeMachine, refusal: Refusal) -> None:
    machine.at("/boot/firmware/config.txt").write_text("")
    said = refusal("read-only", "on", "--data", PARTITION)
    assert "has no line auto_initramfs=1, without which the mode never begins" in said
    machine.at("/boot/firmware/cmdline.txt").unlink()
    said = refusal("read-only", "on", "--data", PARTITION)
    assert "no Raspberry Pi boot folder with a cmdline.txt here" in said


def test_before_the_installation_it_is_refused(refusal: Refusal) -> None:
    said = refusal("read-only", "on", "--data", PARTITION)
    assert said == "The controller is not installed yet; first: sudo make install\n"
