"""One heartbeat as bytes: every field comes back, damage does not pass, older slots are read."""

import struct
import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.journal.heartbeat import (
    CLOCKS,
    PHASES,
    SLOT_BYTES,
    Heartbeat,
    HeartbeatSnapshot,
    pack_slot,
    unpack_slot,
)
from tests.journal.chains import BOOT, GAME, SIGHT, beat_value

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
