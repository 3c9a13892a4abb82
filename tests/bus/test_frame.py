"""Frames of the master's side: there and back, in pieces, out of noise, and what fits into none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.bus.frame import (
    LONGEST_PAYLOAD,
    OVERHEAD,
    BadFrame,
    Frame,
    Receiver,
    encode,
    near,
    past,
    to_u32,
    wire_us,
)

BYTE = st.integers(0, 255)
FRAMES = st.builds(
    Frame, st.integers(0, 7), st.integers(0, 31), BYTE, BYTE, BYTE, st.binary(max_size=LONGEST_PAYLOAD)
)
NOISE = st.lists(st.integers(1, 255), max_size=60).map(bytes)


@given(FRAMES)
def test_a_frame_comes_back(frame: Frame) -> None:
    wire = encode(frame)
    assert Receiver().feed(wire) == [frame]
    assert len(wire) == len(frame.payload) + OVERHEAD
    assert (wire[0], wire[-1], wire.count(0)) == (0, 0, 2)


@given(st.lists(FRAMES, max_size=5), st.data())
def test_frames_come_in_pieces(frames: list[Frame], data: st.DataObject) -> None:
    wire = b"".join(encode(frame) for frame in frames)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(wire)), max_size=20)))
    receiver = Receiver()
    got = [
        frame
        for begin, end in zip([0, *cuts], [*cuts, len(wire)], strict=True)
        for frame in receiver.feed(wire[begin:end])
    ]
    assert (got, receiver.good, receiver.damaged) == (frames, len(frames), 0)
    assert not receiver.midway


@given(NOISE, FRAMES, NOISE)
def test_noise_around_a_frame_is_dropped(before: bytes, frame: Frame, after: bytes) -> None:
    """B7."""
    receiver = Receiver()
    assert receiver.feed(before + encode(frame) + after) == [frame]
    assert receiver.midway == bool(after)
    assert receiver.damaged == bool(before)


@given(FRAMES, FRAMES, st.data())
def test_a_damaged_byte_costs_one_frame_at_most(first: Frame, second: Frame, data: st.DataObject) -> None:
    wire = bytearray(encode(first))
    wire[data.draw(st.integers(1, len(wire) - 2))] ^= data.draw(st.integers(1, 255))
    assert Receiver().feed(bytes(wire) + encode(second)) == [second]


@given(FRAMES, st.integers(1, 8))
def test_a_line_that_was_opened_again_forgets_the_half_frame(frame: Frame, count: int) -> None:
    receiver = Receiver()
    receiver.feed(encode(frame)[:count])
    assert receiver.midway == (count > 1)
    receiver.reset()
    assert not receiver.midway
    assert receiver.feed(encode(frame)) == [frame]
    assert receiver.damaged == 0


def test_endless_bytes_without_delimiter_need_no_memory() -> None:
    receiver = Receiver()
    for _ in range(1000):
        receiver.feed(b"\xff" * 1000)
    assert len(receiver._pending) < 50
    receiver.feed(b"\0")
    assert receiver.damaged == 1


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (Frame(8, 1, 0, 0, 0, b""), "version of a frame is 8; it must lie between 0 and 7"),
        (Frame(1, 32, 0, 0, 0, b""), "type of a frame is 32; it must lie between 0 and 31"),
        (Frame(1, 1, 256, 0, 0, b""), "dst of a frame is 256; it must lie between 0 and 255"),
        (Frame(1, 1, 0, -1, 0, b""), "src of a frame is -1; it must lie between 0 and 255"),
        (Frame(1, 1, 0, 0, 300, b""), "seq of a frame is 300; it must lie between 0 and 255"),
        (Frame(1, 1, 0, 0, 0, bytes(30)), "a frame carries at most 29 bytes, not 30"),
    ],
)
def test_what_fits_into_no_frame_is_refused(frame: Frame, sentence: str) -> None:
    with pytest.raises(BadFrame) as refusal:
        encode(frame)
    assert str(refusal.value) == sentence


HALF = 2**31


@pytest.mark.parametrize(
    ("wire_bytes", "baud", "us"),
    [(39, 250_000, 1560), (17, 250_000, 680), (39, 115_200, 3385), (0, 250_000, 0)],
)
def test_bytes_take_ten_bits_each(wire_bytes: int, baud: int, us: int) -> None:
    assert wire_us(wire_bytes, baud) == us


@given(st.integers(HALF, 2**63), st.integers(-HALF, HALF - 1))
def test_a_time_comes_back_over_the_wrap(now: int, away: int) -> None:
    assert near(to_u32(now + away), now) == now + away


@given(st.integers(0, 2**63), st.integers(0, 2**32 - 1_000_001))
def test_what_a_node_did_up_to_70_minutes_ago_keeps_its_moment(at: int, ago: int) -> None:
    assert past(to_u32(at), at + ago) == at


@pytest.mark.parametrize(("ahead", "now"), [(1, 5), (999_999, 2**33), (0, 0)])
def test_what_a_node_takes_for_the_future_is_now(ahead: int, now: int) -> None:
    assert past(to_u32(now + ahead), now) == now


def test_a_moment_before_the_clock_began_is_its_beginning() -> None:
    assert past(to_u32(-5), 3_000_000) == 0
