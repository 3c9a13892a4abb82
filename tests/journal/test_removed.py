"""Files that are removed under the writer: everything that was told saved stands at its path again."""

import errno
import os
import shutil
import time
from pathlib import Path

import pytest

from pi_controller.journal import copies, heartbeat, writer
from pi_controller.journal.heartbeat import HeartbeatWriter, read_heartbeat
from pi_controller.journal.recovery import recover
from pi_controller.journal.store import Store
from tests.journal.chains import BOOT, GAME, SEED, Ticks, append, beat_value, open_game, start_writer
from tests.journal.disk import Disk
from tests.patience import DEADLINE_S


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "state")


@pytest.fixture(autouse=True)
def _restless(monkeypatch):
    monkeypatch.setattr(writer, "IDLE_S", 0.01)
    monkeypatch.setattr(copies, "IDLE_S", 0.01)


def remove_the_file(store):
    (store.folder(GAME) / "journal.jsonl").unlink()


def remove_folder(folder):
    """All at once, so that nothing is written into it again meanwhile; a reserve that the writer is just making
    may stay in what was moved away."""
    away = folder.with_name(f"{folder.name}.away")
    folder.rename(away)
    shutil.rmtree(away, ignore_errors=True)


def remove_the_game(store):
    remove_folder(store.folder(GAME))


def remove_all_games(store):
    remove_folder(store.games_dir)


def remove_everything(store):
    remove_folder(store.state_dir)


def put_another_in_its_place(store):
    path = store.folder(GAME) / "journal.jsonl"
    content = path.read_bytes()
    path.rename(path.with_name("mine"))
    path.write_bytes(content[:100])


REMOVALS = [remove_the_file, remove_the_game, remove_all_games, remove_everything, put_another_in_its_place]


@pytest.mark.parametrize("remove", REMOVALS)
def test_a_line_after_the_removal_is_told_saved_when_all_are_there_again(store, reports, monkeypatch, remove):
    monkeypatch.setattr(writer, "IDLE_S", 60)
    journal = start_writer(store, reports)
    open_game(journal)
    for tag in range(1, 5):
        append(journal, tag)
        reports.wait_saved(tag)
    remove(store)
    append(journal, 5)
    reports.wait_saved(5)
    assert len(recover(store.state_dir, GAME).records) == 6
    assert store.read_seed(GAME) == SEED
    assert [trouble.part for trouble in reports.troubles] == ["files"]
    append(journal, 6)
    assert journal.close()
    assert len(recover(store.state_dir, GAME).records) == 7
    assert len(reports.troubles) == 1


@pytest.mark.parametrize("remove", REMOVALS)
def test_without_another_line_all_are_there_again_too(store, reports, remove):
    journal = start_writer(store, reports)
    open_game(journal)
    append(journal, 1)
    reports.wait_saved(1)
    remove(store)
    reports.wait_trouble("were removed from")
    assert journal.close()
    assert len(recover(store.state_dir, GAME).records) == 2
    assert store.read_seed(GAME) == SEED


def test_a_seed_that_is_removed_is_there_again(store, reports):
    journal = start_writer(store, reports)
    open_game(journal)
    reports.wait_saved(0)
    (store.folder(GAME) / "seed").unlink()
    reports.wait_trouble("were removed from")
    assert journal.close()
    assert store.read_seed(GAME) == SEED


def test_a_game_that_went_on_is_written_again_with_all_its_lines(store, reports):
    journal = start_writer(store, reports)
    open_game(journal)
    for tag in range(1, 9):
        append(journal, tag)
    assert journal.close()
    again = start_writer(store, reports)
    again.continue_game(recover(store.state_dir, mend=True), SEED)
    append(again, 9)
    reports.wait_saved(9)
    remove_everything(store)
    append(again, 10)
    reports.wait_saved(10)
    assert again.close()
    assert [record.seq for record in recover(store.state_dir).records] == list(range(11))
    assert store.read_seed(GAME) == SEED


def test_what_cannot_be_written_again_at_once_is_when_the_disk_is_back(tmp_path, reports):
    disk = Disk(tmp_path / "state")
    store = Store(disk.root, files=disk)
    journal = start_writer(store, reports)
    open_game(journal)
    append(journal, 1)
    reports.wait_saved(1)
    disk.fail = lambda number, name: errno.EIO
    remove_all_games(store)
    reports.wait_trouble("kept in memory")
    disk.fail = lambda number, name: None
    reports.wait(lambda: reports.mended)
    assert journal.close()
    assert len(recover(disk.power_cut(tmp_path / "cut")).records) == 2


def test_the_files_of_a_game_that_is_over_may_be_removed(store, reports):
    other = "20261120-190000-cd34"
    journal = start_writer(store, reports)
    open_game(journal)
    open_game(journal, tag=1, game_id=other)
    reports.wait_saved(1)
    remove_the_game(store)
    append(journal, 2)
    reports.wait_saved(2)
    assert journal.close()
    assert store.game_ids() == [other]
    assert not reports.troubles


def wait_for_copy(lines, count, ticks):
    """Until the copy has so many lines; meanwhile seconds pass, as it looks after its files once in each."""
    give_up_s = time.monotonic() + DEADLINE_S
    while not lines.is_file() or lines.read_bytes().count(b"\n") < count:
        assert time.monotonic() < give_up_s, "the second copy was not written"
        ticks.ns += 1_000_000_000
        os.sched_yield()


def test_the_second_copy_is_written_again_too(tmp_path, store, reports):
    copy = tmp_path / "stick"
    copy.mkdir()
    ticks = Ticks()
    journal = start_writer(store, reports, second_copy=copy, copy_beat=lambda: beat_value(5), now_ns=ticks)
    open_game(journal)
    append(journal, 1)
    lines = copy / "games" / GAME / "journal.jsonl"
    wait_for_copy(lines, 2, ticks)
    remove_folder(copy / "games")
    wait_for_copy(lines, 2, ticks)
    assert journal.close()
    assert len(recover(copy).records) == 2


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_heartbeat_that_is_removed_beats_again_at_once(tmp_path, reports, monkeypatch, what):
    path = tmp_path / "state" / "heartbeat"
    monkeypatch.setattr(heartbeat, "SYNC_EVERY_S", 0.01)
    beats = HeartbeatWriter(
        path,
        now=lambda: beat_value(5),
        boot_id=BOOT,
        now_ns=Ticks(),
        on_trouble=reports.on_trouble,
        on_mended=reports.on_mended,
    )
    beats.write_once()
    path.unlink() if what == "file" else shutil.rmtree(path.parent)
    beats.write_once()
    assert read_heartbeat(path).counter == 2
    assert path.parent.stat().st_mode & 0o777 == 0o700
    before = len(list(Path("/proc/self/fd").iterdir()))
    beats.sync_once()
    assert len(list(Path("/proc/self/fd").iterdir())) == before - 1, "the removed file is let go"
    beats.stop()
    assert not reports.troubles
