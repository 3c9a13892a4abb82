"""What is told saved is on the disk, whatever the disk does, also after kill -9."""

import errno
import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pi_controller.journal.recovery import recover
from pi_controller.journal.store import Store
from pi_controller.language.words import words
from tests.journal.chains import (
    BOOT,
    GAME,
    SEED,
    WALL,
    Reports,
    SlowFiles,
    Ticks,
    append,
    open_game,
    start_writer,
)
from tests.journal.disk import Disk
from tests.matrix import paired
from tests.patience import DEADLINE_S

OTHER = "20261120-190000-cd34"


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


def records_of(store, game_id=GAME):
    return recover(store.state_dir, game_id).records


def test_what_is_told_saved_can_be_read_back(store, reports):
    writer = start_writer(store, reports)
    header = open_game(writer)
    assert (header.seq, header.kind, header.data["format"], header.data["game_id"]) == (0, "game", 2, GAME)
    assert (header.boot_id, header.wall) == (BOOT, WALL)
    for tag in range(1, 6):
        record = append(writer, tag)
        assert writer.head == record.hash
    reports.wait_saved(5)
    assert reports.saved[-1] == (5, writer.head)
    assert [record.data.get("n") for record in records_of(store)] == [None, 1, 2, 3, 4, 5]
    assert store.read_seed(GAME) == SEED
    assert writer.close()
    assert not reports.troubles


def test_lines_under_one_tag_are_told_saved_together_or_not_at_all(store, reports):
    files = SlowFiles()
    writer = start_writer(Store(store.state_dir, files=files), reports)
    open_game(writer)
    reports.wait_saved(0)
    for tag in range(1, 40):
        changes = [("turned", {"tag": tag, "part": part}) for part in range(1 + tag % 5)]
        records = writer.append_all(changes, game_ns=tag, boot_ns=tag, tag=tag)
        assert [(record.kind, record.data) for record in records] == changes
    assert writer.close(10)
    kept = records_of(store)
    ends = {record.data["tag"]: record for record in kept[1:]}
    assert len(kept) == 1 + sum(1 + tag % 5 for tag in range(1, 40))
    for tag, head in reports.saved[1:]:
        assert head == ends[tag].hash


def test_a_change_that_is_not_json_leaves_the_chain_as_it_was(store, reports):
    writer = start_writer(store, reports)
    open_game(writer)
    with pytest.raises(TypeError, match="not JSON serializable"):
        writer.append_all([("did", {"n": 1}), ("did", {"n": object()})], game_ns=1, boot_ns=1, tag=1)
    with pytest.raises(ValueError, match="a change needs at least one line"):
        writer.append_all([], game_ns=1, boot_ns=1, tag=1)
    append(writer, 2)
    assert writer.close()
    assert [record.data.get("n") for record in records_of(store)] == [None, 2]


def test_close_writes_what_is_left_and_append_is_refused_then(store, reports):
    files = SlowFiles()
    writer = start_writer(Store(store.state_dir, files=files), reports)
    for tag in range(50):
        append(writer, tag) if tag else open_game(writer)
    assert writer.close(10)
    assert len(records_of(store)) == 50
    with pytest.raises(RuntimeError, match="The journal is closed"):
        append(writer, 50)


def test_append_without_a_game_is_refused(store, reports):
    writer = start_writer(store, reports)
    with pytest.raises(RuntimeError, match="No game is open in the journal"):
        append(writer, 0)
    with pytest.raises(ValueError, match="a seed has 32 bytes, not 3"):
        writer.open_game(GAME, b"abc", {}, game_ns=0, boot_ns=0, tag=0)
    with pytest.raises(ValueError, match="a game id is 1 to 40"):
        writer.open_game("../x", SEED, {}, game_ns=0, boot_ns=0, tag=0)
    writer.close()


def test_a_game_goes_on_in_the_same_file_after_a_restart(store, reports):
    writer = start_writer(store, reports)
    open_game(writer)
    append(writer, 1)
    assert writer.close()
    again = start_writer(store, reports)
    found = recover(store.state_dir, mend=True)
    again.continue_game(found)
    assert again.head == found.head
    append(again, 2)
    assert again.close()
    assert [record.seq for record in records_of(store)] == [0, 1, 2]
    assert sorted(path.name for path in store.folder(GAME).iterdir()) == ["journal.jsonl", "seed"]


def test_only_a_mended_game_goes_on(store, reports):
    writer = start_writer(store, reports)
    open_game(writer)
    assert writer.close()
    again = start_writer(store, reports)
    with pytest.raises(ValueError, match="only a mended game"):
        again.continue_game(recover(store.state_dir))
    again.close()


def test_a_hanging_disk_delays_no_caller(store, reports):
    files, ticks = SlowFiles(), Ticks()
    files.entered.clear()
    files.go.clear()
    writer = start_writer(Store(store.state_dir, files=files), reports, now_ns=ticks)
    ticks.ns = 5_000
    open_game(writer)
    assert files.entered.wait(DEADLINE_S)
    ticks.ns = 9_000
    append(writer, 1)
    assert writer.pending() == 2
    assert not reports.saved
    assert not writer.close(0.01)
    files.go.set()
    reports.wait_saved(1)
    assert writer.close()
    assert writer.pending() == 0


def test_the_thread_shows_that_it_lives_and_when_it_died(store, reports, monkeypatch):
    caught = threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda args: caught.set())
    ticks = Ticks()
    writer = start_writer(store, reports, now_ns=ticks, on_saved=lambda tag, head: 1 / 0)
    ticks.ns = 77
    assert writer.alive()
    open_game(writer)
    assert caught.wait(DEADLINE_S)
    writer.close()
    assert writer.beat_ns() == 77
    assert not writer.alive()


def run_game(disk, reports, store):
    """A short game, line by line; each line that is told saved must already survive a power cut."""
    lines = []

    def on_saved(tag, head):
        kept = disk.survivors()
        assert head.encode() in b"".join(kept.values())
        assert kept[f"games/{GAME}/seed"] == SEED.hex().encode() + b"\n"
        reports.on_saved(tag, head)

    writer = start_writer(store, reports, on_saved=on_saved)
    for tag in range(6):
        lines.append(append(writer, tag) if tag else open_game(writer))
        reports.wait_saved(tag)
    assert writer.close(10)
    assert writer.pending() == 0
    return lines


def count_operations(folder):
    disk = Disk(folder)
    run_game(disk, Reports(), Store(folder, files=disk))
    return disk.operations


@paired(fault=[errno.EIO, errno.ENOSPC, errno.EROFS, "short"], times=[1, 2, 5])
def test_whatever_operation_fails_nothing_saved_is_lost(tmp_path, fault, times):
    total = count_operations(tmp_path / "counted")
    assert total > 25
    for first in range(1, total + 1):
        folder = tmp_path / f"run-{first}"
        disk = Disk(folder)
        Store(folder, files=disk).prepare()
        disk.fail = failing(fault, disk.operations + first, times)
        reports = Reports()
        written = run_game_from(disk, reports, folder)
        survived = recover(disk.power_cut(tmp_path / f"cut-{first}"), GAME)
        assert list(survived.records) == written
        assert reports.mended == ["journal"] * sum(trouble.fatal for trouble in reports.troubles)


def failing(fault, first, times):
    return lambda number, name: fault if first <= number < first + times else None


def run_game_from(disk, reports, folder):
    store = Store(folder, files=disk)
    store.prepare = lambda: None
    return run_game(disk, reports, store)


def test_a_success_after_a_failed_sync_is_not_believed(tmp_path, reports):
    """The second sync of the same file would report success although its data is gone."""
    disk = Disk(tmp_path / "state")
    writer = start_writer(Store(disk.root, files=disk), reports)
    open_game(writer)
    reports.wait_saved(0)
    failed = threading.Event()

    def fail_once(number, name):
        if name == "sync" and not failed.is_set():
            failed.set()
            return errno.EIO
        return None

    disk.fail = fail_once
    append(writer, 1)
    reports.wait_saved(1)
    assert writer.close()
    assert "goes to a new file" in words(reports.troubles[0].sentence)
    assert not reports.troubles[0].fatal
    cut = disk.power_cut(tmp_path / "cut")
    folder = Store(cut).folder(GAME)
    assert folder.joinpath("journal.jsonl").read_bytes().count(b"\n") == 1
    assert folder.joinpath("journal.2.jsonl").read_bytes().count(b"\n") == 1
    assert len(recover(cut).records) == 2


@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC, errno.EROFS])
def test_a_disk_that_takes_nothing_is_told_once_and_nothing_is_lost_when_it_is_back(tmp_path, reports, error):
    disk = Disk(tmp_path / "state")
    ticks = Ticks()
    writer = start_writer(Store(disk.root, files=disk), reports, now_ns=ticks)
    open_game(writer)
    reports.wait_saved(0)
    tried = threading.Semaphore(0)

    def fail(number, name):
        tried.release()
        return error

    disk.fail = fail
    ticks.ns = 123_456
    append(writer, 1)
    for _ in range(20):
        assert tried.acquire(timeout=DEADLINE_S)
    append(writer, 2)
    reports.wait_trouble("kept in memory and tried again every 0.01 s")
    assert writer.pending() == 2
    assert [trouble.fatal for trouble in reports.troubles].count(True) == 1
    assert os.strerror(error) in words(reports.troubles[-1].sentence)
    assert not reports.mended
    disk.fail = lambda number, name: None
    reports.wait_saved(2)
    assert reports.mended == ["journal"]
    assert writer.close()
    assert len(recover(disk.power_cut(tmp_path / "cut")).records) == 3


def test_close_gives_up_on_a_dead_disk(tmp_path, reports):
    disk = Disk(tmp_path / "state")
    writer = start_writer(Store(disk.root, files=disk), reports)
    disk.fail = lambda number, name: errno.EIO
    open_game(writer)
    reports.wait_trouble("cannot be written")
    assert not writer.close(0.05)
    assert writer.pending() == 1


def test_a_full_disk_uses_the_reserve_and_makes_it_again_when_there_is_space(tmp_path, reports):
    disk, ticks = Disk(tmp_path / "state", capacity=200_000), Ticks()
    writer = start_writer(Store(disk.root, files=disk), reports, now_ns=ticks)
    open_game(writer)
    reports.wait_saved(0)
    reserve = Store(disk.root).reserve_path
    wait_for_file(reserve, writer, reports, exists=True, ticks=ticks)
    assert reserve.stat().st_size == 8192
    disk.capacity = disk.used() + 300
    while not reports.troubles:
        append(writer, reports.last_tag + 1)
        reports.wait(lambda: writer.pending() == 0)
    assert "the journal uses the space reserved for this" in words(reports.troubles[0].sentence)
    assert (reports.troubles[0].fatal, reports.troubles[0].part) == (False, "space")
    assert not reserve.exists()
    while not reports.troubles[-1].fatal:
        append(writer, reports.last_tag + 1)
        reports.wait(lambda: writer.pending() == 0 or reports.troubles[-1].fatal)
    assert len(reports.saved) > 10
    assert "free some disk space" in words(reports.troubles[-1].sentence)
    disk.capacity = 200_000
    reports.wait(lambda: writer.pending() == 0)
    assert reports.mended == ["journal"]
    wait_for_file(reserve, writer, reports, exists=True, ticks=ticks)
    reports.wait(lambda: reports.mended == ["journal", "space"])
    assert not any("memory card" in words(trouble.sentence) for trouble in reports.troubles), (
        "it is only full"
    )
    assert writer.close()
    assert len(recover(disk.power_cut(tmp_path / "cut")).records) == len(recover(disk.root).records) > 20


def wait_for_file(path, writer, reports, *, exists, ticks):
    """Nudge the writer with lines, its own clock moved on, until the file is there or gone."""
    for _ in range(2000):
        ticks.ns += 11_000_000_000
        append(writer, reports.last_tag + 1)
        reports.wait_saved(reports.last_tag)
        reports.wait(lambda: writer.pending() == 0)
        if path.exists() == exists:
            return
    raise AssertionError(f"{path} never changed")


def test_a_nearly_full_disk_is_told_once(tmp_path, reports):
    disk, ticks = Disk(tmp_path / "state", capacity=10_000), Ticks()
    writer = start_writer(Store(disk.root, files=disk), reports, now_ns=ticks)
    open_game(writer)
    reports.wait_trouble("No space can be reserved for a full disk (the disk is nearly full)")
    assert writer.close()
    assert len(reports.troubles) == 1


def test_a_reserve_that_cannot_be_made_or_freed_is_told(tmp_path, reports):
    disk = Disk(tmp_path / "state")
    disk.fail = lambda number, name: errno.EIO if name == "reserve" else None
    store = Store(disk.root, files=disk)
    store.prepare()
    writer = start_writer(store, reports)
    open_game(writer)
    reports.wait_trouble("No space can be reserved for a full disk (Input/output error)")
    assert not store.reserve_path.exists()
    assert writer.close()

    store.reserve_path.write_bytes(b"x" * 8192)
    full = Reports()
    disk.fail = lambda number, name: {"remove": errno.EROFS, "write": errno.ENOSPC}.get(name)
    writer = start_writer(store, full)
    writer.continue_game(recover(disk.root, mend=True))
    append(writer, 1)
    full.wait_trouble("The reserved space cannot be freed (Read-only file system)")
    full.wait_trouble("kept in memory")
    disk.fail = lambda number, name: None
    full.wait_saved(1)
    assert writer.close()


def test_lines_that_cannot_be_made_leave_no_gap(store, reports):
    writer = start_writer(store, reports)
    open_game(writer)
    append(writer, 1)
    head = writer.head
    with pytest.raises(UnicodeEncodeError):
        writer.append_all([("did", {"n": 2}), ("did", {"text": "\ud800"})], game_ns=2, boot_ns=2, tag=2)
    with pytest.raises(UnicodeEncodeError):
        writer.open_game(OTHER, SEED, {"word": "\ud800"}, game_ns=2, boot_ns=2, tag=2)
    assert (writer.head, writer.progress()[0]) == (head, GAME)
    append(writer, 2)
    reports.wait_saved(2)
    assert [record.data.get("n") for record in records_of(store)] == [None, 1, 2]
    writer.close()
    with pytest.raises(RuntimeError, match="closed"):
        append(writer, 3)


KILLS = 5
SCRIPT = Path(__file__).with_name("killed.py")


def run_until_killed(state_dir, acknowledgements):
    with subprocess.Popen(
        [sys.executable, str(SCRIPT), str(state_dir)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        told = [process.stdout.readline() for _ in range(acknowledgements)]
        process.kill()
        told += process.stdout.readlines()
    whole = [line.split() for line in told if line.endswith("\n")]
    return {int(tag): head for tag, head in whole}


def test_nothing_saved_is_lost_and_nothing_invented(tmp_path):
    chance = random.Random(20261120)
    told = {}
    for _ in range(KILLS):
        told |= run_until_killed(tmp_path, chance.randint(1, 60))
        records = recover(tmp_path).records
        assert len(records) > max(told)
        for tag, head in told.items():
            assert records[tag].hash == head
        assert [record.data.get("n", 0) for record in records] == list(range(len(records)))
