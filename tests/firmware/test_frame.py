"""The node's frames: the same bytes as the master's, and no more memory for a good frame than before."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.bus import frame as master
from table_node.frame import LONGEST_FRAME, LONGEST_PAYLOAD, Receiver, encode

BYTE = st.integers(0, 255)
FRAMES = st.builds(
    master.Frame, st.integers(0, 7), st.integers(0, 31), BYTE, BYTE, BYTE, st.binary(max_size=LONGEST_PAYLOAD)
)


def sent(frame: master.Frame) -> bytes:
    into = bytearray(b"\xaa" * LONGEST_FRAME)
    kind = frame.version << 5 | frame.type
    size = encode(into, kind, frame.dst, frame.src, frame.seq, frame.payload, len(frame.payload))
    assert into[size:] == b"\xaa" * (LONGEST_FRAME - size)
    return bytes(into[:size])


def taken(receiver: Receiver, data: bytes) -> list[master.Frame]:
    return [
        master.Frame(
            receiver.version, receiver.type, receiver.dst, receiver.src, receiver.seq, bytes(receiver.payload)
        )
        for byte in data
        if receiver.take(byte)
    ]


@given(FRAMES)
def test_both_ends_make_the_same_bytes(frame: master.Frame) -> None:
    assert sent(frame) == master.encode(frame)
    receiver = Receiver()
    assert taken(receiver, sent(frame)) == [frame]
    assert receiver.size == len(frame.payload)


@given(st.lists(FRAMES | st.binary(max_size=50), max_size=6))
def test_both_ends_hear_the_same_in_any_bytes(parts: list[master.Frame | bytes]) -> None:
    wire = b"".join(part if isinstance(part, bytes) else sent(part) for part in parts)
    node, other = Receiver(), master.Receiver()
    assert taken(node, wire) == other.feed(wire)
    assert (node.good, node.damaged) == (other.good, other.damaged)


def test_a_payload_may_lie_at_the_beginning_of_a_longer_buffer() -> None:
    into = bytearray(LONGEST_FRAME)
    size = encode(into, 0x22, 0, 5, 9, bytearray(range(29)), 6)
    (frame,) = taken(Receiver(), into[:size])
    assert frame.payload == bytes(range(6))


def test_more_than_fits_is_refused() -> None:
    with pytest.raises(ValueError, match="a frame carries at most 29 bytes"):
        encode(bytearray(60), 0x22, 0, 5, 9, bytes(30), 30)


def test_after_another_baud_rate_the_half_frame_is_forgotten() -> None:
    receiver = Receiver()
    taken(receiver, b"\x55\x55\x55")
    receiver.reset()
    assert taken(receiver, sent(master.Frame(1, 8, 5, 0, 1, b"\1\0")))
    assert receiver.damaged == 0
