"""What a virtual table's firmware is spared, and its displays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.bus.frame import EVERYBODY, MASTER, UNASSIGNED, encode
from pi_controller.bus.messages import Discover, HealthMessage, Message, Poll, StateMessage, to_frame
from pi_controller.virtual_hall.board import VirtualBoard
from pi_controller.virtual_hall.cable import NEVER
from pi_controller.virtual_hall.table import KEPT_EVERY_US, PAGE_US, FrameFilter, Table, VirtualDisplay

OWN, OTHER = 5, 6
POLL = Poll(epoch=1)
HEALTH = HealthMessage(epoch=1, state_seq=1)
STATE = StateMessage(epoch=1, state_seq=1, master_us=0)


def frame(message: Message, dst: int, src: int = MASTER) -> bytes:
    return encode(to_frame(message, dst=dst, src=src, seq=1))


@pytest.fixture
def board() -> VirtualBoard:
    return VirtualBoard(uid=bytes(8), say=lambda _, at_us: at_us, tune=lambda _: None)


def filter_of(board: VirtualBoard) -> FrameFilter:
    """One that has just let something through."""
    frame_filter = FrameFilter(board)
    board.incoming += frame(HEALTH, MASTER, OTHER)
    assert not frame_filter.dropped(0)
    board.incoming.clear()
    return frame_filter


@pytest.mark.parametrize(
    ("data", "dropped"),
    [
        (frame(POLL, OWN), False),
        (frame(POLL, OTHER), True),
        (frame(HEALTH, MASTER, OTHER), True),
        (frame(STATE, EVERYBODY), False),
        (frame(Discover(salt=1, slots=16, slot_ms=3), UNASSIGNED), False),
        (frame(POLL, OTHER)[4:], False),  # the beginning has been read already
        (b"\0\1\0", False),
    ],
)
def test_only_whole_frames_to_others_are_dropped(board: VirtualBoard, data: bytes, dropped: bool) -> None:
    frame_filter = filter_of(board)
    board.send(bytearray(frame(HEALTH, MASTER, OWN)), 34)
    board.incoming += data
    assert frame_filter.dropped(1) == dropped
    assert bytes(board.incoming) == (b"\0" if dropped else data)


def test_what_stands_before_the_frame_is_kept(board: VirtualBoard) -> None:
    frame_filter = filter_of(board)
    board.incoming += frame(STATE, EVERYBODY) + frame(HEALTH, MASTER, OTHER)
    assert frame_filter.dropped(1)
    assert bytes(board.incoming) == frame(STATE, EVERYBODY) + b"\0"


def test_without_an_address_any_poll_may_be_the_own(board: VirtualBoard) -> None:
    frame_filter = filter_of(board)
    assert not frame_filter.knows_address()
    board.incoming += frame(POLL, OTHER)
    assert not frame_filter.dropped(1)


def test_one_frame_a_second_is_let_through(board: VirtualBoard) -> None:
    frame_filter = filter_of(board)
    kept = 0
    for at_us in range(10_000, 5 * KEPT_EVERY_US, 10_000):
        board.incoming += frame(HEALTH, MASTER, OTHER)
        kept += not frame_filter.dropped(at_us)
    assert kept == 4


class Unplugs:
    """Firmware in whose pass its table loses the power."""

    table: Table

    def step(self) -> int:
        self.table.halt(0)
        return 0


def test_a_table_that_loses_its_power_in_a_pass_has_nothing_due_afterwards(board: VirtualBoard) -> None:
    program = Unplugs()
    table = program.table = Table(lambda _board, _displays: program, board)
    table.revive(0)
    for _ in range(2):
        table.step(table.due_us)
    assert table.due_us == NEVER


@given(st.binary(min_size=1024, max_size=1024))
def test_rows_are_the_same_pixels_as_the_buffer(picture: bytes) -> None:
    display = VirtualDisplay()
    display.buffer[:] = picture
    assert display.flush(8 * PAGE_US)
    rows = display.rows()
    for y in range(64):
        for x in range(0, 128, 5):
            assert rows[y * 16 + x // 8] >> (7 - x % 8) & 1 == picture[y // 8 * 128 + x] >> (y % 8) & 1


def test_pages_that_differ_go_out_within_the_budget() -> None:
    display = VirtualDisplay()
    display.buffer[0] = display.buffer[300] = display.buffer[1023] = 1
    assert not display.flush(2 * PAGE_US)
    assert [byte for byte in display.shown if byte] == [1, 1]
    assert display.shown[1023] == 0
    assert display.flush(2 * PAGE_US)
    assert display.shown == display.buffer
    assert display.spent_us == 3 * PAGE_US


def test_a_display_that_does_not_answer_shows_nothing_new() -> None:
    display = VirtualDisplay()
    display.ok = False
    display.buffer[0] = 1
    assert not display.flush(5_000)
    assert not any(display.shown)


def test_the_whole_picture_may_stand_lower() -> None:
    display = VirtualDisplay()
    display.buffer[5] = 0x81
    display.shift_y = 1
    display.flush(5_000)
    assert [row for row in range(64) if any(display.rows()[row * 16 : row * 16 + 16])] == [1, 8]
    display.buffer[900] = 0x80
    display.flush(5_000)
    assert display.rows()[0:16] != bytes(16)
