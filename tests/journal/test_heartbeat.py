"""Heartbeats: one as bytes, and the threads that write them."""

import errno
import os
import struct
import threading
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pi_controller.journal import heartbeat
from pi_controller.journal.heartbeat import (
    CLOCKS,
    PHASES,
    SLOT_BYTES,
    SLOT_OFFSETS,
    Heartbeat,
    HeartbeatSnapshot,
    HeartbeatWriter,
    pack_slot,
    read_heartbeat,
    unpack_slot,
)
from pi_controller.language.words import words
from tests.journal.chains import BOOT, GAME, SIGHT, Ticks, beat_value
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
def path(tmp_path):
    return tmp_path / "heartbeat"


def make(path, now, reports, **more):
    return HeartbeatWriter(
        path,
        now=now,
        boot_id=BOOT,
        now_ns=Ticks(),
        on_trouble=reports.on_trouble,
        on_mended=reports.on_mended,
        **more,
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


def test_what_lies_beside_is_looked_at_every_half_second(path, reports, monkeypatch):
    """Counted in beats: 20 of them are a second."""
    looked, seen = threading.Event(), []
    source = Source()

    def look():
        seen.append(source.seq)
        if len(seen) == 2:
            looked.set()

    monkeypatch.setattr(heartbeat, "BEATS_A_SECOND", 1000)
    writer = make(path, source, reports, look_beside=look)
    writer.start()
    assert looked.wait(DEADLINE_S)
    writer.stop()
    assert seen[1] - seen[0] == heartbeat.LOOK_EVERY == 10


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


LARGE = st.integers(0, 2**64 - 1)
SMALL = st.integers(0, 2**32 - 1)
SIGNED = st.integers(-(2**63), 2**63 - 1)
SIGHTS = st.builds(
    HeartbeatSnapshot,
    phase=st.sampled_from(PHASES),
    clock=st.sampled_from(CLOCKS),
    remaining_ns=LARGE,
    round=SMALL,
    side=st.sampled_from(["sun", "moon", None]),
    due_round=SMALL,
    draw=SMALL,
    lines=LARGE,
    saved=LARGE,
)


@given(LARGE, SIGNED, st.text("abc-0123456789", max_size=36), SIGHTS)
def test_a_slot_comes_back(counter: int, game_ns: int, name: str, sight: HeartbeatSnapshot) -> None:
    value = replace(beat_value(game_ns), game_id=name, sight=sight)
    slot = pack_slot(value, boot_id=name, counter=counter)
    assert len(slot) == SLOT_BYTES
    assert unpack_slot(slot) == Heartbeat(
        game_id=name,
        seq=value.seq,
        game_ns=game_ns,
        boot_ns=value.boot_ns,
        boot_id=name,
        counter=counter,
        sight=sight,
    )


def test_a_slot_damaged_at_any_byte_or_cut_anywhere_is_none() -> None:
    slot = pack_slot(beat_value(2), boot_id=BOOT, counter=4)
    for place in range(SLOT_BYTES):
        damaged = bytearray(slot)
        damaged[place] ^= 1
        assert unpack_slot(bytes(damaged)) is None
        assert unpack_slot(slot[:place]) is None


def test_a_slot_of_the_release_before_is_read_and_tells_no_sight() -> None:
    head = struct.pack("<4sQQQqq36s44s", b"PCHB", 4, 1, 0, -2, 3, BOOT.encode(), GAME.encode())
    slot = head + struct.pack("<I", zlib.crc32(head))
    found = Heartbeat(game_id=GAME, seq=1, game_ns=-2, boot_ns=3, boot_id=BOOT, counter=4)
    assert unpack_slot(slot) == unpack_slot(slot + bytes(128)) == found
    assert unpack_slot(slot[:-1] + b"x") is None


@pytest.mark.parametrize(
    ("offset", "byte"), [(172, len(PHASES)), (173, len(CLOCKS)), (160, 0xFF), (44, 0xFF)]
)
def test_words_of_a_later_release_are_no_beat(offset: int, byte: int) -> None:
    """Its checksum is right, but what it says cannot be read here."""
    slot = bytearray(pack_slot(beat_value(2), boot_id=BOOT, counter=4))
    slot[offset] = byte
    slot[252:] = struct.pack("<I", zlib.crc32(slot[:252]))
    assert unpack_slot(bytes(slot)) is None


def test_names_that_do_not_fit_are_refused() -> None:
    for value in (
        replace(beat_value(2), game_id="g" * 45),
        replace(beat_value(2), sight=replace(SIGHT, side="s" * 13)),
    ):
        with pytest.raises(ValueError, match="at most 36, a game id 44 and a side 12 characters"):
            pack_slot(value, boot_id=BOOT, counter=4)
