"""The node's messages against the master's: the same understanding of any bytes, and values cut to their fields."""

from hypothesis import given

from pi_controller.bus.frame import Frame, encode
from pi_controller.bus.messages import layout_of
from table_node import measuring, messages
from table_node.frame import Receiver
from tests.bus.strategies import any_frames, understood
from tests.bus.test_vectors import plain
from tests.firmware.wire_check import PACKED, READ, read, receive


@given(any_frames())
def test_both_ends_understand_the_same(frame: Frame) -> None:
    receiver = Receiver()
    assert receive(receiver, encode(frame)) == 1
    message = understood(frame)
    if frame.type in READ:
        fields = read(READ[frame.type], receiver)
        assert (fields is None) == (message is None)
        if message is not None:
            bits = {"flags": frame.payload[9] | frame.payload[10] << 8} if frame.type == 1 else {}
            bits |= {"flags": frame.payload[9]} if frame.type == 6 else {}
            reasons_at = {1: 26, 14: 8}.get(frame.type)
            bits |= {} if reasons_at is None else {"reasons": frame.payload[reasons_at]}
            assert fields == plain(layout_of(message).fields, message.values()) | bits
    elif message is not None:
        assert messages.fits(frame.version, frame.type, len(frame.payload))
        assert frame.type in PACKED


def test_a_frame_of_no_known_type_does_not_fit() -> None:
    assert not any(messages.fits(1, kind, size) for kind in (0, 12, 31) for size in range(30))


def test_counters_run_on_and_measures_stay_at_their_ends() -> None:
    health = messages.Health()
    health.vbus, health.temperature = 300, -200
    health.crc_errors, health.missed, health.uptime = 256 + 3, 512 + 4, 70_000
    into = bytearray(23)
    assert messages.pack_health(into, health) == 23
    assert bytes(into[16:]) == bytes((255, 0x80, 0, 3, 4, 0xFF, 0xFF))
    health.temperature = 200
    messages.pack_health(into, health)
    assert into[17] == 127
    info = messages.Info(bytes(8), 1, 0x0102)
    info.boots = 257
    assert messages.pack_info(into, info) == 14
    assert into[13] == 1


def test_a_reading_beyond_its_field_stays_apart_from_one_that_is_not_fitted() -> None:
    measured = measuring.Measured()
    into = bytearray(9)
    assert measuring.pack_measured(into, measured) == 9
    assert bytes(into) == b"\xff" * 9
    measured.lamps, measured.loop = 150_000, False
    measuring.pack_measured(into, measured)
    assert bytes(into) == b"\xff\xff\xff\xff\xfe\xff\xff\xff\0"


def test_what_is_refused_changes_nothing() -> None:
    state = messages.State()
    before = dict(state.__dict__)
    assert not state.read(bytes((1,)) * 8 + bytes((6,)) + bytes(19))
    assert state.__dict__ == before
