import errno
import os
import threading

import pytest

from pi_controller.journal import heartbeat
from pi_controller.journal.heartbeat import (
    SLOT_BYTES,
    SLOT_OFFSETS,
    Heartbeat,
    HeartbeatWriter,
    read_heartbeat,
    unpack_slot,
)
from pi_controller.language.words import words
from tests.journal.chains import BOOT, GAME, SIGHT, Reports, Ticks, beat_value
from tests.patience import DEADLINE_S


def value(seq):
    return beat_value(seq * 50, seq=seq, boot_ns=seq * 50 + 1)


class Source:
    """What core shows at this moment; says when it has been asked often enough."""

    def __init__(self):
        self.seq = 0
        self.enough = threading.Event()

    def __call__(self):
        self.seq += 1
        if self.seq >= 3:
            self.enough.set()
        return value(self.seq)


@pytest.fixture
def reports():
    return Reports()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "heartbeat"


def make(path, now, reports):
    return HeartbeatWriter(
        path,
        now=now,
        boot_id=BOOT,
        now_ns=Ticks(),
        on_trouble=reports.on_trouble,
        on_mended=reports.on_mended,
    )


def test_the_newest_beat_is_read_and_a_torn_one_costs_only_itself(path, reports):
    source = Source()
    writer = make(path, source, reports)
    for _ in range(6):
        writer.write_once()
    writer.sync_once()
    assert read_heartbeat(path).seq == 6
    whole = path.read_bytes()
    for newest in (
        offset for offset in SLOT_OFFSETS if unpack_slot(whole[offset : offset + SLOT_BYTES]).seq == 6
    ):
        for torn in range(newest, newest + SLOT_BYTES):
            damaged = bytearray(whole)
            for place in range(torn, newest + SLOT_BYTES):
                damaged[place] ^= 0xFF
            path.write_bytes(damaged)
            assert read_heartbeat(path) == Heartbeat(
                game_id=GAME, seq=5, game_ns=250, boot_ns=251, boot_id=BOOT, counter=5, sight=SIGHT
            )
    writer.stop()


def test_a_new_process_goes_on_counting(path, reports):
    first = make(path, Source(), reports)
    first.write_once()
    first.write_once()
    first.stop()
    again = make(path, lambda: value(70), reports)
    again.write_once()
    assert read_heartbeat(path).counter == 4
    assert read_heartbeat(path).seq == 70
    again.stop()


def test_nothing_there_is_none(path):
    assert read_heartbeat(path) is None
    for blob in (b"", b"\0" * 9000, b"\xff" * 5000):
        path.write_bytes(blob)
        assert read_heartbeat(path) is None


def test_a_process_without_a_game_writes_nothing(path, reports):
    writer = make(path, lambda: None, reports)
    writer.write_once()
    writer.sync_once()
    writer.stop()
    writer.stop()
    assert not path.exists()


def test_the_threads_beat_and_stop_writes_the_last(path, reports):
    source = Source()
    writer = make(path, source, reports)
    writer.start()
    assert source.enough.wait(DEADLINE_S)
    assert writer.alive()
    writer.stop()
    assert not writer.alive()
    assert read_heartbeat(path).seq == source.seq


def test_a_hanging_sync_delays_no_beat(path, reports, monkeypatch):
    hanging, go = threading.Event(), threading.Event()

    def hang(fd):
        hanging.set()
        assert go.wait(DEADLINE_S)

    monkeypatch.setattr(heartbeat, "SYNC_EVERY_S", 0.01)
    monkeypatch.setattr(os, "fdatasync", hang)
    source = Source()
    writer = make(path, source, reports)
    writer.start()
    assert hanging.wait(DEADLINE_S)
    before = source.seq
    source.enough.clear()
    assert source.enough.wait(DEADLINE_S)
    assert read_heartbeat(path).seq >= before
    go.set()
    writer.stop()
    assert not reports.troubles


@pytest.mark.parametrize(("call", "what"), [("pwrite", "written"), ("fdatasync", "synced")])
def test_a_failure_is_told_once_and_its_end_too(path, reports, monkeypatch, call, what):
    def fail(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    writer = make(path, Source(), reports)
    writer.write_once()
    with monkeypatch.context() as broken:
        broken.setattr(os, call, fail)
        for _ in range(3):
            writer.write_once()
            writer.sync_once()
    assert [trouble.part for trouble in reports.troubles] == ["heartbeat"]
    assert f"cannot be {what} (Input/output error)" in words(reports.troubles[0].sentence)
    assert not reports.mended
    writer.write_once()
    writer.sync_once()
    assert reports.mended == ["heartbeat"]
    writer.stop()
