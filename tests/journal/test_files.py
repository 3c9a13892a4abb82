import os

import pytest

from pi_controller.journal.files import DiskFiles, write_all, write_new


def test_a_new_file_is_private_and_never_replaces_another(tmp_path):
    files = DiskFiles()
    write_new(files, tmp_path / "new", b"content")
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600
    assert files.read_back(tmp_path / "new") == b"content"
    with pytest.raises(FileExistsError):
        write_new(files, tmp_path / "new", b"other")
    assert (tmp_path / "new").read_bytes() == b"content"


def test_appending_goes_behind_what_is_there_and_never_makes_a_file(tmp_path):
    files = DiskFiles()
    write_new(files, tmp_path / "file", b"one")
    fd = files.append(tmp_path / "file")
    write_all(files, fd, b"two")
    files.close(fd)
    files.truncate(tmp_path / "file", 5)
    assert (tmp_path / "file").read_bytes() == b"onetw"
    with pytest.raises(FileNotFoundError):
        files.append(tmp_path / "missing")


def test_a_reserve_takes_real_space(tmp_path):
    files = DiskFiles()
    fd = files.create(tmp_path / "reserve")
    files.reserve(fd, 65536)
    files.close(fd)
    assert (tmp_path / "reserve").stat().st_blocks * 512 >= 65536
    assert files.free_bytes(tmp_path) > 0


class Chewing(DiskFiles):
    """Takes one byte at a time, and none of a certain kind."""

    def write(self, fd, content):
        return 0 if content.startswith(b"!") else os.write(fd, content[:1])


def test_short_writes_are_gone_on_with_and_a_disk_that_takes_nothing_is_an_error(tmp_path):
    files = Chewing()
    write_new(files, tmp_path / "file", b"content")
    assert (tmp_path / "file").read_bytes() == b"content"
    with pytest.raises(OSError, match="the disk takes no bytes"):
        write_new(files, tmp_path / "other", b"half!half")
