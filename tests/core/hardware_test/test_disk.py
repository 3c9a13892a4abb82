import os
from pathlib import Path

import pytest

from pi_controller.core.hardware_test.storage import check_disk, counted_errors
from pi_controller.hal.sim.machine import SLOW_EVERY, SLOW_S, SimDisk
from pi_controller.journal.files import DiskFiles


def test_files_are_written_read_back_and_removed(tmp_path: Path) -> None:
    found = check_disk(tmp_path, writes=8, size=4096, files=DiskFiles(), sysfs=tmp_path / "sys")
    assert found.verified
    assert 0 < found.p50_ms <= found.p99_ms <= found.worst_ms
    assert found.free_bytes > 0
    assert found.errors is None
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_forgets_is_noticed(tmp_path: Path) -> None:
    disk = SimDisk()
    disk.damaged = True
    assert not check_disk(tmp_path, writes=2, size=16, files=disk).verified


def test_a_slow_disk_shows_in_its_worst_writes(tmp_path: Path) -> None:
    waits: list[float] = []
    disk = SimDisk(wait=waits.append)
    disk.slow = True
    check_disk(tmp_path, writes=64, size=16, files=disk)
    assert waits == [SLOW_S] * (64 // SLOW_EVERY)


class FullDisk(DiskFiles):
    def write(self, fd: int, content: bytes) -> int:
        raise OSError(28, "No space left on device")


def test_a_full_disk_is_an_error_and_nothing_stays(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space"):
        check_disk(tmp_path, writes=4, size=16, files=FullDisk())
    assert list(tmp_path.iterdir()) == []


def test_the_file_systems_own_errors(tmp_path: Path) -> None:
    sysfs, device = tmp_path / "sys", tmp_path.stat().st_dev
    block = sysfs / "dev" / "block"
    (sysfs / "devices" / "mmcblk0p2").mkdir(parents=True)
    block.mkdir(parents=True)
    (block / f"{os.major(device)}:{os.minor(device)}").symlink_to(sysfs / "devices" / "mmcblk0p2")
    counter = sysfs / "fs" / "ext4" / "mmcblk0p2" / "errors_count"
    counter.parent.mkdir(parents=True)
    counter.write_text("3\n")
    assert counted_errors(tmp_path, sysfs) == 3
