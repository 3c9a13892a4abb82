"""The space kept back: never the last of the disk."""

import pytest

from pi_controller.journal.writer import Reserve
from tests.journal.disk import Disk


@pytest.mark.parametrize(("free", "made"), [(4 * 8192 - 1, False), (4 * 8192, True)])
def test_it_is_made_when_four_times_its_size_is_free(tmp_path, free, made):
    disk = Disk(tmp_path)
    disk.capacity = disk.used() + free
    reserve = Reserve(disk, tmp_path / "reserve", size=8192)
    assert reserve.make() == reserve.held == made
    assert reserve.give_up() == made
