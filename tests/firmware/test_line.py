"""The node's end of the cable: when it speaks, when it stays silent, and what noise does."""

import random
from struct import pack

import pytest

from table_node import messages as m
from table_node.frame import UNASSIGNED
from table_node.node import FIRMWARE
from tests.firmware.hall import ADDRESS, Hall, frame, health, playing
from tests.firmware.hand_board import HandBoard

POLL = pack("<HBBBB", 500, 0, 0, 0, 0)


def assigned(**how: object) -> Hall:
    hall = Hall(**how)
    hall.run(500_000)
    assert hall.assign() is not None
    return hall


@pytest.mark.parametrize(
    ("asked", "baud", "first_us", "last_us"),
    [
        ((m.POLL, POLL), 250_000, 300, 5_000),
        ((m.POLL, POLL), 115_200, 4_000, 6_500),
        ((m.PING, bytes(24)), 115_200, 300, 5_000),
        ((m.ORDER, b"\x05\x00"), 115_200, 300, 5_000),
    ],
    ids=["poll", "poll at the slower rate", "ping", "order"],
)
def test_an_answer_comes_at_once_but_to_a_poll_at_the_slower_rate_at_its_moment(
    asked: tuple[int, bytes], baud: int, first_us: int, last_us: int
) -> None:
    """4 ms after the poll, for all nodes alike, so that the lines of several segments are free together."""
    chance = random.Random(1)
    hall = assigned(jitter=lambda: chance.randrange(200, 2500))
    hall.silent = True
    hall.node.line.baud = baud
    begins = []
    for _ in range(50):
        over = hall.board.bring(frame(*asked, dst=ADDRESS), hall.board.now_us)
        hall.run(12_000)
        begins.append(hall.board.sent[-1][0] - over)
    assert first_us <= min(begins) <= first_us + 300
    assert max(begins) <= last_us


@pytest.mark.parametrize("after_us", [0, 100, 600])
def test_a_byte_after_the_request_and_it_stays_silent(after_us: int) -> None:
    """The master gives a poll up to send a pause frame at once."""
    hall = assigned(jitter=lambda: 100)
    hall.silent = True
    hall.run(200_000)
    before = len(hall.board.sent)
    over = hall.board.bring(frame(m.POLL, POLL, dst=ADDRESS), hall.board.now_us)
    hall.board.bring(b"\x00", over + after_us - 400)
    hall.run(20_000)
    assert len(hall.board.sent) == before


def test_the_pause_frame_behind_an_abandoned_poll_is_heard() -> None:
    hall = playing()
    over = hall.board.bring(frame(m.POLL, POLL, dst=ADDRESS), hall.board.now_us)
    before = len(hall.board.sent)
    hall.game.pause(over)
    hall.board.bring(hall.game.state(over), over)
    hall.run(30_000)
    assert (len(hall.board.sent), hall.view.kind) == (before, "paused")


def test_a_retry_right_behind_the_request_is_answered_once() -> None:
    hall = assigned()
    before = len(hall.board.sent)
    over = hall.board.bring(frame(m.POLL, POLL, dst=ADDRESS, seq=8), hall.board.now_us)
    hall.board.bring(frame(m.POLL, POLL, dst=ADDRESS, seq=9), over)
    hall.run(30_000)
    assert len(hall.board.sent) == before + 1
    assert hall.ask(m.POLL, POLL, seq=10)[2] == 10


@pytest.mark.parametrize(
    ("asked", "hung_us", "answers"),
    [
        ((m.POLL, POLL), 7_000, 1),
        ((m.POLL, POLL), 8_500, 0),
        ((m.PING, bytes(24)), 23_000, 1),
        ((m.PING, bytes(24)), 24_500, 0),
    ],
)
def test_an_answer_that_comes_too_late_is_not_given(
    asked: tuple[int, bytes], hung_us: int, answers: int
) -> None:
    """The master has gone on by then: after a test it waits longer."""
    hall = assigned()
    before = len(hall.board.sent)
    hall.silent = True
    hall.board.bring(frame(*asked, dst=ADDRESS), hall.board.now_us)
    while not hall.node.line.wanted:
        hall.board.now_us += 100
        hall.node.step()
    hall.board.now_us += hung_us
    hall.run(20_000)
    assert len(hall.board.sent) == before + answers


def test_what_is_for_others_is_not_answered() -> None:
    hall = assigned()
    assert hall.ask(m.POLL, POLL, dst=ADDRESS + 1) is None
    assert hall.ask(m.ORDER, b"\x02\x01", dst=ADDRESS + 1) is None
    other = frame(m.HEALTH, bytes(23), dst=0, src=9)
    hall.board.bring(other, hall.board.now_us)
    hall.run(20_000)
    assert not hall.node.swapped


def test_its_own_bytes_come_back_and_do_nothing() -> None:
    hall = playing()
    hall.board.echo = True
    for _ in range(5):
        assert hall.poll()["damaged"] == 0
    hall.hold(0)
    assert (hall.node.line.collisions, hall.poll()["sun"]) == (0, 1)


def test_a_garbled_echo_is_a_collision_and_the_next_frame_is_heard() -> None:
    hall = playing()
    hall.poll()
    answer = bytearray(hall.board.sent[-1][1])
    answer[5] ^= 0x10
    hall.board.bring(bytes(answer), hall.board.now_us)
    hall.run(20_000)
    assert hall.node.line.collisions == 1
    assert hall.poll() is not None


def test_noise_before_and_between_frames_is_skipped() -> None:
    hall = playing()
    chance = random.Random(5)
    for noise in (b"\x00" * 9, b"\xff" * 9, bytes(300), b"\x00\xff" * 40, chance.randbytes(500)):
        hall.board.bring(noise, hall.board.now_us)
        hall.run(30_000)
        hall.board.bring(b"\x00", hall.board.now_us)
        hall.run(5000)
        assert hall.poll() is not None


def test_random_frames_with_a_good_crc_raise_nothing_and_break_nothing() -> None:
    hall = playing()
    chance = random.Random(6)
    board = hall.board
    for _ in range(3000):
        kind = chance.choice([0, *range(2, 32)])
        payload = chance.randbytes(
            m.SIZES[kind] if kind < 9 and chance.random() < 0.8 else chance.randrange(30)
        )
        if kind == m.ORDER and payload[:1] == bytes((m.REBOOT,)):
            continue
        dst = chance.choice([0, ADDRESS, UNASSIGNED, 0xFF, chance.randrange(256)])
        board.bring(
            frame(kind, payload, dst=dst, version=chance.choice([1, 1, chance.randrange(8)])), board.now_us
        )
        hall.run(2000)
    hall.run(500_000)
    assert hall.view.kind in {"round", "identify", "enrol"}
    hall.assign()
    assert hall.poll() is not None


def test_after_3_s_without_a_good_frame_it_tries_the_other_rate() -> None:
    hall = assigned()
    hall.silent = True
    hall.run(2_900_000)
    assert hall.board.baud == 250_000
    hall.run(200_000)
    assert hall.board.baud == 115_200
    hall.silent = False
    hall.run(10_000_000)
    assert (hall.board.baud, hall.view.kind) == (115_200, "ready")
    hall.silent = True
    hall.run(3_100_000)
    assert hall.board.baud == 250_000


def discover(hall: Hall, salt: int, *, slots: int = 16, slot_ms: int = 3) -> int | None:
    """When the answer began after the end of the request, or None."""
    before = len(hall.board.sent)
    data = frame(m.DISCOVER, pack("<HBB", salt, slots, slot_ms), dst=UNASSIGNED)
    over = hall.board.bring(data, hall.board.now_us)
    hall.run(slots * slot_ms * 1000 + 10_000)
    return hall.board.sent[-1][0] - over if len(hall.board.sent) > before else None


def test_discovery_is_answered_in_the_slot_of_uid_and_salt() -> None:
    hall = Hall(jitter=lambda: 100)
    hall.silent = True
    hall.run(300_000)
    for salt in range(40):
        began = discover(hall, salt)
        slot = m.slot(hall.board.uid, salt, 16)
        assert began is not None
        assert slot * 3000 + 300 <= began <= slot * 3000 + 1500


def test_discovery_is_not_answered_with_an_address_nor_in_a_busy_slot() -> None:
    hall = Hall(jitter=lambda: 100)
    hall.silent = True
    hall.run(300_000)
    salt = next(salt for salt in range(99) if m.slot(hall.board.uid, salt, 16) == 2)
    data = frame(m.DISCOVER, pack("<HBB", salt, 16, 3), dst=UNASSIGNED)
    over = hall.board.bring(data, hall.board.now_us)
    hall.board.bring(b"\x11" * 40, over + 5500)
    hall.run(60_000)
    assert hall.board.sent == []
    assert discover(hall, salt) is not None
    hall.assign()
    assert discover(hall, salt) is None


def test_another_nodes_answer_in_an_earlier_slot_does_not_silence_it() -> None:
    hall = Hall(jitter=lambda: 100)
    hall.silent = True
    hall.run(300_000)
    salt = next(salt for salt in range(99) if m.slot(hall.board.uid, salt, 16) == 9)
    over = hall.board.bring(frame(m.DISCOVER, pack("<HBB", salt, 16, 3), dst=UNASSIGNED), hall.board.now_us)
    hall.board.bring(frame(m.INFO, bytes(14), dst=0, src=UNASSIGNED), over + 6300)
    hall.run(60_000)
    assert len(hall.board.sent) == 1


def test_the_master_speaks_in_a_round_of_discovery_and_the_round_is_over() -> None:
    hall = Hall(jitter=lambda: 100)
    hall.silent = True
    hall.run(300_000)
    salt = next(salt for salt in range(99) if m.slot(hall.board.uid, salt, 16) == 9)
    over = hall.board.bring(frame(m.DISCOVER, pack("<HBB", salt, 16, 3), dst=UNASSIGNED), hall.board.now_us)
    hall.board.bring(hall.game.state(over), over + 4000)
    hall.run(60_000)
    assert hall.board.sent == []


def test_info_tells_who_it_is() -> None:
    hall = Hall()
    hall.run(500_000)
    kind, src, _, version, payload = hall.assign(address=12)
    assert (kind, src, version) == (m.INFO, 12, 1)
    assert payload == hall.board.uid + bytes((*FIRMWARE, 1, 1, 2, 9))


def test_an_address_given_to_another_is_not_kept() -> None:
    hall = assigned()
    payload = b"OTHER ID" + bytes((ADDRESS, 0)) + b"B2\0\0\0\0" + b"\x80"
    assert hall.ask(m.ASSIGN, payload, dst=UNASSIGNED) is None
    assert hall.poll() is None


def test_another_node_with_the_same_address_and_it_gives_it_up() -> None:
    """Two answer at different times: who hears the other instead of answering is found anew."""
    hall = assigned()
    own = hall.poll()
    assert own is not None
    hall.board.bring(hall.board.sent[-1][1], hall.board.now_us)
    hall.board.bring(hall.board.sent[-1][1], hall.board.now_us + 3000)
    hall.run(20_000)
    assert hall.poll() is not None
    hall.board.bring(frame(m.HEALTH, bytes(23), dst=0, src=ADDRESS, seq=99), hall.board.now_us)
    hall.run(20_000)
    assert hall.poll() is None


def test_in_version_1_a_length_must_fit_exactly_and_version_0_is_nothing() -> None:
    hall = assigned()
    longer = hall.board.uid + bytes((9, 0)) + bytes(6) + b"\x80\0"
    assert hall.ask(m.ASSIGN, longer, dst=UNASSIGNED) is None
    assert hall.ask(m.ASSIGN, longer[:-1], dst=UNASSIGNED, version=0) is None
    assert hall.ask(m.ASSIGN, longer, dst=UNASSIGNED, version=2) is not None


def test_orders() -> None:
    hall = assigned()
    answer = health(hall.ask(m.ORDER, bytes((m.SWAP, 1))))
    assert answer["flags"] & m.SWAPPED
    assert hall.node.views[0].own_side == 1
    hall.ask(m.ORDER, bytes((m.SWAP, 1)))
    assert hall.node.swapped
    hall.ask(m.ORDER, bytes((m.SWAP, 0)))
    assert not hall.node.swapped
    hall.ask(m.ORDER, bytes((m.BLANK, 0)))
    hall.run(1_100_000)
    assert [face.display.on for face in hall.faces] == [False, False]
    hall.game.begin(hall.board.now_us)
    hall.run(1_500_000)
    assert [face.display.on for face in hall.faces] == [True, True]
    assert hall.ask(m.ORDER, bytes((m.FORGET, 0))) is not None
    assert hall.poll() is None


def test_identify_and_enrol_until_their_time_is_over() -> None:
    hall = playing()
    hall.ask(m.IDENTIFY, bytes((m.IDENTIFY_NAME, 2, 0, 0)))
    assert hall.view.kind == "identify"
    hall.run(3_100_000)
    assert hall.view.kind == "round"
    hall.ask(m.IDENTIFY, bytes((m.IDENTIFY_ENROL, 60, 14, 1)), dst=0xFF)
    assert (hall.view.kind, hall.view.number) == ("enrol", 270)
    assert hall.ask(m.IDENTIFY, bytes((m.IDENTIFY_OFF, 9, 0, 0))) is None
    assert hall.view.kind == "round"


def test_the_press_of_an_enrolment_is_told_for_a_while() -> None:
    hall = assigned()
    hall.ask(m.IDENTIFY, bytes((m.IDENTIFY_ENROL, 60, 1, 0)))
    hall.hold(1, 80_000)
    assert hall.poll()["flags"] & (m.SUN_BUTTON | m.MOON_BUTTON) == m.MOON_BUTTON
    hall.run(1_600_000)
    assert hall.poll()["flags"] & m.MOON_BUTTON == 0


def test_a_line_that_is_never_quiet_does_not_stop_drawing_or_the_watchdog() -> None:
    """Another node babbles: no silence, no good frames."""
    board = HandBoard()
    hall = Hall(board=board)
    hall.silent = True
    for _ in range(30):
        board.bring(b"\x55" * 5000, board.now_us)
        hall.run(200_000)
        assert board.now_us - board.fed_us < 100_000
    assert (hall.view.kind, hall.faces[0].drawn > 10) == ("no_link", True)
