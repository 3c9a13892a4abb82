from pathlib import Path

from pi_controller.hal.system.facts import Stick, mounted_sticks

MOUNTS = """\
/dev/root / ext4 rw,noatime 0 0
/dev/mmcblk0p3 /var/lib/pi-controller ext4 rw 0 0
tmpfs /media tmpfs rw 0 0
systemd-1 /media/waits autofs rw,fd=5 0 0
/dev/sdb1 /mnt/b exfat rw,nosuid 0 0
/dev/sda1 /media/pi/FIRST\\040STICK vfat ro,nosuid 0 0
/dev/sdc1 /run/media/ada/C vfat rw 0 0
/dev/sdd1 /mnt/b/deeper vfat rw 0 0
torn
"""


def test_sticks_are_what_is_mounted_where_sticks_are(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "mounts").write_text(MOUNTS)
    assert mounted_sticks(tmp_path) == [
        Stick("/media/pi/FIRST STICK", read_only=True),
        Stick("/mnt/b"),
        Stick("/run/media/ada/C"),
    ]


def test_a_machine_that_tells_nothing_has_none(tmp_path: Path) -> None:
    assert mounted_sticks(tmp_path) == []
