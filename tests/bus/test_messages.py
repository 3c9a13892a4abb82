"""Messages of the master's side: what each name is on the wire, there and back, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pi_controller.bus import messages
from pi_controller.bus.frame import LONGEST_PAYLOAD, Frame
from pi_controller.bus.messages import (
    PART_BYTES,
    Acting,
    Assign,
    BadMessage,
    ClaimAnswer,
    ClaimReport,
    Discover,
    HealthMessage,
    IdentifyMessage,
    Info,
    Message,
    Order,
    Poll,
    Prbs,
    SayMessage,
    SeatMessage,
    StateMessage,
    carried,
    from_frame,
    layout_of,
    parts_of,
    to_frame,
)
from pi_controller.game.commands import LONGEST_TEXT
from table_node import said
from tests.bus.strategies import MESSAGES, any_frames, understood


@given(MESSAGES)
def test_a_message_comes_back(message: Message) -> None:
    frame = to_frame(message, dst=5, src=0, seq=9)
    assert from_frame(frame) == message
    assert len(frame.payload) == layout_of(message).size <= LONGEST_PAYLOAD


def test_a_state_that_names_its_seats_goes_as_version_2_and_is_a_byte_longer() -> None:
    plain = StateMessage(epoch=1, state_seq=2, master_us=3, sun_active=True)
    before, after = (
        to_frame(state, dst=255, src=0, seq=0) for state in (plain, replace(plain, acting=Acting(0, None)))
    )
    assert (before.version, after.version) == (1, 2)
    assert after.payload == before.payload + b"\xf0"


@given(any_frames())
def test_any_frame_is_read_or_refused(frame: Frame) -> None:
    message = understood(frame)
    if message is not None:
        assert understood(to_frame(message, dst=5, src=0, seq=frame.seq)) == message


@pytest.mark.parametrize("bit", range(11))
def test_flags_of_a_state(bit: int) -> None:
    """In the order of PROTOCOL.md."""
    names = (
        "running", "paused", "counting_in", "sun_active", "moon_active", "next_sun", "next_moon", "robber_possible",
        "claims_pause", "maintenance", "last_round",
    )  # fmt: skip
    frame = to_frame(
        StateMessage(epoch=0, state_seq=0, master_us=0, **{names[bit]: True}), dst=255, src=0, seq=0
    )
    assert int.from_bytes(frame.payload[9:11], "little") == 1 << bit


@pytest.mark.parametrize("bit", range(9))
def test_flags_of_a_health(bit: int) -> None:
    names = (
        "sun_button", "moon_button", "sun_withdraws", "moon_withdraws", "sun_display", "moon_display", "safe_mode",
        "swapped", "time_uncertain",
    )  # fmt: skip
    frame = to_frame(HealthMessage(epoch=0, state_seq=0, **{names[bit]: True}), dst=0, src=5, seq=0)
    assert int.from_bytes(frame.payload[14:16], "little") == 1 << bit


@pytest.mark.parametrize(
    ("message", "payload"),
    [
        (
            StateMessage(epoch=1, state_seq=2, master_us=3, phase="robber", paused=True, left_us=4, duration=120,
                  resume_in=5, rate=512, round=6, dice=(1, 6), target="desert", last=9,
                  reasons=frozenset({"director", "recovery"}), brightness=7),
            "0100 0200 03000000 02 0200 04000000 7800 0500 0002 0600 16 07 09 12 07",
        ),
        (
            Poll(epoch=1, sun=ClaimAnswer(2, "judge_comes"), moon=ClaimAnswer(3, "wait")),
            "0100 02 03 03 07",
        ),
        (
            HealthMessage(epoch=1, state_seq=2, sun=ClaimReport(3, 4), moon=ClaimReport(5, 6), swapped=True, vbus=7,
                   temperature=-8, reset="soft", crc_errors=9, missed=10, uptime=11),
            "0100 0200 03 04000000 05 06000000 8000 07 f8 02 09 0a 0b00",
        ),
        (Discover(salt=1, slots=2, slot_ms=3), "0100 02 03"),
        (
            Info(uid="0102030405060708", hardware=9, firmware=(10, 11), proto_min=1, proto_max=2, boots=12),
            "0102030405060708 09 0b0a 01 02 0c",
        ),
        (
            Assign(uid="0102030405060708", address=9, swap=True, board="B-7", brightness=10),
            "0102030405060708 09 01 422d37000000 0a",
        ),
        (IdentifyMessage(what="enrol", seconds=1, number=2), "02 01 0200"),
        (Order(what="reboot", argument=1), "04 01"),
        (SeatMessage(epoch=1, index=2, sign=3, name="A b"), "0100 02 03 41206200000000000000"),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_names_stand_for_these_bytes(message: Message, payload: str) -> None:
    assert to_frame(message, dst=0, src=0, seq=0).payload == bytes.fromhex(payload)


STATE = {"epoch": 0, "state_seq": 0, "master_us": 0}


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (StateMessage(**{**STATE, "epoch": 65536}), "STATE: epoch is 65536; it must lie between 0 and 65535"),
        (
            StateMessage(**STATE, resume_in=65535),
            "STATE: resume_in is 65535; it must lie between 0 and 65534",
        ),
        (StateMessage(**STATE, dice=(0, 6)), "STATE: 0 and 6 are not two dice"),
        (StateMessage(**STATE, target=7), "STATE: 7 is no robber target"),
        (StateMessage(**STATE, last=13), "STATE: 13 is no sum of two dice"),
        (
            HealthMessage(epoch=0, state_seq=0, temperature=128),
            "HEALTH: temperature is 128; it must lie between -128 and 127",
        ),
        (Discover(salt=0, slots=0, slot_ms=3), "DISCOVER: there must be at least one slot"),
        (
            Info(uid="E660583883724A31", hardware=0, firmware=(1, 0)),
            "'E660583883724A31' is no unique id; it must be 16 lower-case hex digits",
        ),
        (
            Info(uid="0" * 16, hardware=0, firmware=(1, 256)),
            "INFO: firmware is 1.256; both parts must lie between 0 and 255",
        ),
        (Assign(uid="0" * 16, address=33), "ASSIGN: address 33 is no node's; they go from 1 to 32"),
        (
            Assign(uid="0" * 16, address=1, board="TABLE-7"),
            "'TABLE-7' is no board's name; it must be at most 6 visible ASCII characters",
        ),
        (StateMessage(**STATE, acting=Acting(8, None)), "STATE: 8 is no seat; they go from 0 to 7"),
        (
            SeatMessage(epoch=0, index=0, name="Étoile"),
            "'Étoile' is no seat's name; it must be at most 10 printable ASCII characters",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_value_that_its_field_cannot_hold_is_refused(message: Message, sentence: str) -> None:
    with pytest.raises(BadMessage) as refusal:
        to_frame(message, dst=0, src=0, seq=0)
    assert str(refusal.value) == sentence


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (Frame(1, 21, 0, 0, 0, b""), "type 21 is not known in protocol 7"),
        (Frame(7, 19, 0, 0, 0, bytes(3)), "STEP: offer is 0; it must lie between 1 and 65535"),
        (
            Frame(7, 18, 0, 0, 0, b"\1\0\0\x80" + bytes(24)),
            "BLOCK: block is 128; a part has blocks from 0 to 127",
        ),
        (Frame(1, 13, 0, 0, 0, bytes(24)), "SAY: protocol 1 is not known here, only 4"),
        (Frame(4, 13, 0, 0, 0, b"\0\0\0\x11" + bytes(20)), "SAY: there is no part 1 of 1"),
        (Frame(4, 13, 0, 0, 0, b"\0\0\0\x10A\nB" + bytes(17)), "SAY: b'A\\nB' is no text"),
        (Frame(2, 11, 0, 0, 0, b"\0\0\x08" + bytes(11)), "SEAT: 8 is no seat; they go from 0 to 7"),
        (Frame(2, 11, 0, 0, 0, bytes(4) + b"A\0B" + bytes(7)), "SEAT: b'A\\x00B' is no seat's name"),
        (Frame(2, 1, 0, 0, 0, bytes(28)), "STATE: 28 bytes instead of 29"),
        (Frame(1, 8, 0, 0, 0, b"\0\0"), "ORDER: 0 is no order"),
        (Frame(1, 8, 0, 0, 0, b"\x08\0"), "ORDER: 8 is not known here; the last one is 7"),
        (Frame(1, 6, 0, 0, 0, bytes(8) + b"\1\0A\0B\0\0\0\0"), "ASSIGN: b'A\\x00B' is no board's name"),
    ],
)
def test_a_frame_without_a_message_is_refused(frame: Frame, sentence: str) -> None:
    with pytest.raises(BadMessage) as refusal:
        from_frame(frame)
    assert str(refusal.value) == sentence


BITS = 0x7FFF


def bits(data: bytes) -> str:
    return "".join(f"{byte:08b}" for byte in data)


def test_every_pattern_of_15_bits_comes_once_before_it_begins_anew() -> None:
    sequence = bits(Prbs(5).take(BITS + 2))
    assert sequence[BITS : BITS + 15] == sequence[:15]
    patterns = {sequence[at : at + 15] for at in range(BITS)}
    assert len(patterns) == BITS
    assert "0" * 15 not in patterns


def test_a_seed_is_a_place_in_it() -> None:
    assert Prbs(0).take(100) != Prbs(1).take(100)
    assert Prbs(BITS).take(100) == Prbs(0).take(100)
    one = Prbs(7)
    assert one.take(10) + one.take(14) == Prbs(7).take(24)


@pytest.mark.parametrize(
    ("typed", "on_the_wire"),
    [
        ("Zażółć gęślą jaźń", "Zażółć gęślą jaźń"),
        ("¿Señor Müller? “Já!” – ok…", '¿Señor Müller? "Já!" - ok...'),
        ("Cafe\u0301 dvořák", "Café dvorák"),
        ("1\u00a0000 €, ½ m²", "1 000 EUR, 1/2 m2"),
        ("Спасибо 🎉", "???????"),
        ("  \u2003 ", ""),
    ],
)
def test_a_message_is_told_in_letters_that_tables_draw(typed: str, on_the_wire: str) -> None:
    assert carried(typed) == on_the_wire


@given(st.text(max_size=LONGEST_TEXT))
def test_every_message_goes_into_parts_and_comes_out_of_them(typed: str) -> None:
    text = carried(typed)
    parts = parts_of(text, epoch=3, number=9)
    assert [
        SayMessage.of(SayMessage.layout.unpack(SayMessage.layout.pack(part.values()))) for part in parts
    ] == list(parts)
    assert "".join(part.text for part in parts) == text
    assert [(part.part, part.parts) for part in parts] == [
        (at, len(parts)) for at in range(len(parts))
    ] or not text


def test_the_longest_message_has_room() -> None:
    assert len("".join(part.text for part in parts_of("W" * LONGEST_TEXT, epoch=0, number=0))) == LONGEST_TEXT


@pytest.mark.parametrize(
    ("said_so", "why"),
    [
        ({"part": 2, "parts": 2}, "there is no part 2 of 2"),
        ({"part": 0, "parts": 16}, "there is no part 0 of 16"),
        ({"text": "x" * (PART_BYTES + 1)}, "it must be at most 20 printable characters"),
        ({"text": "a\nb"}, "it must be at most 20 printable characters"),
        ({"text": "ř"}, "has letters that the wire does not carry"),
    ],
)
def test_what_no_part_can_be_is_refused(said_so: dict[str, object], why: str) -> None:
    with pytest.raises(BadMessage, match=why):
        SayMessage(epoch=1, number=1, **said_so).values()  # type: ignore[arg-type]


def test_both_ends_have_the_same_letters() -> None:
    assert said.FURTHER == messages.FURTHER
