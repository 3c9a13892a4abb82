"""The second copy: it delays nothing, is completed, goes on elsewhere, and whose it is."""

import errno
import functools
import os
import shutil
import threading
from pathlib import Path

import msgspec
import pytest

from pi_controller.journal import copies
from pi_controller.journal.copies import Mark, Owner, read_mark
from pi_controller.journal.heartbeat import HeartbeatValue, read_heartbeat
from pi_controller.journal.pairing import PairingKey
from pi_controller.journal.recovery import recover
from pi_controller.journal.store import Store
from tests.journal.chains import (
    BOOT,
    GAME,
    SEED,
    Reports,
    SlowFiles,
    Ticks,
    append,
    beat_value,
    chain,
    lines,
    open_game,
    put_game,
    start_writer,
    tree,
)
from tests.journal.disk import Disk
from tests.matrix import further
from tests.patience import DEADLINE_S
from tests.system.programs import wait_until

OTHER = "20261120-190000-cd34"


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
    assert not [name for name in tree(copy) if "seed" in name]
    assert not reports.troubles


def test_a_hanging_second_device_delays_nothing(store, copy, reports):
    hanging, ticks = SlowFiles(), Ticks()
    hanging.entered.clear()
    hanging.go.clear()
    writer = start_writer(store, reports, second_copy=copy, copy_files=hanging, now_ns=ticks)
    ticks.ns = 4_000
    open_game(writer)
    assert hanging.entered.wait(DEADLINE_S)
    ticks.ns = 9_000
    for tag in range(1, 10):
        append(writer, tag)
        reports.wait_saved(tag)
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


@pytest.mark.parametrize("error", [errno.EIO, "short", *further(errno.ENOSPC, errno.EROFS)])
def test_any_operation_of_the_second_device_may_fail(tmp_path, error):
    for first in range(1, 16):
        reports = Reports()
        own, copy = Store(tmp_path / f"own-{first}"), tmp_path / f"copy-{first}"
        copy.mkdir()
        disk = Disk(copy)
        disk.fail = failing(error, first)
        disk.on_synced = reports.nudge
        writer = start_writer(own, reports, second_copy=copy, copy_files=disk)
        for tag in range(5):
            append(writer, tag) if tag else open_game(writer)
            reports.wait(functools.partial(holds, disk, writer.head))
        assert writer.close(10)
        assert length(disk.power_cut(tmp_path / f"cut-{first}")) == 5
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
    assert caught.wait(DEADLINE_S)
    reports.wait_saved(0)
    writer._copy._thread.join(DEADLINE_S)
    assert not writer.alive()
    assert writer.close()


def others(folder):
    """The copy of another controller in this folder, with a game that is not over; its content."""
    put_game(folder, b"".join(lines(chain(5, game_id=OTHER))), game_id=OTHER)
    mark = Mark("theirs", "Hall 1", OTHER, unfinished=True)
    (folder / "controller.json").write_bytes(msgspec.json.encode(mark))
    (folder / "roster.json").write_text("theirs")
    return tree(folder)


def test_the_copy_of_another_controller_is_left_alone_until_somebody_decides(store, copy, reports):
    before = others(copy)
    writer = start_writer(store, reports, second_copy=copy, owner=Owner("mine", "Hall 2", store))
    open_game(writer)
    reports.wait_trouble("Hall 1")
    append(writer, 1)
    reports.wait_saved(1)
    assert tree(copy) == before
    (trouble,) = reports.troubles
    assert (trouble.part, trouble.fatal, trouble.sentence.key) == (
        "second_copy", False, "journal.copy_of_another",
    )  # fmt: skip
    writer.write_copy_all_the_same()
    reports.wait(lambda: reports.mended)
    assert writer.close(10)
    assert (length(copy), length(copy, OTHER)) == (2, 5)
    assert read_mark(copy) == Mark("mine", "Hall 2", GAME, unfinished=True)
    after = tree(copy)
    assert all(after[name] == content for name, content in before.items() if name.startswith("games/"))


def test_a_stick_that_is_changed_for_another_controllers_gets_nothing(
    store, copy, tmp_path, reports, monkeypatch
):
    monkeypatch.setattr(copies, "IDLE_S", 0.01)
    ticks, roster = Ticks(), tmp_path / "roster.json"
    roster.write_text("mine")

    def passing():
        ticks.ns += 1_000_000_000
        return ticks.ns

    writer = start_writer(
        store, reports, second_copy=copy, owner=Owner("mine", "Hall 2", store), now_ns=passing,
        copy_beat=lambda: beat_value(5), copy_beside=(roster,),
    )  # fmt: skip
    open_game(writer)
    reports.wait_saved(0)
    wait_until((copy / "roster.json").exists)
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    before = others(foreign)
    copy.rename(tmp_path / "own-stick")
    foreign.rename(copy)
    reports.wait_trouble("Hall 1")
    roster.write_text("mine, changed")
    append(writer, 1)
    reports.wait_saved(1)
    writer.close(10)
    assert tree(copy) == before


def test_what_is_over_or_ones_own_or_ones_own_game_is_no_strangers(store, copy):
    owner = Owner("mine", "Hall 2", store)
    store.prepare()
    others(copy)
    assert owner.stranger(copy) == read_mark(copy)
    put_game(store.state_dir, b"".join(lines(chain(4, game_id=OTHER))), game_id=OTHER)
    assert owner.stranger(copy) is not None, "there is more of it than here"
    put_game(store.state_dir, b"".join(lines(chain(6, game_id=OTHER))), game_id=OTHER)
    assert owner.stranger(copy) is None, "this controller goes on with it"
    (copy / "controller.json").unlink()
    assert owner.stranger(copy) is None, "of an earlier release, and the game is here"
    shutil.rmtree(store.folder(OTHER))
    assert owner.stranger(copy).game == OTHER
    for mark in (Mark("mine", "", OTHER, unfinished=True), Mark("theirs", "", OTHER, unfinished=False)):
        (copy / "controller.json").write_bytes(msgspec.json.encode(mark))
        assert owner.stranger(copy) is None


KEY = PairingKey(bytes(range(100, 132)))
S = 1_000_000_000


class Ticking:
    """A clock on which a second passes with each look at it."""

    def __init__(self) -> None:
        self.ns = 0

    def __call__(self) -> int:
        self.ns += S
        return self.ns


class Life:
    """Beats that a test looks for; `beats` tells when one was asked for."""

    def __init__(self, reports: Reports) -> None:
        self.reports = reports
        self.game_ns = 0
        self.asked = 0

    def __call__(self) -> HeartbeatValue:
        self.asked += 1
        self.reports.nudge()
        return beat_value(self.game_ns)


@pytest.fixture(autouse=True)
def _restless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "IDLE_S", 0.01)


def test_the_copy_holds_the_seed_for_the_paired_controller_only(tmp_path: Path, copy: Path) -> None:
    reports = Reports()
    writer = start_writer(Store(tmp_path / "own"), reports, second_copy=copy, pairing=KEY)
    open_game(writer)
    append(writer, 1)
    assert writer.close()
    files = tree(copy)
    assert KEY.open(GAME, files[f"games/{GAME}/seed.sealed"]) == SEED
    assert not any(SEED in content or SEED.hex().encode() in content for content in files.values())


def test_a_game_that_goes_on_puts_its_seed_there_too_and_mends_a_torn_one(tmp_path: Path, copy: Path) -> None:
    reports, store = Reports(), Store(tmp_path / "own")
    writer = start_writer(store, reports, second_copy=copy, pairing=KEY)
    open_game(writer)
    assert writer.close()
    sealed = copy / "games" / GAME / "seed.sealed"
    sealed.write_bytes(sealed.read_bytes()[:20])
    (sealed.parent / "seed.sealed.new").write_bytes(b"left over")
    again = start_writer(store, reports, second_copy=copy, pairing=KEY)
    found = recover(tmp_path / "own", GAME, mend=True)
    assert found is not None
    again.continue_game(found, SEED)
    assert again.close()
    assert KEY.open(GAME, sealed.read_bytes()) == SEED


def test_it_shows_life_and_goes_on_when_the_stick_comes_back(tmp_path: Path, copy: Path) -> None:
    reports, ticks = Reports(), Ticking()
    life = Life(reports)
    writer = start_writer(
        Store(tmp_path / "own"), reports, second_copy=copy, now_ns=ticks, copy_beat=life, boot_id=BOOT
    )
    open_game(writer)
    life.game_ns = 5 * S
    reports.wait(lambda: _seen(copy, reports) == 5 * S)
    shutil.move(copy, tmp_path / "pulled")
    reports.wait_trouble("The second copy in")
    shutil.move(tmp_path / "pulled", copy)
    life.game_ns = 9 * S
    reports.wait(lambda: bool(reports.mended) and _seen(copy, reports) == 9 * S)
    assert reports.mended == ["second_copy"]
    assert len(reports.troubles) == 1
    assert writer.close()


def test_the_roster_is_kept_beside_the_games(tmp_path: Path, copy: Path) -> None:
    reports, ticks = Reports(), Ticking()
    life = Life(reports)
    roster = tmp_path / "roster.json"
    roster.write_text("{}")
    writer = start_writer(
        Store(tmp_path / "own"),
        reports,
        second_copy=copy,
        now_ns=ticks,
        copy_beat=life,
        copy_beside=(roster,),
    )
    open_game(writer)
    reports.wait(lambda: _text(copy / "roster.json") == "{}")
    roster.write_text('{"version": 1}')
    os.utime(roster, ns=(1, 1))
    reports.wait(lambda: _text(copy / "roster.json") == '{"version": 1}')
    assert writer.close()


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _seen(copy: Path, reports: Reports) -> int:
    beat = read_heartbeat(copy / "games" / GAME / "heartbeat")
    return beat.game_ns if beat is not None else -1
