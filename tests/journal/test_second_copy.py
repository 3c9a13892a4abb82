import errno
import functools
import shutil
import threading

import pytest

from pi_controller.journal.recovery import recover
from pi_controller.journal.store import Store
from tests.journal.chains import GAME, Reports, SlowFiles, Ticks, append, open_game, start_writer, tree
from tests.journal.disk import Disk

OTHER = "20261120-190000-cd34"


@pytest.fixture
def reports():
    return Reports()


@pytest.fixture
def copy(tmp_path):
    folder = tmp_path / "copy"
    folder.mkdir()
    return folder


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "own")


def length(folder, game_id=GAME):
    if not (folder / "games" / game_id).is_dir():
        return 0
    found = recover(folder, game_id)
    return len(found.records) if found is not None else 0


def test_every_line_of_every_game_is_copied_but_no_seed(store, copy, reports):
    writer = start_writer(store, reports, second_copy=copy)
    for tag in range(20):
        append(writer, tag) if tag else open_game(writer)
    for tag in range(20, 25):
        append(writer, tag) if tag > 20 else open_game(writer, tag=20, game_id=OTHER)
    assert writer.close()
    assert (length(copy), length(copy, OTHER)) == (20, 5)
    assert writer.copy_stalled_since_ns() is None
    assert not [name for name in tree(copy) if "seed" in name]
    assert not reports.troubles


def test_without_one_nothing_lags(store, reports):
    writer = start_writer(store, reports)
    assert writer.copy_stalled_since_ns() is None
    assert writer.close()


def test_a_hanging_second_device_delays_nothing_and_shows(store, copy, reports):
    hanging, ticks = SlowFiles(), Ticks()
    hanging.entered.clear()
    hanging.go.clear()
    writer = start_writer(store, reports, second_copy=copy, copy_files=hanging, now_ns=ticks)
    ticks.ns = 4_000
    open_game(writer)
    assert hanging.entered.wait(10)
    ticks.ns = 9_000
    for tag in range(1, 10):
        append(writer, tag)
        reports.wait_saved(tag)
    assert writer.copy_stalled_since_ns() == 4_000
    assert length(copy) <= 1
    hanging.go.set()
    assert writer.close(10)
    assert length(copy) == 10


def test_a_missing_device_is_told_once_and_completed_when_it_comes(store, tmp_path, reports):
    stick = tmp_path / "stick"
    writer = start_writer(store, reports, second_copy=stick)
    open_game(writer)
    reports.wait_trouble(f"the folder {stick} is not there")
    append(writer, 1)
    reports.wait_saved(1)
    stick.mkdir()
    reports.wait(lambda: reports.mended)
    append(writer, 2)
    assert writer.close(10)
    assert length(stick) == 3
    (trouble,) = reports.troubles
    assert (trouble.part, trouble.fatal) == ("second_copy", False)
    assert reports.mended == ["second_copy"]


@pytest.mark.parametrize("back", ["same", "empty"])
def test_a_device_that_was_pulled_out_is_completed_when_it_or_another_is_back(
    store, copy, tmp_path, reports, back
):
    disk = Disk(copy)
    disk.on_synced = reports.nudge
    writer = start_writer(store, reports, second_copy=copy, copy_files=disk)
    for tag in range(10):
        append(writer, tag) if tag else open_game(writer)
    reports.wait_saved(9)
    reports.wait(functools.partial(holds, disk, writer.head))
    disk.fail = lambda number, name: errno.EIO
    copy.rename(tmp_path / "away")
    append(writer, 10)
    reports.wait_trouble("The second copy in")
    append(writer, 11)
    reports.wait_saved(11)
    if back == "same":
        shutil.copytree(tmp_path / "away", copy)
    else:
        copy.mkdir()
    disk.fail = lambda number, name: None
    reports.wait(lambda: reports.mended)
    assert writer.close(10)
    assert length(copy) == 12
    last = sorted((copy / "games" / GAME).iterdir())
    assert len(last) == (2 if back == "same" else 1)


def test_any_operation_of_the_second_device_may_fail(store, tmp_path):
    for first in range(1, 16):
        for error in (errno.EIO, errno.ENOSPC, errno.EROFS, "short"):
            reports = Reports()
            own, copy = Store(tmp_path / f"own-{first}-{error}"), tmp_path / f"copy-{first}-{error}"
            copy.mkdir()
            disk = Disk(copy)
            disk.fail = failing(error, first)
            disk.on_synced = reports.nudge
            writer = start_writer(own, reports, second_copy=copy, copy_files=disk)
            for tag in range(5):
                append(writer, tag) if tag else open_game(writer)
                reports.wait(functools.partial(holds, disk, writer.head))
            assert writer.close(10)
            assert length(disk.power_cut(tmp_path / f"cut-{first}-{error}")) == 5
            assert length(own.state_dir) == 5
            assert {trouble.part for trouble in reports.troubles} <= {"second_copy"}


def holds(disk, head):
    return head.encode() in b"".join(disk.survivors().values())


def failing(fault, first):
    return lambda number, name: fault if first <= number < first + 2 else None


def test_after_a_restart_the_copy_goes_on_in_the_same_file(store, copy, reports):
    for start in range(3):
        writer = start_writer(store, reports, second_copy=copy)
        if start:
            writer.continue_game(recover(store.state_dir, mend=True))
        else:
            open_game(writer)
        append(writer, 10 + start)
        assert writer.close(10)
    assert length(copy) == 4
    assert [path.name for path in (copy / "games" / GAME).iterdir()] == ["journal.jsonl"]


def test_after_a_restart_an_older_or_damaged_copy_is_completed(store, copy, reports):
    writer = start_writer(store, reports, second_copy=copy)
    for tag in range(10):
        append(writer, tag) if tag else open_game(writer)
    assert writer.close(10)
    path = copy / "games" / GAME / "journal.jsonl"
    whole = path.read_bytes()
    for damaged in (b"", whole[:100], whole[: whole.index(b"\n") + 1], b"#" + whole, whole[:-1]):
        path.write_bytes(damaged)
        again = start_writer(store, reports, second_copy=copy)
        again.continue_game(recover(store.state_dir, mend=True))
        assert again.close(10)
        assert length(copy) == 10
        assert path.read_bytes().startswith(damaged)
        for extra in path.parent.glob("journal.*.jsonl"):
            extra.unlink()


def test_it_is_seen_when_its_thread_died(store, copy, reports, monkeypatch):
    caught = threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda args: caught.set())
    writer = start_writer(store, reports, second_copy=copy / "none", on_trouble=lambda trouble: 1 / 0)
    assert writer.alive()
    open_game(writer)
    assert caught.wait(10)
    reports.wait_saved(0)
    writer._copy._thread.join(10)
    assert not writer.alive()
    assert writer.close()
