from pathlib import Path

from pi_controller.hal.sim.disk import SLOW_EVERY, SLOW_S, SimDisk
from pi_controller.journal.files import write_new


def test_a_healthy_one_is_the_real_disk(tmp_path: Path) -> None:
    waits: list[float] = []
    disk = SimDisk(wait=waits.append)
    write_new(disk, tmp_path / "a", b"abc")
    assert (disk.read_back(tmp_path / "a"), waits) == (b"abc", [])


def test_its_faults(tmp_path: Path) -> None:
    waits: list[float] = []
    disk = SimDisk(wait=waits.append)
    disk.slow = disk.damaged = True
    for number in range(SLOW_EVERY):
        write_new(disk, tmp_path / str(number), b"abc")
    assert waits == [SLOW_S]
    assert disk.read_back(tmp_path / "0") != b"abc"
