from hypothesis import given
from hypothesis import strategies as st

from pi_controller.virtual_hall.table import PAGE_US, VirtualDisplay


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
